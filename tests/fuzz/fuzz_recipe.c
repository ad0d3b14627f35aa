/* Any bytes as a recipe: refused with a sentence that names the file, or every entry is one that an
 * environment can use. */
#include "env/mujoco/recipe.h"
#include "fuzz/fuzz.h"

#include <math.h>

static void check_names(const wac_recipe_entry *entry)
{
    bool by_range = entry->what <= WAC_WHAT_CONTROL && !*entry->name;
    require(memchr(entry->name, 0, sizeof entry->name) &&
            memchr(entry->other, 0, sizeof entry->other));
    require(by_range || entry->what == WAC_WHAT_BONUS || *entry->name);
    require(entry->first >= 0 && entry->last >= -1);
    require(entry->last == -1 ? entry->first == 0 : entry->last >= entry->first);
    require(!*entry->other || entry->what == WAC_WHAT_DISTANCE);
    for (int i = 0; i < 3; i++)
        require(isfinite(entry->point[i]));
    bool is_placed = entry->what >= WAC_WHAT_SITE && entry->what <= WAC_WHAT_DISTANCE;
    require(is_placed ? entry->axes >= 1 && entry->axes <= 7 : entry->axes == 0);
}

static void check_entry(const wac_recipe_entry *entry, wac_recipe_list list)
{
    const double *numbers = entry->numbers;
    require(entry->what < WAC_WHATS && entry->line > 0);
    require(entry->what != WAC_WHAT_BONUS || list == WAC_RECIPE_REWARD);
    require(list != WAC_RECIPE_RESET || entry->what <= WAC_WHAT_QVEL);
    require(entry->measure <= WAC_RECIPE_MEASURE_ABSOLUTE && entry->bonus <= WAC_BONUS_SUCCESS);
    require(numbers[WAC_RECIPE_LOW] < numbers[WAC_RECIPE_HIGH] &&
            isfinite(numbers[WAC_RECIPE_HIGH] - numbers[WAC_RECIPE_LOW]));
    require(isfinite(numbers[WAC_RECIPE_WEIGHT]));
    require(numbers[WAC_RECIPE_ABOVE] < numbers[WAC_RECIPE_BELOW]);
    require(isfinite(numbers[WAC_RECIPE_UNIFORM]) && numbers[WAC_RECIPE_UNIFORM] >= 0);
    require(isfinite(numbers[WAC_RECIPE_NORMAL]) && numbers[WAC_RECIPE_NORMAL] >= 0);
    check_names(entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static wac_recipe recipe, again;
    wac_error error = {0};
    if (wac_recipe_parse(&recipe, (const char *)data, size, "input", &error) != WAC_STATUS_OK) {
        require(error.status == WAC_STATUS_INPUT && strncmp(error.message, "input:", 6) == 0);
        require(!strchr(error.message, '\n'));
        return 0;
    }
    require(!error.message[0]);
    require(recipe.counts[WAC_RECIPE_OBSERVATION] > 0 && recipe.counts[WAC_RECIPE_REWARD] > 0);
    require(recipe.frame_skip >= 1 && recipe.frame_skip <= WAC_RECIPE_SKIP_MOST);
    require(!recipe.goes_on || recipe.counts[WAC_RECIPE_SUCCESS] > 0);
    for (int list = 0; list < WAC_RECIPE_LISTS; list++) {
        require(recipe.counts[list] <= WAC_RECIPE_ENTRIES);
        for (int i = 0; i < recipe.counts[list]; i++)
            check_entry(&recipe.lists[list][i], (wac_recipe_list)list);
    }
    require(wac_recipe_parse(&again, (const char *)data, size, "input", &error) == WAC_STATUS_OK);
    require(memcmp(&recipe, &again, sizeof recipe) == 0);
    return 0;
}
