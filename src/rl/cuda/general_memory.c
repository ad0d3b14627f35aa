/* Where the arrays of an agent lie on a GPU, after those of a desk (rl/host/host.c). */
#include "rl/cuda/general_gpu.h"

#include "rl/bonus.h"
#include "rl/host/models.h"

/* Hand out pieces of a block, or only count them (base null). */
typedef struct dealer {
    char *base;
    size_t used, seats;
    size_t longest; /* array of a network, of one seat: so many numbers */
} dealer;

static void *deal_bytes(dealer *from, size_t bytes)
{
    enum { LINE = 256 };
    void *piece = from->base ? from->base + from->used : NULL;
    from->used += (bytes + LINE - 1) / LINE * LINE;
    return bytes ? piece : NULL;
}

/* so many numbers of every seat */
static void deal(dealer *from, wac_array *array, size_t count)
{
    *array = (wac_array){deal_bytes(from, from->seats * count * sizeof(float)), count};
}

static void *deal_long(dealer *from, size_t count)
{
    from->longest = count > from->longest ? count : from->longest;
    return deal_bytes(from, from->seats * count * sizeof(float));
}

static void deal_net(dealer *from, wac_general_net *net, const wac_stack *like, bool learns)
{
    size_t size = wac_stack_size(like);
    *net = (wac_general_net){.stack = *like, .seat = size};
    net->stack.params = deal_long(from, size);
    if (!learns)
        return;
    net->first = deal_long(from, size);
    net->second = deal_long(from, size);
    net->gradient = deal_long(from, size);
}

static void deal_trace(dealer *from, wac_general_trace *trace, const wac_stack *like, int places,
                       int capacity)
{
    size_t rows = (size_t)places * (size_t)capacity;
    *trace = (wac_general_trace){.places = places, .pass = {.capacity = capacity}};
    for (int i = 0, kept; (kept = wac_shape_kept(&like->shape, i)) > 0; i++)
        trace->pass.h[i] = deal_long(from, rows * (size_t)kept);
    trace->pass.out = deal_long(from, rows * (size_t)like->shape.outputs);
    trace->pass.spare = trace->pass.out; /* of which there is none */
}

static void note_sizes(wac_general_view *v, const wac_agent *agent)
{
    const wac_desk *desk = wac_host_desk(agent, 0);
    const wac_algorithm_row *row = agent->row;
    *v = (wac_general_view){
        .seat_count = agent->seats,
        .policies = agent->policies,
        .members = agent->members,
        .critics = agent->critics,
        .means = row->means,
        .stds = row->stds,
        .subset = row->subset,
        .quantiles = row->quantiles,
        .observations = agent->observations,
        .actions = agent->actions,
        .heads = desk->policies.shape.outputs,
        .rows = agent->rows,
        .synthetic = agent->synthetic,
        .outputs = desk->critics.shape.outputs,
        .particles = row->particles,
        .spread = desk->belief.spread,
        .deterministic = row->deterministic,
        .population = row->population,
        .shared = row->shared,
        .models = row->models,
        .model_inputs = desk->models.stack.shape.inputs,
        .model_outputs = desk->models.stack.shape.outputs,
        .pairs = wac_models_read_pairs(agent),
        .model_noise = (float)WAC_INFORMATION_NOISE,
    };
}

static void deal_networks(dealer *from, wac_general_gpu *gpu, const wac_agent *agent)
{
    const wac_desk *desk = wac_host_desk(agent, 0);
    int rows = agent->rows, critics = agent->critics;
    deal_net(from, &gpu->policies, &desk->policies, true);
    deal_net(from, &gpu->critics, &desk->critics, true);
    deal_net(from, &gpu->targets, &desk->targets, false);
    deal_net(from, &gpu->anchors, &desk->anchors, false);
    deal_net(from, &gpu->shadow, &desk->shadow, false);
    deal_trace(from, &gpu->policy_trace, &desk->policies, agent->policies, rows);
    deal_trace(from, &gpu->next_trace, &desk->policies, 1, rows);
    deal_trace(from, &gpu->critic_trace, &desk->critics, critics, rows + agent->synthetic);
    deal_trace(from, &gpu->anchor_trace, &desk->critics, desk->anchors.members, agent->synthetic);
}

static void deal_drawn(dealer *from, wac_general_view *v, size_t capacity)
{
    size_t o = (size_t)v->observations, a = (size_t)v->actions, rows = (size_t)v->rows;
    size_t draws = rows * a, members = (size_t)v->members, synthetic = (size_t)v->synthetic;
    deal(from, &v->replay, capacity * (2 * o + a + 2));
    deal(from, &v->offset, o);
    deal(from, &v->scale, o);
    v->coverage = deal_bytes(from, from->seats * WAC_COVERAGE_BINS * sizeof *v->coverage);
    v->index = deal_bytes(from, from->seats * rows * sizeof *v->index);
    deal(from, &v->batch_observations, rows * o);
    deal(from, &v->batch_actions, draws);
    deal(from, &v->rewards, rows);
    deal(from, &v->next_observations, rows * o);
    deal(from, &v->terminals, rows);
    deal(from, &v->noise, (size_t)v->policies * draws);
    deal(from, &v->next_noise, members * draws);
    deal(from, &v->weight_noise, members > 1 ? members * draws : draws);
    deal(from, &v->masks, members * rows);
    deal(from, &v->drawn_pairs, (rows + synthetic) * (o + a));
}

static void deal_work(dealer *from, wac_general_view *v)
{
    size_t o = (size_t)v->observations, a = (size_t)v->actions, rows = (size_t)v->rows;
    size_t policies = (size_t)v->policies, critics = (size_t)v->critics;
    size_t critic_rows = critics * (rows + (size_t)v->synthetic), outputs = (size_t)v->outputs;
    size_t quantiles = v->quantiles ? (size_t)v->quantiles : 1;
    deal(from, &v->action, policies * rows * a);
    deal(from, &v->log_prob, policies * rows);
    deal(from, &v->next_action, rows * a);
    deal(from, &v->next_log_prob, rows);
    deal(from, &v->query, rows * (o + a));
    deal(from, &v->share, policies * rows);
    deal(from, &v->weight, policies * rows);
    deal(from, &v->factor, rows);
    deal(from, &v->mean_target, (size_t)v->members * rows * quantiles);
    deal(from, &v->std_target, rows * (size_t)v->spread);
    deal(from, &v->bound, rows);
    deal(from, &v->dout, critic_rows * outputs);
    deal(from, &v->dactions, critic_rows * a);
    deal(from, &v->daction, policies * rows * a);
    deal(from, &v->dheads, policies * rows * (size_t)v->heads);
    deal(from, &v->errors, v->quantiles || v->shared ? critic_rows * outputs : 0);
}

static void deal_sums(dealer *from, wac_general_sums *sums, const wac_normaliser *like)
{
    size_t size = (size_t)like->size;
    *sums =
        (wac_general_sums){.size = like->size, .least = like->least, .limit = (float)like->limit};
    sums->sums = deal_bytes(from, from->seats * (1 + 2 * size) * sizeof(double));
    deal(from, &sums->offset, size);
    deal(from, &sums->scale, size);
}

static void deal_models(dealer *from, wac_general_gpu *gpu, const wac_agent *agent)
{
    const wac_models *own = &wac_host_desk(agent, 0)->models;
    wac_general_view *v = &gpu->view;
    size_t rows = (size_t)v->rows, a = (size_t)v->actions, models = (size_t)v->models;
    int all = v->pairs ? 2 * v->rows : v->rows;
    size_t outputs = (size_t)v->model_outputs, capacity = (size_t)all;
    deal_net(from, &gpu->models, &own->stack, true);
    deal_net(from, &gpu->random, &own->random, false);
    deal_trace(from, &gpu->model_trace, &own->stack, v->models, all);
    deal_trace(from, &gpu->random_trace, &own->stack, own->random.members, v->rows);
    deal_trace(from, &gpu->shadow_trace, &wac_host_desk(agent, 0)->policies, 1, v->rows);
    deal_sums(from, &v->model_sums[0], &own->inputs);
    deal_sums(from, &v->model_sums[1], &own->outputs);
    deal_sums(from, &v->model_sums[2], &own->bonuses);
    deal(from, &v->shadow_noise, rows * a);
    deal(from, &v->shadow_action, rows * a);
    deal(from, &v->shadow_log_prob, rows);
    deal(from, &v->model_x, capacity * (size_t)v->model_inputs);
    deal(from, &v->model_target, rows * outputs);
    deal(from, &v->model_dout, models * capacity * outputs);
    deal(from, &v->model_wishes, models * capacity * a);
    deal(from, &v->model_bonus, capacity);
    deal(from, &v->model_slope, rows * a);
    deal(from, &v->model_share, outputs);
    deal(from, &v->next_bonus, rows);
}

static void deal_optimist(dealer *from, wac_general_gpu *gpu, const wac_agent *agent)
{
    const wac_stack *own = &wac_host_desk(agent, 0)->optimist.stack;
    wac_general_view *v = &gpu->view;
    size_t rows = (size_t)v->rows, o = (size_t)v->observations, a = (size_t)v->actions;
    deal_net(from, &gpu->optimist, own, true);
    deal_trace(from, &gpu->optimist_trace, own, 1, v->rows);
    deal(from, &v->optimist_noise, rows * a);
    deal(from, &v->optimist_x, rows * (o + a));
    deal(from, &v->optimist_action, rows * a);
    deal(from, &v->optimist_dshift, rows * a);
    deal(from, &v->optimist_divergence, rows);
}

size_t wac_general_lay_out(wac_general_gpu *gpu, const wac_agent *agent, int64_t capacity,
                           char *base)
{
    dealer from = {.base = base, .seats = (size_t)agent->seats};
    note_sizes(&gpu->view, agent);
    gpu->view.seats = deal_bytes(&from, from.seats * sizeof *gpu->view.seats);
    deal_networks(&from, gpu, agent);
    deal_drawn(&from, &gpu->view, (size_t)capacity);
    deal_work(&from, &gpu->view);
    if (agent->row->bonus)
        deal_models(&from, gpu, agent);
    if (agent->row->optimist)
        deal_optimist(&from, gpu, agent);
    gpu->longest = from.longest;
    return from.used;
}
