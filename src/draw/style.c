/* The looks of lines. */
#include "draw/style.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Okabe and Ito's colours, dark ones first; yellow is left out; then violet, brown, wine, a dark
 * green and grey. */
static const wac_style styles[WAC_STYLES] = {
    {"#0072b2", "1", 7},           {"#d55e00", "(10,4)", 5},     {"#009e73", "(3,3)", 9},
    {"#cc79a7", "(12,4,3,4)", 11}, {"#000000", "(6,3)", 13},     {"#e69f00", "(16,4)", 4},
    {"#56b4e9", "(4,2,1,2)", 6},   {"#785ef0", "(8,3,2,3)", 10}, {"#8c6d31", "(2,2)", 12},
    {"#882255", "(14,3,6,3)", 14}, {"#285238", "(5,2)", 3},      {"#7f7f7f", "(12,3,2,3,2,3)", 8},
};

const wac_style *wac_style_at(size_t index)
{
    return &styles[index % WAC_STYLES];
}

const wac_style *wac_style_of(wac_algorithm algorithm)
{
    /* in the order of WAC_ALGORITHMS; tables, which stand beside no networks, share the looks of
     * those behind OAC */
    static const unsigned char places[WAC_STYLES] = {0, 2, 1, 5, 3, 4, 6, 8, 7, 9, 10, 11};
    bool table = algorithm >= WAC_ALGORITHM_TABLES;
    return &styles[places[(table ? 4 + algorithm - WAC_ALGORITHM_TABLES : algorithm) % WAC_STYLES]];
}

const char *wac_style_title(char title[WAC_STYLE_TITLE], const char *algorithm)
{
    static const char *const words[][2] = {{"maxinfosac", "MaxInfoSAC"},
                                           {"simba", "SimBa"},
                                           {"q-learning", "Q-learning"},
                                           {"delayed-q", "Delayed Q"},
                                           {"bootstrapped-q", "Bootstrapped Q"}};
    snprintf(title, WAC_STYLE_TITLE, "%s", algorithm);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], algorithm) == 0) {
            snprintf(title, WAC_STYLE_TITLE, "%s", words[i][1]);
            return title;
        }
    for (char *letter = title; *letter; letter++)
        *letter = (char)toupper((unsigned char)*letter);
    return title;
}

const char *wac_style_environment(char *title, size_t size, const char *name)
{
    static const char *const words[][2] = {
        {"lqg", "LQG"},
        {"riverswim", "RiverSwim"},
        {"hopper", "Hopper"},
        {"halfcheetah", "HalfCheetah"},
        {"walker2d", "Walker2d"},
        {"chain", "Chain"},
        {"loop", "Loop"},
        {"riverswim-6", "RiverSwim, 6 states"},
        {"six-arms", "Six arms"},
        {"taxi", "Taxi"},
        {"deep-sea", "Deep sea"},
        {"mountaincar", "MountainCar"},
        {"cartpole", "Cartpole"},
        {"cartpole-sparse-cost", "Cartpole, sparse, with a cost"},
        {"acrobot", "Acrobot"},
        {"ball-in-cup", "Ball in cup"},
        {"reacher-hard", "Reacher, small target"},
        {"pointmaze-u", "PointMaze, U"},
        {"pointmaze-medium", "PointMaze, medium"},
        {"pointmaze-large", "PointMaze, large"},
    };
    const char *end = strstr(name, "-sparse");
    size_t length = end && strcmp(end, "-sparse") == 0 ? (size_t)(end - name) : strlen(name);
    const char *sparse = name[length] ? ", sparse" : "";
    if (strncmp(name, "point-", 6) == 0 && length > 6) {
        snprintf(title, size, "Point %.*s%s", (int)length - 6, name + 6, sparse);
        return title;
    }
    snprintf(title, size, "%s", name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i][0]) == length && strncmp(words[i][0], name, length) == 0)
            snprintf(title, size, "%s%s", words[i][1], sparse);
    return title;
}
