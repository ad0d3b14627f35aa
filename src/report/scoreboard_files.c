/* A page for people, a table for papers (LaTeX with booktabs), and data for programs. */
#include "report/scoreboard_files.h"

#include "base/files.h"
#include "base/status.h"
#include "base/stream.h"
#include "report/claims_json.h"
#include "report/markup.h"

#include <string.h>

/* --- the page --------------------------------------------------------------------------------- */

static void write_claims(FILE *to, const wac_scoreboard *board)
{
    wac_html_table(to, "claims board", "#№|The paper says|Verdict|Numbers");
    for (size_t i = 0; i < board->count; i++) {
        const wac_score *score = &board->scores[i];
        char sources[WAC_SCORE_SOURCES], outlook[WAC_OUTLOOK];
        fprintf(to, "<tr><td class=\"n\">%d</td>", score->number);
        wac_html_tag(to, "<td>", score->says, "");
        wac_html_tag(to, "<br><span class=\"soft\">", wac_score_sources(sources, score),
                     "</span></td><td>");
        wac_html_verdict(to, score->judgement.verdict, score->judgement.leaning);
        if (*wac_judgement_outlook(outlook, &score->judgement))
            wac_html_tag(to, "<br><span class=\"soft\">", outlook, "</span>");
        fputs("</td><td>", to);
        if (score->judgement.verdict == WAC_VERDICT_NOT_RUN) {
            for (size_t k = 0; k < score->judgement.count; k++)
                wac_html_tag(to, k ? "<br>" : "", score->judgement.findings[k].text, "");
            fputs("</td></tr>\n", to);
            continue;
        }
        fprintf(to, "<details><summary>%zu finding%s</summary><ul>", score->judgement.count,
                score->judgement.count == 1 ? "" : "s");
        for (size_t k = 0; k < score->judgement.count; k++)
            wac_html_finding(to, &score->judgement.findings[k],
                             score->judged_by[k]->experiment->name);
        fputs("</ul></details></td></tr>\n", to);
    }
    wac_html_table_end(to);
}

static void write_experiments(FILE *to, const wac_scoreboard *board)
{
    fputs("<h2>Experiments</h2>\n", to);
    wac_html_table(to, "stack", "experiment|scale|#runs|#finished|folder");
    for (size_t i = 0; i < board->experiment_count; i++) {
        const wac_scored *scored = &board->experiments[i];
        char scale[WAC_SCALE_TITLE];
        wac_html_tag(to, "<tr><td>", scored->experiment->name, "</td>");
        if (!scored->judgements) {
            wac_html_tag(to, "<td colspan=\"4\" class=\"soft\">not run: wac reproduce ",
                         scored->experiment->name, "</td></tr>\n");
            continue;
        }
        wac_html_tag(to, "<td>", wac_scale_title(scale, scored->experiment, scored->scale),
                     "</td>");
        fprintf(to,
                "<td class=\"n\" data-is=\"runs\">%zu</td>"
                "<td class=\"n\" data-is=\"finished\">%zu</td>",
                scored->planned, scored->finished);
        wac_html_tag(to, "<td>", scored->folder, "</td></tr>\n");
    }
    wac_html_table_end(to);
    for (size_t i = 0; i < board->other_count; i++) {
        char words[WAC_SCORE_SOURCES];
        wac_html_tag(to, "<p class=\"note\">Not of the paper: ",
                     wac_scored_words(words, &board->others[i]), ".</p>\n");
    }
}

static wac_status write_page(const wac_scoreboard *board, const char *path, wac_error *error)
{
    wac_stream file;
    if (!wac_stream_open(&file))
        return wac_fail_memory(error, "the page");
    wac_html_begin(file.to, "The paper’s claims");
    fputs("<p class=\"soft\">Wasserstein Actor-Critic (Likmeta and others, 2023), judged from runs "
          "of this program</p>\n<p>",
          file.to);
    for (int i = 0; i < WAC_VERDICT_TOTAL; i++) {
        fprintf(file.to, "%s%zu ", i ? ", " : "", wac_scoreboard_count(board, (wac_verdict)i));
        wac_html_verdict(file.to, (wac_verdict)i, (wac_verdict)i);
    }
    fputs(".</p>\n", file.to);
    write_claims(file.to, board);
    wac_html_rules(file.to);
    write_experiments(file.to, board);
    wac_html_end(file.to);
    return wac_stream_save(&file, path, WAC_STATUS_OK, error);
}

/* --- the table -------------------------------------------------------------------------------- */

void wac_tex_escape(FILE *to, const char *text)
{
    static const char *const letters[][2] = {
        {"\\", "\\textbackslash{}"},
        {"~", "\\textasciitilde{}"},
        {"^", "\\textasciicircum{}"},
        {"λ", "$\\lambda$"},
        {"ρ", "$\\rho$"},
        {"δ", "$\\delta$"},
        {"β", "$\\beta$"},
        {"σ", "$\\sigma$"},
        {"−", "$-$"},
        {"<", "$<$"},
        {">", "$>$"},
    };
    while (*text) {
        size_t k = 0, count = sizeof letters / sizeof *letters;
        while (k < count && strncmp(text, letters[k][0], strlen(letters[k][0])) != 0)
            k++;
        if (k < count)
            fputs(letters[k][1], to);
        else
            fprintf(to, "%s%c", strchr("&%$#_{}", *text) ? "\\" : "", *text);
        text += k < count ? strlen(letters[k][0]) : 1;
    }
}

static wac_status write_table(const wac_scoreboard *board, const char *path, wac_error *error)
{
    wac_stream file;
    if (!wac_stream_open(&file))
        return wac_fail_memory(error, "the page");
    fputs("% made by wac reproduce --all; needs \\usepackage{booktabs}\n"
          "\\begin{tabular}{@{}rp{0.5\\linewidth}lp{0.25\\linewidth}@{}}\n\\toprule\n"
          "& Claim & Verdict & Experiment (scale) \\\\\n\\midrule\n",
          file.to);
    for (size_t i = 0; i < board->count; i++) {
        const wac_score *score = &board->scores[i];
        char sources[WAC_SCORE_SOURCES];
        fprintf(file.to, "%d & ", score->number);
        wac_tex_escape(file.to, score->says);
        fprintf(file.to, " & %s & ", wac_verdict_name(score->judgement.verdict));
        wac_tex_escape(file.to, wac_score_sources(sources, score));
        fputs(" \\\\\n", file.to);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", file.to);
    return wac_stream_save(&file, path, WAC_STATUS_OK, error);
}

/* --- the data --------------------------------------------------------------------------------- */

static json_t *experiment_json(const wac_scored *scored)
{
    if (!scored->judgements)
        return json_pack("{s:s, s:b}", "experiment", scored->experiment->name, "run", 0);
    return json_pack("{s:s, s:b, s:s, s:I, s:s, s:I, s:I, s:o}", "experiment",
                     scored->experiment->name, "run", 1, "scale", wac_scale_names[scored->scale],
                     "seeds_asked_for", (json_int_t)scored->experiment->seeds, "folder",
                     scored->folder, "planned", (json_int_t)scored->planned, "finished",
                     (json_int_t)scored->finished, "missing",
                     wac_missing_json(scored->missing, scored->missing_count));
}

/* With its claims, which are not those above. */
static json_t *other_json(const wac_scored *scored)
{
    json_t *json = experiment_json(scored), *claims = json_array();
    for (int i = 0; i < scored->experiment->claim_count; i++)
        json_array_append_new(claims, wac_claim_json(scored->experiment->claims[i].number,
                                                     scored->experiment->claims[i].says,
                                                     &scored->judgements[i]));
    json_object_set_new(json, "claims", claims);
    return json;
}

static wac_status write_data(const wac_scoreboard *board, const char *folder, wac_error *error)
{
    wac_json_begin();
    json_t *claims = json_array(), *experiments = json_array(), *others = json_array();
    for (size_t i = 0; i < board->count; i++) {
        const wac_score *score = &board->scores[i];
        json_t *claim = wac_claim_json(score->number, score->says, &score->judgement);
        json_t *findings = json_object_get(claim, "findings");
        for (size_t k = 0; k < score->judgement.count; k++)
            json_object_set_new(json_array_get(findings, k), "experiment",
                                json_string(score->judged_by[k]->experiment->name));
        json_array_append_new(claims, claim);
    }
    for (size_t i = 0; i < board->experiment_count; i++)
        json_array_append_new(experiments, experiment_json(&board->experiments[i]));
    for (size_t i = 0; i < board->other_count; i++)
        json_array_append_new(others, other_json(&board->others[i]));
    return wac_claims_write(json_pack("{s:o, s:o, s:o}", "claims", claims, "experiments",
                                      experiments, "others", others),
                            folder, error);
}

wac_status wac_scoreboard_write(const wac_scoreboard *board, const char *folder, char *page,
                                wac_error *error)
{
    char table[PATH_MAX];
    WAC_TRY(wac_path_join(page, PATH_MAX, folder, "scoreboard.html", error));
    WAC_TRY(wac_path_join(table, sizeof table, folder, "scoreboard.tex", error));
    WAC_TRY(write_page(board, page, error));
    WAC_TRY(write_table(board, table, error));
    return write_data(board, folder, error);
}
