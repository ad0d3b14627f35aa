/* Writing tables. */
#include "report/table.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/stream.h"
#include "config/config.h"
#include "config/environments.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void wac_table_text(FILE *to, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

void wac_table_number(FILE *to, double number)
{
    char text[32];
    if (isnan(number))
        return;
    wac_number_print(text, sizeof text, "%.12g", number);
    fputs(text, to);
}

/* Settings that two of the runs read and have different values of. */
static void find_settings(bool differs[WAC_SETTINGS_TOTAL], const wac_selection *selection)
{
    const wac_runset *set = selection->set;
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    for (size_t s = 0; s < count; s++) {
        const wac_config *first = NULL;
        differs[s] = false;
        if (!wac_group_counts(&settings[s]) ||
            settings[s].offset == offsetof(wac_config, algorithm))
            continue;
        for (size_t i = 0; i < set->group_count && !differs[s]; i++) {
            const wac_config *config = &set->groups[i].runs[0]->config;
            if (!wac_selection_has(selection, i) || !wac_config_reads(config, &settings[s]))
                continue;
            differs[s] = first && wac_setting_compare(&settings[s], first, config) != 0;
            first = first ? first : config;
        }
    }
}

/* What all rows of a run begin with. */
static void write_run(FILE *to, const wac_record *run, const wac_group *group, const bool *differs)
{
    char text[WAC_ENVIRONMENT_NAME];
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    wac_table_text(to, run->path);
    fputc(',', to);
    wac_table_text(to, group->task_name);
    fprintf(to, ",%s,", wac_environment_name(text, &run->config));
    wac_table_text(to, run->algorithm);
    fprintf(to, ",%" PRId64, run->config.seed);
    for (size_t s = 0; s < count; s++) {
        if (!differs[s])
            continue;
        fputc(',', to);
        if (wac_config_reads(&run->config, &settings[s])) {
            wac_config_format(&run->config, &settings[s], text, sizeof text);
            fputs(text, to);
        }
    }
}

static void write_rows(FILE *to, const wac_record *run, const char *start, size_t size)
{
    const wac_history *history = &run->history;
    for (size_t row = 0; row < history->rows; row++)
        for (int column = 0; column < WAC_COLUMN_TOTAL; column++) {
            if (column == WAC_COLUMN_EPOCH || column == WAC_COLUMN_ENV_STEPS ||
                isnan(history->columns[column][row]))
                continue;
            fwrite(start, 1, size, to);
            fprintf(to, ",%zu,", row);
            wac_table_number(to, history->columns[WAC_COLUMN_ENV_STEPS][row]);
            fprintf(to, ",%s,", wac_columns[column].name);
            wac_table_number(to, history->columns[column][row]);
            fputc('\n', to);
        }
}

/* False where memory ran out. */
static bool write_table(FILE *to, const wac_selection *selection)
{
    const wac_runset *set = selection->set;
    bool differs[WAC_SETTINGS_TOTAL], whole = true;
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    find_settings(differs, selection);
    fputs("run,task,environment,algorithm,seed", to);
    for (size_t s = 0; s < count; s++)
        if (differs[s])
            fprintf(to, ",%s", settings[s].name);
    fputs(",epoch,step,measure,value\n", to);
    for (size_t i = 0; i < set->count && whole; i++) {
        const wac_record *run = &set->runs[i];
        if (!wac_selection_has(selection, run->group))
            continue;
        wac_stream line;
        whole = wac_stream_open(&line);
        if (!whole)
            break;
        write_run(line.to, run, &set->groups[run->group], differs);
        whole = wac_stream_close(&line);
        if (whole)
            write_rows(to, run, line.text, line.size);
        free(line.text);
    }
    return whole;
}

/* --- a file that is written whole or not at all, as a stream --------------------------------- */

static ssize_t pass_on(void *cookie, const char *bytes, size_t size)
{
    wac_writer_add(cookie, bytes, size);
    return (ssize_t)size; /* the writer keeps what went wrong */
}

wac_status wac_table_write(const char *path, const wac_selection *selection, wac_error *error)
{
    enum { BUFFER = 1 << 16 };
    wac_writer writer;
    wac_writer_begin(&writer, path);
    FILE *to = fopencookie(&writer, "w", (cookie_io_functions_t){.write = pass_on});
    bool whole = to && setvbuf(to, NULL, _IOFBF, BUFFER) == 0 && write_table(to, selection);
    if (to && fclose(to) != 0)
        whole = false;
    if (!whole && !writer.failure)
        writer.failure = ENOMEM;
    return wac_writer_commit(&writer, error);
}
