/* Reports: the page and what is on it, and what it does with bad folders. Where Chromium is
 * installed, it loads a page and finds nothing to complain about. */
#include "report/markup.h"
#include "support/reports.h"

#include <ctype.h>

/* LQG with two values of lambda and two seeds each. */
static void make_lqg(const char *folder)
{
    for (int i = 0; i < 4; i++) {
        fake fake = {"lqg", "oe-wac", 1 + i % 2,     5,   0, "lambda", i < 2 ? "0" : "0.5", NULL,
                     NULL,  -1,       0.3 + 0.1 * i, 300, -2};
        make_fake(at("%s/%d", folder, i), &fake);
    }
}

/* --- text ------------------------------------------------------------------------------------- */

static void assert_escaped(const char *text, const char *expected)
{
    char *made;
    size_t size;
    FILE *to = open_memstream(&made, &size);
    wac_html_escape(to, text);
    fclose(to);
    assert_string_equal(made, expected);
    free(made);
}

static void test_escape(void **state)
{
    (void)state;
    assert_escaped("plain λ − text", "plain λ − text");
    assert_escaped("<script>alert(\"&'\")</script>",
                   "&lt;script&gt;alert(&quot;&amp;&#39;&quot;)&lt;/script&gt;");
    assert_escaped("a\x01z\x7f", "a�z�");
    assert_escaped("cut \xce", "cut �");
    assert_escaped("\xff\xc0\xaf", "���");
    assert_escaped("\xf0\x9f\x98\x80!", "\xf0\x9f\x98\x80!");
}

/* --- any folder of runs ----------------------------------------------------------------------- */

/* Somebody who reads what a drawing says; in a page some of its letters are escaped. */
typedef struct reader {
    const char *at;
    bool escaped;
    char tag[8]; /* the last: how its name begins */
    int tags;    /* of texts so far */
} reader;

static unsigned next_letter(reader *reader)
{
    unsigned letter = (unsigned char)*reader->at;
    if (!letter || (reader->escaped && letter == '"'))
        return 0;
    reader->at++;
    if (reader->escaped && letter == '%') {
        assert_int_equal(sscanf(reader->at, "%2x", &letter), 1);
        reader->at += 2;
    }
    return letter;
}

/* The next letter of a text, which is no blank; 0 at the end. */
static unsigned next_of_text(reader *reader)
{
    unsigned letter;
    while ((letter = next_letter(reader))) {
        if (letter == '<') {
            size_t length = 0;
            while ((letter = next_letter(reader)) && letter != '>')
                if (length + 1 < sizeof reader->tag)
                    reader->tag[length++] = (char)letter;
            reader->tag[length] = '\0';
            reader->tags += strncmp(reader->tag, "text", 4) == 0;
        } else if (!isspace((int)letter) &&
                   strstr(reader->tag, "t") == reader->tag + (*reader->tag == '/') &&
                   !strstr(reader->tag, "title")) {
            return letter;
        }
    }
    return 0;
}

/* The n-th drawing of a page has the texts of its file. */
static void drawing_is_whole(const char *page, const char *path, int n)
{
    static const char begin[] = " src=\"data:image/svg+xml,";
    char *file;
    size_t size;
    assert_int_equal(wac_file_read(&file, &size, path, 1 << 24, &error), WAC_STATUS_OK);
    for (; n > 0; n--)
        page = strstr(page, begin) + strlen(begin);
    reader shown = {.at = page, .escaped = true}, drawn = {.at = file};
    unsigned letter, letters = 0;
    do {
        letter = next_of_text(&shown);
        assert_int_equal(letter, next_of_text(&drawn));
        letters++;
    } while (letter);
    assert_int_equal(shown.tags, drawn.tags);
    assert_true(shown.tags > 10 && letters > 50);
    free(file);
}

static void test_report(void **state)
{
    (void)state;
    make_lqg("runs");
    const outcome *result = wac("report %s --out %s", at("runs"), at("out"));
    assert_done(result);
    assert_string_equal(result->out, at("out/report.html\n"));
    char *page = page_of("out");
    static const char *const parts[] = {
        "<!doctype html>",       "id=\"figures\"",     "id=\"statistics\"",
        "id=\"settings\"",       "id=\"made\"",        "viewport",
        "prefers-color-scheme",  "@media print",       "What varies",
        "wac train --config",    "wac report ",        "4 runs, 4 of them finished",
        "wac 0.1.0, commit abc", "A &lt;fast&gt; one", "8 hours",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(page, parts[i]))
            fail_msg("the page lacks \"%s\"", parts[i]);
    /* no claims, no script, nothing from elsewhere */
    static const char *const absent[] = {"id=\"claims\"", "<script", "http://", "https://",
                                         "<link",         "@import", "<fast>"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (strstr(page, absent[i]))
            fail_msg("the page has \"%s\"", absent[i]);
    /* curves, coverage, coverage by lambda, bars, solved, improvement; no maps without checkpoints;
     * profiles have no scores that are shares */
    if (has_program("gnuplot")) {
        assert_int_equal(count_of(page, "src=\"data:image/svg+xml,"), 6);
        drawing_is_whole(page, at("out/figures/3-settings.svg"), 3);
        assert_int_equal(count_of(page, "could not be drawn"), 0);
        static const char *const endings[] = {"svg", "png", "pdf"};
        for (int i = 0; i < 3; i++)
            assert_true(wac_path_exists(at("out/figures/3-settings.%s", endings[i])));
    }
    free(page);
    /* again, into a folder that is there: what an older report drew goes, other files stay */
    save_text(at("out/figures/9-bars.svg"), "old");
    save_text(at("out/figures/mine.svg"), "mine");
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    assert_false(wac_path_exists(at("out/figures/9-bars.svg")));
    assert_true(wac_path_exists(at("out/figures/mine.svg")));
}

/* The runs as one table, and each figure in numbers; those of other programs among them. */
static void test_tables(void **state)
{
    (void)state;
    make_lqg("runs,all");
    save_text(at("other.csv"), "run,algorithm,environment,seed,step,value\n"
                               "a,td3,lqg,1,500,0.123456789012\na,td3,lqg,1,9000,7\n"
                               "b,td3,lqg,2,500,-1\nb,td3,lqg,2,6000,3\n");
    assert_done(wac("report %s %s --out %s --csv %s", at("runs,all"), at("other.csv"), at("out"),
                    at("all.csv")));
    /* 4 runs of 6 rows and 10 numbers each; 2 runs of 6 evaluations */
    assert_int_equal(
        count_lines(at("all.csv"),
                    "run,task,environment,algorithm,seed,lambda,epoch,step,measure,value\n"),
        1 + 4 * 6 * 10 + 2 * 6);
    char *text = contents(at("all.csv"), NULL);
    static const char *const rows[] = {
        "/0\",lqg,lqg,oe-wac,1,0,2,3000,eval_return,-1\n",
        "/2\",lqg,lqg,oe-wac,1,0.5,5,6000,coverage_sampled,0.5\n",
        "other.csv: a,lqg,lqg,td3,1,,0,1000,eval_return,0.123456789012\n",
        "other.csv: b,lqg,lqg,td3,2,,5,6000,eval_return,3\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strstr(text, rows[i]))
            fail_msg("the table lacks %s", rows[i]);
    free(text);
    char *page = page_of("out");
    assert_non_null(strstr(page, "2 of the runs are of other programs"));
    assert_non_null(strstr(page, at("all.csv")));
    assert_non_null(strstr(page, "<td>td3</td>"));
    free(page);
    assert_false(wac_path_exists(at("out/data.csv")));
    if (has_program("gnuplot")) {
        assert_int_equal(count_lines(at("out/figures/1-curves.csv"),
                                     "task,line,measure,x,mean,low,high,n\n"
                                     "lqg,oe-wac lambda 0,eval_return,0,-1,-1,-1,2\n"),
                         1 + 3 * 6);
        assert_int_equal(count_lines(at("out/figures/3-settings.csv"),
                                     "task,line,measure,x,mean,low,high,n\n"
                                     "lqg,oe-wac,coverage,0,0.35,0.25,0.45,2\n"
                                     "lqg,oe-wac,coverage,0.5,0.55,0.45,0.65,2\n"),
                         3);
        assert_int_equal(
            count_lines(at("out/figures/4-bars.csv"), "task,line,measure,iqm,low,high,n\n"), 4);
    }
    /* our own table reads back; without the settings its two lambdas are one, and that is said */
    assert_says(wac("stats %s", at("all.csv")), 1, "have the same algorithm, environment and seed");
    /* a table goes whole or not at all */
    assert_int_equal(unlink(at("all.csv")), 0);
    assert_says(wac("report %s --out %s --csv %s", at("runs,all"), at("out"), at("no/all.csv")), 1,
                "no/all.csv");
    /* tables alone */
    assert_done(wac("report %s", at("other.csv")));
    assert_true(wac_path_exists(at("other-report/report.html")));
}

/* Names from outside do no harm, be it in HTML or in gnuplot. */
static void test_names(void **state)
{
    (void)state;
    make_lqg("<b>x'y\"&amp;`id`");
    assert_done(wac("report %s --out %s", root, at("out")));
    char *page = page_of("out");
    assert_null(strstr(page, "<b>x"));
    assert_non_null(strstr(page, "&lt;b&gt;x&#39;y&quot;&amp;amp;`id`"));
    free(page);
}

/* Runs that cannot be read are named, and the rest is reported. */
static void test_bad_runs(void **state)
{
    (void)state;
    make_lqg("runs");
    char *text = contents(at("runs/1/progress.csv"), NULL);
    text[strlen(text) - 7] = 0;
    save_text(at("runs/1/progress.csv"), text);
    free(text);
    save_text(at("runs/2/progress.csv"), "epoch,other\n0,1\n");
    assert_int_equal(unlink(at("runs/3/progress.csv")), 0);
    const outcome *result = wac("report %s --out %s", at("runs"), at("out"));
    assert_done(result);
    assert_int_equal(count_of(result->err, "left out: "), 3);
    char *page = page_of("out");
    assert_non_null(strstr(page, "3 runs could not be read"));
    assert_non_null(strstr(page, "runs/2/progress.csv"));
    assert_non_null(strstr(page, "1 run, 1 of them finished"));
    free(page);
}

static void test_bad_folders(void **state)
{
    (void)state;
    make_lqg("runs");
    assert_ok(wac_directory_make(at("empty"), &error));
    assert_says(wac("report %s", at("empty")), 1, "no run in");
    assert_says(wac("report %s", at("nowhere")), 1, "nowhere");
    assert_says(wac("report"), 2, "which folder");
    assert_says(wac("report %s %s", at("runs"), at("nowhere")), 1, "nowhere");
    save_text(at("file"), "x");
    assert_says(wac("report %s --out %s", at("runs"), at("file/x")), 1, "file/x");
    assert_false(wac_path_exists(at("runs/report")));
    /* what is not a report's stays alone */
    assert_ok(wac_directory_make(at("papers"), &error));
    save_text(at("papers/mine.txt"), "x");
    assert_says(wac("report %s --out %s", at("runs"), at("papers")), 2,
                "name another folder with --out");
    assert_int_equal(entries(at("papers")), 1);
    /* as far as there is something: an unfinished run has a curve, but no numbers */
    fake cut = {"lqg", "sac", 1, 30, 4, NULL, NULL, NULL, NULL, -1, .3, 300, -2};
    make_fake(at("cut/run"), &cut);
    assert_done(wac("report %s", at("cut")));
    char *page = page_of("cut/report");
    assert_non_null(strstr(page, "0 of them finished"));
    free(page);
}

/* Maps are of those that have some, whoever stands first. */
static void test_maps(void **state)
{
    (void)state;
    if (!WAC_MUJOCO || !has_program("gnuplot"))
        skip();
    static const char *const environments[] = {"hopper", "lqg", "point-1", "point-2", "point-2"};
    for (int i = 0; i < 5; i++) {
        wac_config config = tiny(environments[i], i == 4 ? "me-wac" : "sac", 1);
        assert_ok(train_new(at("runs/%d", i), &config, NULL));
    }
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    char *page = page_of("out");
    assert_int_equal(count_of(page, "<figcaption><strong>Where agents went: "), 3);
    assert_int_equal(count_of(page, " src=\"data:image/png;base64,"), 3);
    /* what is counted in mazes; each caption is there twice, for those who do not see, too */
    assert_int_equal(count_of(page, "Blue: visits while learning. Lines: "), 2);
    assert_int_equal(count_of(page, "; of a target policy, those of its evaluations over all"), 2);
    free(page);
    assert_done(wac("report %s --out %s", at("runs/0"), at("alone")));
    page = page_of("alone");
    assert_null(strstr(page, "Where agents went"));
    free(page);
}

/* Without gnuplot nothing is trained; a page without its figures is no success. */
static void test_without_gnuplot(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    make_lqg("runs");
    assert_int_equal(setenv("PATH", at("nowhere"), 1), 0);
    const outcome *result = wac("reproduce uncertainty-lqg --out %s", at("out"));
    assert_says(result, 1, "install it with: apt-get install gnuplot-nox; then call this again");
    assert_false(wac_path_exists(at("out")));
    assert_says(wac("demo --out %s", at("demo")), 1, "nothing has been trained");
    assert_false(wac_path_exists(at("demo")));
    result = wac("report %s --out %s", at("runs"), at("page"));
    assert_int_equal(result->status, 1);
    assert_non_null(strstr(result->err, "figures could not be drawn"));
    assert_non_null(strstr(result->out, at("page/report.html\n")));
    assert_int_equal(setenv("PATH", path, 1), 0);
}

/* --- in a browser -------------------------------------------------------------------------------
 */

static void test_browser(void **state)
{
    (void)state;
    if (!has_program("chromium") || !has_program("gnuplot")) {
        print_message("chromium or gnuplot is not installed: no page was loaded\n");
        skip();
    }
    make_lqg("runs/lqg");
    make_point("runs/point");
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    /* the page itself has no script: the copy gets one that counts what a reader would see */
    char *page = page_of("out"), command[3 * PATH_MAX];
    FILE *copy = fopen(at("copy.html"), "w");
    fprintf(copy,
            "%s<script>onload=()=>{let i=[...document.images],w=innerWidth;document.title='shown '+"
            "i.filter(x=>x.complete&&x.naturalWidth>0&&x.offsetHeight>50).length+' of '+i.length+"
            "' over '+(document.documentElement.scrollWidth>w)}</script>",
            page);
    fclose(copy);
    size_t figures = count_of(page, "<img ");
    free(page);
    assert_true(figures >= 4);
    for (int narrow = 0; narrow < 2; narrow++) {
        char expected[96];
        snprintf(command, sizeof command,
                 "HOME=%s timeout -k 5 60 chromium --headless --no-sandbox --disable-gpu "
                 "--disable-dev-shm-usage --user-data-dir=%s --enable-logging=stderr "
                 "--window-size=%s --dump-dom file://%s >%s 2>%s",
                 root, at("profile"), narrow ? "500,900" : "1200,900", at("copy.html"), at("dom"),
                 at("log"));
        int ended = system(command);
        if (WIFEXITED(ended) && WEXITSTATUS(ended) == 124) {
            print_message("chromium did not come to an end: the page was not checked\n");
            skip();
        }
        assert_int_equal(ended, 0);
        char *dom = contents(at("dom"), NULL), *log = contents(at("log"), NULL);
        snprintf(expected, sizeof expected, "<title>shown %zu of %zu over false</title>", figures,
                 figures);
        if (!strstr(dom, expected))
            fail_msg("expected %s in: %.200s", expected,
                     strstr(dom, "<title>") ? strstr(dom, "<title>") : dom);
        if (strstr(log, "CONSOLE"))
            fail_msg("%s", strstr(log, "CONSOLE"));
        free(dom);
        free(log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_escape), TEST(test_report),          TEST(test_tables),
        TEST(test_names),  TEST(test_bad_runs),        TEST(test_bad_folders),
        TEST(test_maps),   TEST(test_without_gnuplot), TEST(test_browser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
