/* Writing headers. The code in them is the text of inference.h, under other names. */
#include "export/header.h"

#include "base/number.h"
#include "export/inference_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

void wac_header_name(char name[WAC_HEADER_NAME], const char *path)
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
    size_t size = strcspn(from, "."), used = 0;
    if (!isalpha((unsigned char)*from))
        used = (size_t)snprintf(name, WAC_HEADER_NAME, "policy_");
    for (size_t i = 0; i < size && used < WAC_HEADER_NAME - 1; i++)
        name[used++] = isalnum((unsigned char)from[i]) ? from[i] : '_';
    name[used] = 0;
}

wac_header_cost wac_header_cost_of(const wac_portable *portable)
{
    const wac_export_policy *policy = &portable->policy;
    int64_t numbers = 2 * (int64_t)policy->observations + 2 * (int64_t)policy->actions, weights = 0;
    bool whole = policy->actor.scale[0];
    wac_header_cost cost = {.multiplications = policy->observations + policy->actions};
    for (int i = 0; i < wac_portable_networks(portable); i++)
        for (int l = 0; l < wac_portable_layers(portable, i); l++) {
            int64_t outputs = wac_portable_outputs(portable, i, l);
            int64_t products = outputs * wac_portable_inputs(portable, i, l);
            weights += products;
            numbers += whole ? 2 * outputs : outputs;
            if (i == 0)
                cost.multiplications += products + (whole ? outputs : 0);
        }
    int inputs = policy->observations + (policy->means ? policy->actions : 0);
    cost.bytes = weights * (whole ? 1 : 4) + numbers * 4;
    cost.stack = 4 * (inputs + (int64_t)wac_portable_work(portable));
    return cost;
}

/* A text with the header's own names in it. */
static void print_renamed(FILE *to, const char *text, size_t size, const char *lower,
                          const char *upper)
{
    static const char small[] = "wac_export_", capital[] = "WAC_EXPORT_";
    const size_t prefix = sizeof small - 1;
    for (const char *at = text, *end = text + size; at < end;) {
        bool is_small = (size_t)(end - at) > prefix && memcmp(at, small, prefix) == 0;
        bool is_capital = (size_t)(end - at) > prefix && memcmp(at, capital, prefix) == 0;
        if (is_small || is_capital) {
            fprintf(to, "%s_", is_small ? lower : upper);
            at += prefix;
        } else {
            putc(*at++, to);
        }
    }
}

/* A part of inference.h: from a line of that title to the next such line. */
static void print_part(FILE *to, const char *title, const char *lower, const char *upper)
{
    const char *start = strstr(wac_inference_text, title);
    start = strchr(start, '\n') + 1;
    const char *end = strstr(start, "/* --- ");
    print_renamed(to, start, (size_t)(end - start), lower, upper);
}

/* `value` as a constant of C; returns its length. */
static int format_number(char text[48], float value, bool whole)
{
    if (whole)
        return snprintf(text, 48, "%d", (int)value);
    int length = wac_number_print(text, 40, "%.9g", (double)value);
    return length + snprintf(text + length, 8, "%sf", strpbrk(text, ".e") ? "" : ".");
}

static void print_array(FILE *to, const char *type, const char *name, const float *values,
                        size_t size, bool whole)
{
    enum { INDENT = 4, WIDEST = 100 };
    int column = WIDEST;
    fprintf(to, "static const %s %s[%zu] = {", type, name, size);
    for (size_t i = 0; i < size; i++) {
        char text[48];
        int length = format_number(text, values[i], whole) + 2; /* with a blank and a comma */
        bool fits = column + length <= WIDEST;
        fprintf(to, "%s%s,", fits ? " " : "\n    ", text);
        column = fits ? column + length : INDENT - 1 + length;
    }
    fprintf(to, "\n};\n");
}

/* NETWORK_LAYER, as a part of a name. */
static void print_label(char label[128], const wac_portable *portable, int network, int layer)
{
    char own[WAC_LAYER_NAME];
    wac_portable_layer(portable, network, layer, own);
    snprintf(label, 128, "%s_%s", portable->names[network], own);
    for (char *letter = label; *letter; letter++)
        if (*letter == '/')
            *letter = '_';
}

/* Arrays of a network are called NAME_NETWORK_LAYER_weight, _scale and _bias. */
static void print_network_arrays(FILE *to, const wac_portable *portable, int network,
                                 const char *name)
{
    const wac_export_network *net = wac_portable_network(portable, network);
    for (int l = 0; l < wac_portable_layers(portable, network); l++) {
        char label[256], type[128], own[128];
        size_t outputs = (size_t)wac_portable_outputs(portable, network, l);
        size_t inputs = (size_t)wac_portable_inputs(portable, network, l);
        print_label(own, portable, network, l);
        int length = snprintf(label, sizeof label, "%s_%s_", name, own);
        char *rest = label + length;
        snprintf(type, sizeof type, "%s_weight", name);
        snprintf(rest, 16, "weight");
        print_array(to, type, label, net->weight[l], inputs * outputs, net->scale[l]);
        snprintf(rest, 16, "scale");
        if (net->scale[l])
            print_array(to, "float", label, net->scale[l], outputs, false);
        snprintf(rest, 16, "bias");
        print_array(to, "float", label, net->bias[l], outputs, false);
    }
}

static void print_network(FILE *to, const wac_portable *portable, int network, const char *name)
{
    static const char *const parts[] = {"weight", "scale", "bias"};
    const wac_export_network *net = wac_portable_network(portable, network);
    fprintf(to,
            "{.inputs = %d, .outputs = %d, .width = %d, .hidden = %d, .blocks = %d, .after = %d",
            net->inputs, net->outputs, net->width, net->hidden, net->blocks, net->after);
    for (int part = 0; part < 3; part++) {
        if (part == 1 && !net->scale[0])
            continue;
        fprintf(to, ",\n     .%s = {", parts[part]);
        for (int l = 0; l < wac_portable_layers(portable, network); l++) {
            char own[128];
            print_label(own, portable, network, l);
            fprintf(to, "%s%s_%s_%s", l ? ", " : "", name, own, parts[part]);
        }
        fprintf(to, "}");
    }
    fprintf(to, "}");
}

static void print_units(FILE *to, const wac_portable *portable, const char *name)
{
    const wac_export_policy *policy = &portable->policy;
    const struct {
        const char *label;
        const float *values;
        int size;
    } arrays[] = {
        {"offset", policy->offset, policy->observations},
        {"factor", policy->factor, policy->observations},
        {"middle", policy->middle, policy->actions},
        {"half", policy->half, policy->actions},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        char label[128];
        snprintf(label, sizeof label, "%s_%s", name, arrays[i].label);
        print_array(to, "float", label, arrays[i].values, (size_t)arrays[i].size, false);
    }
}

static void print_policy(FILE *to, const wac_portable *portable, const char *name)
{
    const wac_export_policy *policy = &portable->policy;
    char kappa[48], limit[48];
    if (policy->means) {
        fprintf(to, "static const %s_network %s_critics[%d] = {\n", name, name,
                policy->means + policy->stds);
        for (int i = 1; i < wac_portable_networks(portable); i++) {
            fprintf(to, "    ");
            print_network(to, portable, i, name);
            fprintf(to, ",\n");
        }
        fprintf(to, "};\n");
    }
    format_number(limit, policy->limit, false);
    fprintf(to,
            "static const %s_policy %s_numbers = {\n"
            "    .observations = %d, .actions = %d,\n"
            "    .offset = %s_offset, .factor = %s_factor, .limit = %s,\n"
            "    .middle = %s_middle, .half = %s_half,\n"
            "    .actor =\n    ",
            name, name, policy->observations, policy->actions, name, name, limit, name, name);
    print_network(to, portable, 0, name);
    fprintf(to, ",\n");
    format_number(kappa, policy->kappa, false);
    if (policy->means)
        fprintf(to, "    .critics = %s_critics, .means = %d, .stds = %d, .kappa = %s,\n", name,
                policy->means, policy->stds, kappa);
    fprintf(to, "};\n\n");
}

static void print_rows(FILE *to, const char *name, const char *label,
                       float rows[][WAC_ENVIRONMENT_DIMENSIONS], int count, int size)
{
    fprintf(to, "static const float %s_%s[%d][%d] = {\n", name, label, count, size);
    for (int r = 0; r < count; r++) {
        fprintf(to, "    {");
        for (int i = 0; i < size; i++) {
            char text[48];
            format_number(text, rows[r][i], false);
            fprintf(to, "%s%s", i ? (i % 6 ? ", " : ",\n     ") : "", text);
        }
        fprintf(to, "},\n");
    }
    fprintf(to, "};\n");
}

static void print_self_test(FILE *to, const wac_portable *portable, const wac_record *record,
                            const char *name)
{
    const wac_export_policy *policy = &portable->policy;
    wac_record rows = *record;
    print_rows(to, name, "recorded_observations", rows.observations, rows.rows,
               policy->observations);
    print_rows(to, name, "recorded_actions", rows.actions, rows.rows, policy->actions);
    char tolerance[48];
    format_number(tolerance, record->tolerance, false);
    fprintf(to,
            "\nint %s_self_test(void)\n"
            "{\n"
            "    int row, i, wrong = 0;\n"
            "    for (row = 0; row < %d; row++) {\n"
            "        float action[%d];\n"
            "        int same = 1;\n"
            "        %s_act(%s_recorded_observations[row], action);\n"
            "        for (i = 0; i < %d; i++) {\n"
            "            float off = action[i] - %s_recorded_actions[row][i];\n"
            "            float most = %s * %s_half[i];\n"
            "            same &= off <= most && off >= -most;\n"
            "        }\n"
            "        wrong += !same;\n"
            "    }\n"
            "    return wrong;\n"
            "}\n",
            name, record->rows, policy->actions, name, name, policy->actions, name, tolerance,
            name);
}

static void print_declarations(FILE *to, const wac_portable *portable, const char *name,
                               const char *upper)
{
    const wac_export_policy *policy = &portable->policy;
    fprintf(
        to,
        "#ifndef %s_H\n#define %s_H\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "#define %s_OBSERVATIONS %d\n"
        "#define %s_ACTIONS %d\n\n"
        "/* What the policy does: a raw observation [%s_OBSERVATIONS], an action [%s_ACTIONS],\n"
        " * both in the world's own units. */\n"
        "void %s_act(const float *observation, float *action);\n\n",
        upper, upper, upper, policy->observations, upper, policy->actions, upper, upper, name);
    if (policy->means)
        fprintf(to,
                "/* What the critics believe an action is worth%s. */\n"
                "void %s_value(const float *observation, const float *action, float *mean,\n"
                "    float *std);\n\n",
                policy->stds ? ", and how unsure they are of it" : "; std is 0", name);
    fprintf(to,
            "/* How many of the recorded rows come out otherwise: 0 where all is well. */\n"
            "int %s_self_test(void);\n\n"
            "#ifdef __cplusplus\n}\n#endif\n#endif\n\n",
            name);
}

static void print_calls(FILE *to, const wac_portable *portable, const char *name)
{
    const wac_export_policy *policy = &portable->policy;
    int work = policy->observations + wac_portable_work(portable);
    fprintf(to,
            "void %s_act(const float *observation, float *action)\n"
            "{\n"
            "    float work[%d];\n"
            "    %s_act_by(&%s_numbers, observation, action, work);\n"
            "}\n\n",
            name, work, name, name);
    if (policy->means)
        fprintf(to,
                "void %s_value(const float *observation, const float *action, float *mean,\n"
                "    float *std)\n"
                "{\n"
                "    float work[%d];\n"
                "    %s_value_by(&%s_numbers, observation, action, mean, std, work);\n"
                "}\n\n",
                name, work + policy->actions, name, name);
}

void wac_header_print(FILE *to, const wac_portable *portable, const wac_record *record,
                      const char *name, const char *about)
{
    const wac_export_policy *policy = &portable->policy;
    char upper[WAC_HEADER_NAME];
    for (size_t i = 0; i < sizeof upper; i++)
        upper[i] = (char)toupper((unsigned char)name[i]);
    fprintf(
        to,
        "%s"
        " *\n"
        " * In one source file of a program:\n"
        " *\n"
        " *     #define %s_IMPLEMENTATION\n"
        " *     #include \"%s.h\"\n"
        " *\n"
        " * C99 in single precision, without a library, memory taken or state kept: it may be\n"
        " * called from several threads or interrupts at once. How long an action takes depends\n"
        " * on how many hidden units it finds at zero. */\n",
        about, upper, name);
    print_declarations(to, portable, name, upper);
    fprintf(to,
            "#if defined(%s_IMPLEMENTATION) && !defined(%s_IMPLEMENTED)\n"
            "#define %s_IMPLEMENTED\n\n"
            "#include <stdint.h>\n\n"
            "typedef %s %s_weight;\n\n",
            upper, upper, upper, policy->actor.scale[0] ? "int8_t" : "float", name);
    int layers = 0;
    for (int i = 0; i < wac_portable_networks(portable); i++)
        layers =
            wac_portable_layers(portable, i) > layers ? wac_portable_layers(portable, i) : layers;
    const char *kind = policy->actor.after    ? "normalised"
                       : policy->actor.blocks ? "residual"
                                              : "plain";
    char title[32];
    snprintf(title, sizeof title, "/* --- %s --- */", kind);
    fprintf(to, "enum { %s_LAYERS = %d }; /* of a network */\n\n", upper, layers);
    print_part(to, "/* --- network --- */", name, upper);
    if (policy->actor.blocks)
        print_part(to, "/* --- norm --- */", name, upper);
    print_part(to, title, name, upper);
    fprintf(to, "#define %s_forward %s_%s\n\n", name, name, kind);
    print_part(to, "/* --- policy --- */", name, upper);
    if (policy->means)
        print_part(to, "/* --- value --- */", name, upper);
    fprintf(to, "\n");
    print_units(to, portable, name);
    for (int i = 0; i < wac_portable_networks(portable); i++)
        print_network_arrays(to, portable, i, name);
    print_policy(to, portable, name);
    print_calls(to, portable, name);
    print_self_test(to, portable, record, name);
    fprintf(to, "\n#endif\n");
}
