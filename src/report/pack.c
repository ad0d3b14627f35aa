/* Which runs go into an archive, under which names, and whose networks with them. */
#include "report/pack.h"

#include "base/files.h"
#include "base/status.h"
#include "report/maps.h"
#include "run/packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct item {
    char *name; /* in the archive */
    const wac_record *run;
} item;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const item *)a)->name, ((const item *)b)->name);
}

/* Cut the path of an archive out of that of a run in it. */
static void leave_archives(char *name)
{
    for (char *at; (at = strstr(name, WAC_PACKED_RUNS "/"));)
        memmove(at, at + strlen(WAC_PACKED_RUNS "/"), strlen(at + strlen(WAC_PACKED_RUNS)));
}

/* What is below the root; of a run that was given itself its last part. */
static wac_status name_run(item *item, const wac_pack_options *options, wac_error *error)
{
    const char *path = item->run->path, *rest = NULL;
    for (size_t i = 0; i < options->root_count && !rest; i++) {
        const char *root = options->roots[i];
        size_t length = strlen(root);
        while (length > 1 && root[length - 1] == '/')
            length--;
        if (strncmp(path, root, length) == 0 && (path[length] == '/' || root[length - 1] == '/'))
            rest = path + length;
    }
    const char *slash = strrchr(path, '/');
    if (!rest)
        rest = slash ? slash : path;
    rest += strspn(rest, "/");
    item->name = strdup(strspn(rest, ".") == strlen(rest) ? "run" : rest); /* "." is no name */
    if (!item->name)
        return wac_fail_memory(error, "the archive");
    leave_archives(item->name);
    return WAC_STATUS_OK;
}

/* Whether the networks of a run are kept: a map shows it, or somebody kept them before. */
static bool is_shown(const wac_runset *set, const wac_record *run, const wac_pack_options *options)
{
    const wac_experiment *experiment = options->experiment;
    const wac_selection all = {set, NULL};
    if (wac_maps_run(&set->groups[run->group]) != run)
        return false;
    bool shown = options->maps || run->manifest.packed;
    for (int i = 0; experiment && i < experiment->figure_count; i++)
        shown |= experiment->figures[i].kind == WAC_FIGURE_KIND_MAPS &&
                 wac_figure_means(&experiment->figures[i], &all, run->group);
    return shown;
}

/* Whether anybody may ask for the cells of a run: not where the experiment is known, and does not.
 */
static bool are_cells_read(const wac_experiment *experiment)
{
    bool any = !experiment;
    for (int i = 0; experiment && i < experiment->figure_count; i++)
        any |= wac_measure_reads_cells(experiment->figures[i].measure);
    for (int i = 0; experiment && i < experiment->claim_count; i++)
        for (int k = 0; k < experiment->claims[i].count; k++) {
            const wac_claim_part *part = &experiment->claims[i].parts[k];
            any |= part->rule == WAC_RULE_CORRELATION || wac_measure_reads_cells(part->measure);
        }
    return any;
}

static wac_status list_runs(item *items, const wac_runset *set, const wac_pack_options *options,
                            wac_error *error)
{
    for (size_t i = 0; i < set->count; i++) {
        items[i].run = &set->runs[i];
        if (wac_record_is_foreign(items[i].run))
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s is of another program; only runs of this one can be packed",
                            items[i].run->path);
        WAC_TRY(name_run(&items[i], options, error));
    }
    qsort(items, set->count, sizeof *items, by_name);
    for (size_t i = 1; i < set->count; i++)
        if (strcmp(items[i - 1].name, items[i].name) == 0)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s and %s would both be called %s in the archive; pack them one by "
                            "one, or a folder above both",
                            items[i - 1].run->path, items[i].run->path, items[i].name);
    return WAC_STATUS_OK;
}

static wac_status write_archive(const item *items, const wac_runset *set,
                                const wac_pack_options *options, size_t *networks, wac_error *error)
{
    wac_archive *archive;
    wac_status status = WAC_STATUS_OK;
    unsigned cells = are_cells_read(options->experiment) ? WAC_PACKED_CELLS : 0;
    WAC_TRY(wac_archive_begin(&archive, options->out, error));
    for (size_t i = 0; i < set->count && status == WAC_STATUS_OK; i++) {
        bool shown = is_shown(set, items[i].run, options);
        status =
            wac_packed_add(archive, items[i].name, items[i].run->folder,
                           cells | (shown ? WAC_PACKED_NETWORKS | WAC_PACKED_CELLS : 0), error);
        *networks += shown;
    }
    return wac_archive_commit(archive, status, error);
}

wac_status wac_pack(const wac_runset *set, const wac_pack_options *options, size_t *networks,
                    wac_error *error)
{
    item *items = calloc(set->count + 1, sizeof *items);
    *networks = 0;
    if (!items)
        return wac_fail_memory(error, "the archive");
    wac_status status = list_runs(items, set, options, error);
    if (status == WAC_STATUS_OK)
        status = write_archive(items, set, options, networks, error);
    for (size_t i = 0; i < set->count; i++)
        free(items[i].name);
    free(items);
    return status;
}
