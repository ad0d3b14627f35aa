/* The scoreboard as a table: number, verdict, claim; below, who judged and what it waits for. */
#include "terminal/scoreboard_view.h"

#include "cli.h"
#include "terminal/report_view.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "base/status.h"
#include "report/note.h"
#include "report/scoreboard_files.h"
#include "run/packed.h"

static void print_board(const wac_scoreboard *board)
{
    enum { INDENT = 15 };
    cli_style style = cli_style_of(stdout);
    int width = cli_width(stdout);
    for (size_t i = 0; i < board->count; i++) {
        const wac_score *score = &board->scores[i];
        char sources[WAC_SCORE_SOURCES], outlook[WAC_OUTLOOK];
        cli_print_claim(score->number, score->says, &score->judgement);
        printf("%*s%s", INDENT, "", style.dim);
        cli_print_wrapped(wac_score_sources(sources, score), INDENT, width);
        fputs(style.plain, stdout);
        if (*wac_judgement_outlook(outlook, &score->judgement)) {
            printf("%*s", INDENT, "");
            cli_print_wrapped(outlook, INDENT, width);
        }
    }
    size_t hold = wac_scoreboard_count(board, WAC_VERDICT_HOLDS);
    size_t fail = wac_scoreboard_count(board, WAC_VERDICT_FAILS);
    printf("\n%zu hold%s, %zu fail%s, %zu undecided, %zu not run\n", hold, hold == 1 ? "s" : "",
           fail, fail == 1 ? "s" : "", wac_scoreboard_count(board, WAC_VERDICT_UNDECIDED),
           wac_scoreboard_count(board, WAC_VERDICT_NOT_RUN));
    for (size_t i = 0; i < board->other_count; i++)
        printf("not of the paper: %s\n",
               wac_scored_words((char[WAC_SCORE_SOURCES]){0}, &board->others[i]));
    putchar('\n');
}

int cli_scoreboard_make(const char *const *folders, size_t count, const char *out)
{
    wac_error error = {0};
    wac_scoreboard board;
    wac_note note;
    char page[PATH_MAX];
    for (size_t i = 0; i < count; i++)
        if (!wac_packed_exists(folders[i])) {
            wac_fail(&error, WAC_STATUS_IO,
                     "there is no folder %s; first run experiments: \"wac reproduce\" lists them",
                     folders[i]);
            return cli_fail(&error);
        }
    if (wac_note_read(&note, out, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    if (note.runs) {
        wac_note_free(&note);
        return cli_refuse("%s holds the experiment %s; name another folder with --out", out,
                          note.experiment);
    }
    if (wac_scoreboard_make(&board, folders, count, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    wac_status status = wac_path_exists(out) ? WAC_STATUS_OK : wac_directory_make(out, &error);
    if (status == WAC_STATUS_OK)
        status = wac_scoreboard_write(&board, out, page, &error);
    if (status == WAC_STATUS_OK) {
        print_board(&board);
        printf("%s\n", page);
    }
    wac_scoreboard_free(&board);
    return status == WAC_STATUS_OK ? CLI_OK : cli_fail(&error);
}
