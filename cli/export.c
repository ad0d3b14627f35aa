/* wac export: a trained policy for elsewhere. */
#include "cli.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"

#include "base/suggest.h"
#include "base/words.h"
#include "export/compiled.h"
#include "export/export.h"
#include "export/onnx.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char help[] =
    "wac export: a trained policy for elsewhere\n"
    "\n"
    "Usage\n"
    "  wac export RUN --to c|onnx|safetensors [--out FILE] [--with-value]\n"
    "             [--weights float|int8] [--policy last|best] [--evaluate]\n"
    "             [--episodes N]\n"
    "\n"
    "RUN is the folder of a run. Writes the policy that training evaluates, as its\n"
    "last checkpoint left it, into one new file. It takes raw observations and\n"
    "returns actions, both in the world's own units: all scaling is inside. What\n"
    "was written is read again (C: compiled, where there is a cc) and compared with\n"
    "the library on 10000 random observations and on those of some episodes.\n"
    "\n"
    "  c             a header in C99, single precision: no library, no memory taken,\n"
    "                weights are constants; with recorded rows and a self-test\n"
    "  onnx          opset 13; observation [batch, N] to action [batch, M]\n"
    "  safetensors   the arrays by name; the formula is in the metadata\n"
    "\n"
    "Flags\n"
    "  --to FORM           which of these\n"
    "  --out FILE          the new file; without it that is named after the run, in\n"
    "                      this folder. In C its name begins every identifier\n"
    "  --with-value        the critics, too: what an action is believed to be worth\n"
    "                      and, with WAC, how unsure that is\n"
    "  --weights KIND      int8: a quarter of the size (C only); what that costs in\n"
    "                      accuracy and return is measured and told\n"
    "  --policy NAME       last, or best: as it was when training found it best (of\n"
    "                      runs with keep_best)\n"
    "  --evaluate          play the exported policy in the world, and the library's\n"
    "                      from the same starts\n"
    "  --episodes N        how many episodes to play (10)\n"
    "\n"
    "Examples\n"
    "  wac export runs/riverswim-oe-wac-1 --to c --out river.h\n"
    "  wac export runs/halfcheetah-sac-1 --to c --weights int8\n"
    "  wac export runs/halfcheetah-sac-1 --to onnx --with-value --evaluate\n";

static const char *form, *out, *weights = "float", *policy = "last";
static bool with_value, evaluate;
static int64_t episodes = 10;
static const cli_option options[] = {
    {"to", .text = &form},
    {"out", .text = &out},
    {"with-value", .on = &with_value},
    {"weights", .text = &weights},
    {"policy", .text = &policy},
    {"evaluate", .on = &evaluate},
    {"episodes", .count = &episodes, .smallest = 1, .largest = 100000},
    {0},
};

/* A file in this folder, named after the run; of a sweep "point_1_sac_seed_1": its folders, too. */
static void name_file(char *path, size_t size, const char *directory, int form)
{
    static const char *const endings[] = {".h", ".onnx", ".safetensors"};
    size_t length = strlen(directory), used = 0;
    while (length > 1 && directory[length - 1] == '/')
        length--;
    size_t start = length;
    for (int folders = 1; folders > 0 && start > 0; folders--) {
        start -= start < length; /* over the slash */
        while (start > 0 && directory[start - 1] != '/')
            start--;
        folders += start > 0 && strncmp(directory + start, "seed-", 5) == 0 ? 2 : 0;
    }
    for (size_t i = start; i < length && used < size - 16; i++)
        path[used++] = isalnum((unsigned char)directory[i]) ? directory[i] : '_';
    snprintf(path + used, size - used, "%s", endings[form]);
}

static void print_loss(const char *where, wac_export_distance distance)
{
    printf("%s %.2g at most, %.2g rms", where, distance.largest,
           sqrt(distance.square / (double)distance.entries));
}

static void print_report(const wac_export_options *how, const wac_export_report *report)
{
    printf("%s\n", how->path);
    printf("size        %" PRId64 " bytes", report->file_bytes);
    if (how->form == WAC_EXPORT_FORM_C)
        printf(" of text: %" PRId64 " of constants, %" PRId64 " of stack", report->cost.bytes,
               report->cost.stack);
    if (how->form == WAC_EXPORT_FORM_ONNX)
        printf(", opset %d", WAC_ONNX_OPSET);
    printf("\nwork        %" PRId64 " multiplications an action\n", report->cost.multiplications);
    printf("difference  %.2g of half an action's range at most, on %" PRId64 " random and\n"
           "            %" PRId64 " visited observations; ",
           report->difference.largest, report->random, report->visited);
    if (how->form != WAC_EXPORT_FORM_C)
        printf("the file was read again\n");
    else if (report->compiled)
        printf("compiled by %s, self-test passed\n", WAC_COMPILER);
    else
        printf("not compiled: no %s here\n", WAC_COMPILER);
    if (!isnan(report->value_difference) && !how->int8)
        printf("values      differ by %.2g of 1 + their size at most\n", report->value_difference);
    if (how->int8) {
        print_loss("int8        moves actions by", report->loss_visited);
        print_loss(" where it goes,\n           ", report->loss_random);
        printf(" anywhere\n");
    }
    if (report->evaluated)
        printf("return      %.5g +- %.3g std exported,\n"
               "            %.5g +- %.3g std in the library, of %" PRId64 " episodes\n",
               report->exported.mean_return, report->exported.std_return,
               report->library.mean_return, report->library.std_return, report->exported.episodes);
}

static int run(char **words)
{
    char path[512], forms[64];
    wac_words_join(forms, sizeof forms, WAC_EXPORT_FORMS);
    int chosen = form ? wac_word_index(WAC_EXPORT_FORMS, form) : -1;
    if (!form)
        return cli_refuse("what as? Give --to %s", forms);
    if (chosen < 0)
        return cli_refuse("--to must be %s, not \"%s\"", forms, WAC_CLIP(form));
    int kind = wac_word_index("float|int8", weights);
    if (kind < 0)
        return cli_refuse("--weights must be float or int8, not \"%s\"", WAC_CLIP(weights));
    if (kind == 1 && chosen != WAC_EXPORT_FORM_C)
        return cli_refuse("--weights int8 is for --to c only; leave it out");
    int best = wac_word_index("last|best", policy);
    if (best < 0)
        return cli_refuse("--policy must be last or best, not \"%s\"", WAC_CLIP(policy));

    name_file(path, sizeof path, words[0], chosen);
    wac_run *opened;
    wac_error error = {0};
    wac_export_report report;
    const wac_export_options how = {
        .form = (wac_export_form)chosen,
        .path = out ? out : path,
        .critics = with_value,
        .int8 = kind == 1,
        .evaluate = evaluate,
        .episodes = episodes,
    };
    wac_run_options opening = wac_run_options_default();
    opening.best = best == 1;
    opening.stop = cli_stop_on_signals("stopped at once");
    if (wac_run_open(&opened, words[0], NULL, &opening, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    wac_status status = wac_export(&report, opened, &how, &error);
    wac_run_destroy(opened);
    if (status != WAC_STATUS_OK)
        return cli_fail(&error);
    print_report(&how, &report);
    return CLI_OK;
}

const cli_command cli_export = {
    "export",
    "write a trained policy for elsewhere: C, ONNX, safetensors",
    help,
    run,
    options,
    1,
    "which run? Give its folder, as in: %s export runs/riverswim-oe-wac-1 --to c"};
