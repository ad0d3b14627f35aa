/* Taking over an agent. */
#include "run/inherit.h"

#include "base/status.h"
#include "config/config.h"
#include "rl/save.h"
#include "rl/steps.h"
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

wac_status wac_origin_of(wac_origin *origin, const wac_run_options *options, wac_error *error)
{
    *origin = (wac_origin){.best = options->best};
    if (options->from && !realpath(options->from, origin->run))
        return wac_fail(error, WAC_STATUS_INPUT, "there is no run %s to begin with: %s",
                        options->from, strerror(errno));
    return WAC_STATUS_OK;
}

/* Whether an agent fits: the world may be another, if it looks the same. */
static wac_status check(const wac_run *run, const wac_run *source, wac_error *error)
{
    const wac_config *own = &run->config, *other = &source->config;
    int64_t residual = own->network != WAC_NETWORK_PLAIN;
    const struct {
        const char *name, *flag; /* flag: by which it can be had; null: none */
        int64_t own, other;
    } sizes[] = {
        {"width", "width", own->width, other->width},
        {"layers", "layers", !residual * own->layers, !residual * other->layers},
        {"blocks", "blocks", residual * own->blocks, residual * other->blocks},
        {"policy_width", "policy-width", residual * own->policy_width,
         residual * other->policy_width},
        {"policy_blocks", "policy-blocks", residual * own->policy_blocks,
         residual * other->policy_blocks},
        {"number of members", "members", run->agent->members, source->agent->members},
        {"number of critics", "critics", run->agent->critics, source->agent->critics},
        {"number of models", "models", run->agent->row->models, source->agent->row->models},
        {"number of quantiles", "quantiles", run->agent->row->quantiles,
         source->agent->row->quantiles},
        {"number of particles", "particles", run->agent->row->particles,
         source->agent->row->particles},
        {"number of observations", NULL, run->agent->observations, source->agent->observations},
        {"number of actions", NULL, run->agent->actions, source->agent->actions},
    };
    if (own->algorithm != other->algorithm)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s cannot be begun with: its algorithm is %s, not %s; add "
                        "--algorithm %s",
                        source->directory, wac_algorithm_name((wac_algorithm)other->algorithm),
                        wac_algorithm_name((wac_algorithm)own->algorithm),
                        wac_algorithm_name((wac_algorithm)other->algorithm));
    const struct {
        const char *name;
        int own, other;
        const char *word; /* of the other */
    } choices[] = {
        {"normalisation", own->normalisation, other->normalisation,
         other->normalisation == WAC_NORMALISATION_BOUNDS    ? "bounds"
         : other->normalisation == WAC_NORMALISATION_RUNNING ? "running"
                                                             : "none"},
        {"posterior", own->posterior, other->posterior,
         other->posterior == WAC_POSTERIOR_PARTICLES ? "particles" : "gaussian"},
        {"log_std", own->log_std, other->log_std,
         other->log_std == WAC_LOG_STD_BENT ? "bent" : "clamped"},
        {"network", own->network, other->network, wac_network_name((wac_network)other->network)},
        {"trunk", own->trunk, other->trunk, other->trunk == WAC_TRUNK_SHARED ? "shared" : "apart"},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].own != choices[i].other)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "the run %s cannot be begun with: its %s is another; add --%s %s",
                            source->directory, choices[i].name, choices[i].name, choices[i].word);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        long long theirs = sizes[i].other, ours = sizes[i].own;
        char way_out[64] = "";
        if (theirs == ours)
            continue;
        if (sizes[i].flag)
            snprintf(way_out, sizeof way_out, "; add --%s %lld", sizes[i].flag, theirs);
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s cannot be begun with: its %s is %lld, not %lld%s",
                        source->directory, sizes[i].name, theirs, ours, way_out);
    }
    return WAC_STATUS_OK;
}

static bool is_counter(const wac_agent_tensor *tensor)
{
    static const char counters[] = "counter/";
    return strncmp(tensor->name, counters, strlen(counters)) == 0;
}

/* The next array of the source into one of ours; both show them in the same order, but for
 * counters, which are each one's own. */
static wac_status take(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    const wac_agent_tensor **next = user;
    if (is_counter(tensor))
        return WAC_STATUS_OK;
    while (is_counter(*next))
        ++*next;
    const wac_agent_tensor *from = (*next)++;
    if (memcmp(from->shape, tensor->shape, sizeof from->shape) != 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run to begin with has a %s of another size: its world has other "
                        "states or actions, or its settings differ",
                        tensor->name);
    memcpy(tensor->data, from->data,
           (size_t)wac_agent_tensor_elements(from) * wac_dtype_size(from->dtype));
    return WAC_STATUS_OK;
}

static wac_status take_all(wac_run *run, wac_run *source, wac_save_list *list, wac_error *error)
{
    WAC_TRY(check(run, source, error));
    for (wac_state state = WAC_STATE_NETWORKS; state <= WAC_STATE_LEARNING; state++) {
        list->count = 0;
        WAC_TRY(source->agent->steps->visit(source->agent, 0, state, wac_save_add, list, error));
        const wac_agent_tensor *next = list->tensors;
        WAC_TRY(run->agent->steps->visit(run->agent, run->seat, state, take, &next, error));
        run->agent->steps->settle(run->agent, run->seat, state);
    }
    return WAC_STATUS_OK;
}

wac_status wac_run_inherit(wac_run *run, const wac_origin *origin, wac_error *error)
{
    wac_run *source;
    wac_config config;
    wac_save_list list = {0};
    wac_run_options how = wac_run_options_default();
    if (!*origin->run)
        return WAC_STATUS_OK;
    how.best = origin->best;
    /* a world that the library does not know, but this program */
    bool same = wac_folder_read_config(&config, origin->run, NULL) == WAC_STATUS_OK &&
                strcmp(config.environment, run->config.environment) == 0;
    WAC_TRY(wac_run_open(&source, origin->run, same ? run->world->type : NULL, &how, error));
    wac_status status = take_all(run, source, &list, error);
    free(list.tensors);
    wac_run_destroy(source);
    return status;
}
