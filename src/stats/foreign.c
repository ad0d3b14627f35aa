/* Reading tables of other programs' runs, and putting these on our epochs. The text is cut up in
 * place. */
#include "stats/foreign.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "config/environments.h"
#include "wac/env.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SIZE_LIMIT = 1 << 30, COLUMN_LIMIT = 1024 };
#define STEP_LIMIT 1e15

/* What a row tells; the last may be missing. */
enum { RUN, ALGORITHM, ENVIRONMENT, SEED, STEP, VALUE, MEASURE, FIELDS };
static const char *const names[FIELDS] = {"run",  "algorithm", "environment", "seed",
                                          "step", "value",     "measure"};

typedef struct reader {
    const char *path;
    size_t line, columns;
    int places[FIELDS]; /* of the columns, or -1 */
    char *cells[COLUMN_LIMIT];
    size_t last; /* the run of the row before */
} reader;

/* --- text ---------------------------------------------------------------------------------- */

/* The quoted cell that begins here, without its quotes; what follows it, or null where it does not
 * end. */
static char *unquote(char *cell)
{
    char *to = cell;
    for (const char *from = cell + 1; *from; from++) {
        if (*from == '"' && from[1] != '"') {
            char *after = cell + (from + 1 - cell);
            *to = 0;
            return after;
        }
        from += *from == '"';
        *to++ = *from;
    }
    return NULL;
}

/* Cut a line into cells. */
static wac_status cut(reader *reader, char *line, size_t *count, wac_error *error)
{
    size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '\r')
        line[length - 1] = 0;
    for (*count = 0; line; ++*count) {
        if (*count == COLUMN_LIMIT)
            return wac_fail(error, WAC_STATUS_INPUT, "%s:%zu: has more than %d cells", reader->path,
                            reader->line, COLUMN_LIMIT);
        reader->cells[*count] = line;
        char *end = *line == '"' ? unquote(line) : line + strcspn(line, ",");
        if (!end || (*end && *end != ','))
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s:%zu: cell %zu begins with a quote, and does not end with one",
                            reader->path, reader->line, *count + 1);
        line = *end ? end + 1 : NULL;
        *end = 0;
    }
    return WAC_STATUS_OK;
}

static wac_status read_header(reader *reader, char *line, wac_error *error)
{
    if (line && strncmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3; /* some programs mark UTF-8 so */
    if (!line || !*line)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s:1: is empty; the first line must name the columns", reader->path);
    reader->line = 1;
    WAC_TRY(cut(reader, line, &reader->columns, error));
    const char *other = reader->columns == 1 ? strpbrk(reader->cells[0], ";\t") : NULL;
    if (other)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s:1: columns must be separated by commas, not by %s; save it so",
                        reader->path, *other == ';' ? "semicolons" : "tabs");
    for (int i = 0; i < FIELDS; i++) {
        reader->places[i] = -1;
        for (size_t k = 0; k < reader->columns; k++) {
            if (strcasecmp(reader->cells[k], names[i]) != 0)
                continue;
            if (reader->places[i] >= 0)
                return wac_fail(error, WAC_STATUS_INPUT, "%s:1: two columns are named \"%s\"",
                                reader->path, names[i]);
            reader->places[i] = (int)k;
        }
        if (reader->places[i] < 0 && i != MEASURE)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s:1: has no column \"%s\"; a table of runs has run, algorithm, "
                            "environment, seed, step and value",
                            reader->path, names[i]);
    }
    return WAC_STATUS_OK;
}

/* --- rows ---------------------------------------------------------------------------------- */

static const char *field(const reader *reader, int which)
{
    return reader->cells[reader->places[which]];
}

static wac_status refuse(const reader *reader, int which, const char *should, wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT, "%s:%zu: column %s: \"%s\" is not %s", reader->path,
                    reader->line, names[which], WAC_CLIP(field(reader, which)), should);
}

static wac_status read_number(const reader *reader, int which, double smallest, double largest,
                              double *number, const char *should, wac_error *error)
{
    if (!wac_number_parse(number, field(reader, which)) || !(*number >= smallest) ||
        !(*number <= largest))
        return refuse(reader, which, should, error);
    return WAC_STATUS_OK;
}

static wac_status check_name(const reader *reader, int which, size_t room, wac_error *error)
{
    const char *name = field(reader, which);
    bool good = *name && strlen(name) < room && !wac_has_control(name, "");
    return good ? WAC_STATUS_OK : refuse(reader, which, "a name (too long, or empty)", error);
}

/* Whatever could be the name of a world of ours. */
static wac_status check_environment(const reader *reader, wac_error *error)
{
    wac_config config;
    wac_error why = {0};
    if (wac_config_init(&config, field(reader, ENVIRONMENT), NULL, &why) == WAC_STATUS_OK)
        return WAC_STATUS_OK;
    return wac_fail(error, why.status, "%s:%zu: %s", reader->path, reader->line, why.message);
}

static bool is_run(const wac_foreign_run *run, const reader *reader, int64_t seed)
{
    return run->seed == seed && strcmp(run->run, field(reader, RUN)) == 0 &&
           strcmp(run->algorithm, field(reader, ALGORITHM)) == 0 &&
           strcmp(run->environment, field(reader, ENVIRONMENT)) == 0;
}

/* The run of the row, which may be a new one; most rows belong to that of the row before. */
static wac_status find_run(wac_foreign *foreign, reader *reader, int64_t seed, wac_error *error)
{
    if (reader->last < foreign->count && is_run(&foreign->runs[reader->last], reader, seed))
        return WAC_STATUS_OK;
    for (reader->last = 0; reader->last < foreign->count; reader->last++)
        if (is_run(&foreign->runs[reader->last], reader, seed))
            return WAC_STATUS_OK;
    WAC_TRY(check_name(reader, RUN, sizeof foreign->runs->run, error));
    WAC_TRY(check_name(reader, ALGORITHM, sizeof foreign->runs->algorithm, error));
    WAC_TRY(check_environment(reader, error));
    if (foreign->count == foreign->room) {
        size_t room = foreign->room ? 2 * foreign->room : 16;
        wac_foreign_run *runs = realloc(foreign->runs, room * sizeof *runs);
        if (!runs)
            return wac_fail_memory(error, reader->path);
        foreign->runs = runs;
        foreign->room = room;
    }
    wac_foreign_run *run = &foreign->runs[foreign->count++];
    *run = (wac_foreign_run){.seed = seed};
    strcpy(run->run, field(reader, RUN));
    strcpy(run->algorithm, field(reader, ALGORITHM));
    strcpy(run->environment, field(reader, ENVIRONMENT));
    return WAC_STATUS_OK;
}

static wac_status add_point(wac_foreign_run *run, wac_foreign_point point, const char *path,
                            wac_error *error)
{
    if (run->count == run->room) {
        size_t room = run->room ? 2 * run->room : 64;
        wac_foreign_point *points = realloc(run->points, room * sizeof *points);
        if (!points)
            return wac_fail_memory(error, path);
        run->points = points;
        run->room = room;
    }
    run->points[run->count++] = point;
    return WAC_STATUS_OK;
}

static wac_status read_row(wac_foreign *foreign, reader *reader, char *line, wac_error *error)
{
    size_t count;
    WAC_TRY(cut(reader, line, &count, error));
    if (count != reader->columns)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s:%zu: this row has %zu cells, the header has %zu", reader->path,
                        reader->line, count, reader->columns);
    if (reader->places[MEASURE] >= 0 && strcmp(field(reader, MEASURE), "eval_return") != 0)
        return WAC_STATUS_OK;
    const char *value = field(reader, VALUE);
    if (!*value || strcasecmp(value, "nan") == 0)
        return WAC_STATUS_OK;
    double seed;
    wac_foreign_point point;
    WAC_TRY(read_number(reader, SEED, 0, 1e15, &seed, "a whole number from 0", error));
    if (seed != floor(seed))
        return refuse(reader, SEED, "a whole number from 0", error);
    WAC_TRY(read_number(reader, STEP, 0, STEP_LIMIT, &point.step, "a number of steps", error));
    WAC_TRY(read_number(reader, VALUE, -1e300, 1e300, &point.value, "a number", error));
    WAC_TRY(find_run(foreign, reader, (int64_t)seed, error));
    return add_point(&foreign->runs[reader->last], point, reader->path, error);
}

/* By step; of equal ones in an order that does not depend on that of the rows. */
static int compare_points(const void *a, const void *b)
{
    const wac_foreign_point *x = a, *y = b;
    int order = (x->step > y->step) - (x->step < y->step);
    return order ? order : (x->value > y->value) - (x->value < y->value);
}

/* Sort the points, and take the mean of those at one step. */
static void tidy(wac_foreign_run *run)
{
    size_t kept = 0;
    qsort(run->points, run->count, sizeof *run->points, compare_points);
    for (size_t i = 0, next; i < run->count; i = next) {
        double sum = 0;
        for (next = i; next < run->count && run->points[next].step == run->points[i].step; next++)
            sum += run->points[next].value;
        run->points[kept++] = (wac_foreign_point){run->points[i].step, sum / (double)(next - i)};
    }
    run->count = kept;
}

static wac_status read_table(wac_foreign *foreign, reader *reader, char *text, wac_error *error)
{
    WAC_TRY(read_header(reader, strsep(&text, "\n"), error));
    for (char *line; (line = strsep(&text, "\n"));) {
        reader->line++;
        if (*line && strcmp(line, "\r") != 0)
            WAC_TRY(read_row(foreign, reader, line, error));
    }
    if (foreign->count == 0)
        return wac_fail(error, WAC_STATUS_INPUT, "%s has no row with a value", reader->path);
    for (size_t i = 0; i < foreign->count; i++)
        tidy(&foreign->runs[i]);
    return WAC_STATUS_OK;
}

wac_status wac_foreign_parse(wac_foreign *foreign, char *text, size_t size, const char *path,
                             wac_error *error)
{
    *foreign = (wac_foreign){.path = path};
    if (memchr(text, 0, size))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is not text; check that it is a CSV file and was copied whole", path);
    reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return wac_fail_memory(error, path);
    reader->path = path;
    text[size] = 0;
    wac_status status = read_table(foreign, reader, text, error);
    free(reader);
    if (status != WAC_STATUS_OK)
        wac_foreign_free(foreign);
    return status;
}

wac_status wac_foreign_read(wac_foreign *foreign, const char *path, wac_error *error)
{
    char *text;
    size_t size;
    *foreign = (wac_foreign){0};
    WAC_TRY(wac_file_read(&text, &size, path, SIZE_LIMIT, error));
    wac_status status = wac_foreign_parse(foreign, text, size, path, error);
    free(text);
    return status;
}

void wac_foreign_free(wac_foreign *foreign)
{
    for (size_t i = 0; i < foreign->count; i++)
        free(foreign->runs[i].points);
    free(foreign->runs);
    *foreign = (wac_foreign){0};
}

/* --- on our epochs ------------------------------------------------------------------------- */

static double step_of(const wac_config *config, double epoch)
{
    double spacing = config->explore_steps > 0 ? (double)config->explore_steps : 1000;
    return (double)config->initial_steps + epoch * spacing;
}

int64_t wac_foreign_epochs(const wac_foreign_run *run, const wac_config *config)
{
    double start = step_of(config, 0), spacing = step_of(config, 1) - start;
    double last = run->points[run->count - 1].step;
    return last < start ? 0 : (int64_t)((last - start) / spacing);
}

wac_status wac_foreign_place(wac_history *history, const wac_foreign_run *run,
                             const wac_config *config, wac_error *error)
{
    int64_t reached = wac_foreign_epochs(run, config);
    size_t rows = (size_t)(reached < config->epochs ? reached : config->epochs) + 1;
    /* epoch, steps, return, and one column for all that is not there */
    double *cells = malloc(4 * rows * sizeof *cells);
    *history = (wac_history){0};
    if (!cells)
        return wac_fail_memory(error, "the runs of a table");
    double *nothing = cells + 3 * rows;
    history->rows = rows;
    for (int i = 0; i < WAC_COLUMN_TOTAL; i++)
        history->columns[i] = nothing;
    history->columns[WAC_COLUMN_EPOCH] = cells;
    history->columns[WAC_COLUMN_ENV_STEPS] = cells + rows;
    history->columns[WAC_COLUMN_EVAL_RETURN] = cells + 2 * rows;
    size_t next = 0;
    for (size_t row = 0; row < rows; row++) {
        double step = step_of(config, (double)row);
        while (next < run->count && run->points[next].step <= step)
            next++;
        cells[row] = (double)row;
        cells[rows + row] = step;
        cells[2 * rows + row] = next > 0 ? run->points[next - 1].value : NAN;
        nothing[row] = NAN;
    }
    return WAC_STATUS_OK;
}

/* --- beside ours --------------------------------------------------------------------------- */

/* A run on its way out of a table. */
typedef struct arrival {
    const wac_foreign_run *run;
    bool alone;               /* none of our runs is in its task */
    int64_t reached, longest; /* epochs: its own, and of any run of the same algorithm */
} arrival;

/* What a table calls its algorithm; with the file's name where ours are called so. */
static void name_foreign(wac_record *record, const char *algorithm, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    char clipped[WAC_CLIP_SIZE];
    bool ours = false;
    for (int i = 0; i < WAC_ALGORITHM_TOTAL; i++) {
        const char *name = wac_algorithm_name((wac_algorithm)i);
        size_t length = strlen(name);
        ours |= strncasecmp(algorithm, name, length) == 0 &&
                (!algorithm[length] || algorithm[length] == ' ');
    }
    wac_clip(clipped, file);
    snprintf(record->algorithm, sizeof record->algorithm, ours ? "%s (%.*s)" : "%s", algorithm,
             (int)strcspn(clipped, "."), clipped);
}

/* The preset of an environment that a table names: of ours, if that is what it means. */
static wac_status init_foreign(wac_config *config, const char *name, wac_error *error)
{
    char lower[sizeof config->environment];
    const wac_environment_type *type;
    snprintf(lower, sizeof lower, "%s", name);
    for (char *letter = lower; *letter; letter++)
        *letter = *letter >= 'A' && *letter <= 'Z' ? (char)(*letter - 'A' + 'a') : *letter;
    bool ours = !wac_environment_is_plugin(lower) && !wac_environment_is_model(lower) &&
                wac_environment_type_find(&type, lower, NULL) == WAC_STATUS_OK;
    return wac_config_init(config, ours ? lower : name, NULL, error);
}

/* The first of our `count` runs whose task a run on the preset's environment joins, or null. */
static const wac_record *find_peer(const wac_runset *set, size_t count, const wac_config *preset)
{
    char name[WAC_ENVIRONMENT_NAME], other[WAC_ENVIRONMENT_NAME];
    const wac_record *first = NULL, *usual = NULL;
    bool several = false;
    wac_environment_name(name, preset);
    for (size_t i = 0; i < count; i++) {
        const wac_record *run = &set->runs[i];
        if (strcasecmp(name, wac_environment_name(other, &run->config)) != 0)
            continue;
        first = first ? first : run;
        several |= wac_task_compare(&first->config, &run->config) != 0;
        if (!usual && wac_task_compare(&run->config, preset) == 0)
            usual = run;
    }
    return several ? usual : first;
}

static wac_status adopt(wac_runset *set, size_t ours, arrival *arrival, const char *path,
                        wac_error *error)
{
    wac_record *record = &set->runs[set->count];
    wac_config *config = &record->config;
    *record = (wac_record){0};
    WAC_TRY(init_foreign(config, arrival->run->environment, error));
    const wac_record *peer = find_peer(set, ours, config);
    if (peer)
        *config = peer->config;
    config->algorithm = WAC_ALGORITHM_TOTAL;
    config->seed = arrival->run->seed;
    config->stop_success = 0;
    name_foreign(record, arrival->run->algorithm, path);
    arrival->alone = !peer;
    arrival->reached = wac_foreign_epochs(arrival->run, config);
    if (asprintf(&record->path, "%s: %s", path, arrival->run->run) < 0) {
        record->path = NULL;
        return wac_fail_memory(error, "the list of runs");
    }
    set->count++;
    return WAC_STATUS_OK;
}

/* Of tables: all of one environment are in one task. */
static bool is_same_task(const wac_record *a, const wac_record *b)
{
    char one[WAC_ENVIRONMENT_NAME], other[WAC_ENVIRONMENT_NAME];
    return strcmp(wac_environment_name(one, &a->config), wac_environment_name(other, &b->config)) ==
           0;
}

/* How far runs go that none of ours stands beside: as far as the shortest algorithm does. */
static void find_lengths(wac_record *records, arrival *arrivals, size_t count)
{
    enum { MOST = 1000000 }; /* as the setting has it */
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (strcmp(records[i].algorithm, records[k].algorithm) == 0 &&
                is_same_task(&records[i], &records[k]) && arrivals[k].reached > arrivals[i].longest)
                arrivals[i].longest = arrivals[k].reached;
    for (size_t i = 0; i < count; i++) {
        int64_t shortest = MOST;
        for (size_t k = 0; k < count; k++)
            if (is_same_task(&records[i], &records[k]) && arrivals[k].longest < shortest)
                shortest = arrivals[k].longest;
        if (arrivals[i].alone)
            records[i].config.epochs = shortest;
    }
}

static wac_status adopt_all(wac_runset *set, const wac_foreign *tables, size_t count,
                            arrival *arrivals, wac_error *error)
{
    size_t ours = set->count, next = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < tables[i].count; k++) {
            arrivals[next].run = &tables[i].runs[k];
            WAC_TRY(adopt(set, ours, &arrivals[next++], tables[i].path, error));
        }
    find_lengths(set->runs + ours, arrivals, next);
    for (size_t i = 0; i < next; i++) {
        wac_record *record = &set->runs[ours + i];
        WAC_TRY(wac_foreign_place(&record->history, arrivals[i].run, &record->config, error));
        record->finished = record->history.rows > (size_t)record->config.epochs;
    }
    return WAC_STATUS_OK;
}

wac_status wac_foreign_join(wac_runset *set, const wac_foreign *tables, size_t count,
                            wac_error *error)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += tables[i].count;
    if (total == 0)
        return WAC_STATUS_OK;
    wac_record *runs = realloc(set->runs, (set->count + total) * sizeof *runs);
    set->runs = runs ? runs : set->runs;
    arrival *arrivals = calloc(total, sizeof *arrivals);
    wac_status status = runs && arrivals ? adopt_all(set, tables, count, arrivals, error)
                                         : wac_fail_memory(error, "the list of runs");
    free(arrivals);
    return status;
}
