/* The look of pages, and the pieces that several have. They load nothing, run no script, follow the
 * reader's light or dark, and print. */
#include "report/markup.h"

#include "base/files.h"
#include "base/status.h"
#include "stats/estimates.h"

#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--soft:#5a5a5a;--line:#d8d8d8;"
    "--card:#f6f6f4;--good:#006b4f;--bad:#a83800;--open:#6b5900}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e6;--paper:#16181a;--soft:#a5a8ab;"
    "--line:#3a3d40;--card:#1f2225;--good:#5fd3ae;--bad:#ff9a66;--open:#e3cc5a}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1.5rem clamp(1rem,4vw,3rem) 4rem;max-width:76rem;"
    "background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif}\n"
    "h1{font-size:1.7rem;line-height:1.25;margin:.5rem 0}h2{font-size:1.25rem;margin:2.4rem 0 "
    ".6rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}\n"
    "p{max-width:46rem}.soft,figcaption,.note{color:var(--soft)}\n"
    ".wide{overflow-x:auto;max-width:100%}\n"
    "table{border-collapse:collapse;font-size:.93rem;margin-bottom:1.2rem}th,td{text-align:left;"
    "padding:.35rem .7rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}td.n,"
    "th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    ".stats td{white-space:nowrap}.note{margin-bottom:.3rem}\n"
    ".claims td ul{margin:0;padding-left:1.1rem}.claims td:nth-child(2){min-width:11rem;width:24%}"
    ".claims td:nth-child(3){min-width:7rem}.claims td:nth-child(4){min-width:20rem;"
    "font-size:.88rem}\n"
    ".board{width:100%}.claims.board td:nth-child(2){width:42%}.claims.board td:nth-child(3){"
    "width:18%}\n"
    ".v{font-weight:700;white-space:nowrap;color:var(--soft)}.holds{color:var(--good)}.fails{color:"
    "var(--bad)}"
    ".undecided{color:var(--open)}\n"
    /* smaller than half of its width nobody can read a figure; small screens have their own */
    "figure{margin:1.2rem 0 2rem}figure img{display:block;height:auto;background:#fff;"
    "width:min(100%,var(--width));min-width:calc(var(--width)/2);"
    "border-radius:4px;border:1px solid var(--line)}figcaption{margin-top:.4rem;font-size:.93rem}\n"
    "@media(max-width:40rem){figure img.two{width:100%;min-width:0}"
    ".stats{font-size:.75rem}.stats td,.stats th{padding-right:.4rem}"
    ".stack thead{display:none}.stack tr{display:block;padding:.4rem 0;border-bottom:1px solid "
    "var(--line)}.stack td{display:inline-block;border:0;padding:0 .7rem 0 0;font-size:.85rem;"
    "white-space:normal;overflow-wrap:anywhere}.stack td:first-child,.groups td:nth-child(2){"
    "font-weight:700}.stack [data-is]::before{content:attr(data-is) ' ';color:var(--soft)}"
    ".claims thead{display:none}"
    ".claims,.claims tbody,.claims tr,.claims td{display:block;border:0;padding:.1rem 0}"
    ".claims td{width:auto!important;min-width:0!important;text-align:left!important}"
    ".claims tr{border-bottom:1px solid var(--line);padding:.6rem 0}}\n"
    "pre{background:var(--card);border:1px solid var(--line);border-radius:4px;padding:.7rem .9rem;"
    "overflow-x:auto;font-size:.9rem}\n"
    ".warn{background:var(--card);border-left:4px solid var(--open);padding:.6rem .9rem;"
    "margin:1rem 0;max-width:none;overflow-wrap:anywhere}\n"
    "details summary{cursor:pointer}\n"
    "@media print{:root{--ink:#000;--paper:#fff;--soft:#444;--line:#bbb;--card:#fff;--good:#000;"
    "--bad:#000;--open:#000}body{padding:0;max-width:none;font-size:10pt}.wide{overflow:visible}"
    "figure,tr{break-inside:avoid}figure img{width:100%!important;min-width:0!important;border:0}"
    "h2{break-after:avoid}a{text-decoration:none}}\n";

/* The length of a letter in UTF-8 that is whole, or 0. */
static size_t letter_size(const char *text)
{
    unsigned char c = (unsigned char)*text;
    size_t size = c < 0x80 ? 1 : c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    if (c >= 0xf5)
        return 0;
    for (size_t i = 1; i < size; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

void wac_html_escape(FILE *to, const char *text)
{
    static const char markup[] = "&<>\"'";
    static const char *const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    while (*text) {
        size_t size = letter_size(text);
        unsigned char c = (unsigned char)*text;
        const char *found = strchr(markup, *text);
        if (size == 0 || (c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
            fputs("�", to);
        else if (found)
            fputs(escaped[found - markup], to);
        else
            fwrite(text, 1, size, to);
        text += size ? size : 1;
    }
}

void wac_html_tag(FILE *to, const char *before, const char *text, const char *after)
{
    fputs(before, to);
    wac_html_escape(to, text);
    fputs(after, to);
}

void wac_html_begin(FILE *to, const char *title)
{
    wac_html_tag(to,
                 "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
                 title, " – wac report</title>\n<style>\n");
    fputs(style, to);
    wac_html_tag(to, "</style>\n</head>\n<body>\n<main>\n<h1>", title, "</h1>\n");
}

void wac_html_end(FILE *to)
{
    fputs("</main>\n</body>\n</html>\n", to);
}

void wac_html_table(FILE *to, const char *style, const char *heads)
{
    fprintf(to, "<div class=\"wide\"><table class=\"%s\"><thead><tr>", style);
    for (size_t size; *heads; heads += size + (heads[size] == '|')) {
        bool number = *heads == '#';
        heads += number;
        size = strcspn(heads, "|");
        fprintf(to, "<th%s>%.*s</th>", number ? " class=\"n\"" : "", (int)size, heads);
    }
    fputs("</tr></thead><tbody>\n", to);
}

void wac_html_table_end(FILE *to)
{
    fputs("</tbody></table></div>\n", to);
}

/* --- verdicts --------------------------------------------------------------------------------- */

static void write_verdict(FILE *to, wac_verdict verdict)
{
    const char *name = wac_verdict_name(verdict);
    fprintf(to, "<span class=\"v %s\">%s</span>", name, name);
}

static bool is_leaning(wac_verdict verdict, wac_verdict leaning)
{
    return verdict == WAC_VERDICT_UNDECIDED && leaning != WAC_VERDICT_UNDECIDED;
}

void wac_html_verdict(FILE *to, wac_verdict verdict, wac_verdict leaning)
{
    write_verdict(to, verdict);
    if (is_leaning(verdict, leaning))
        fprintf(to, "<br><span class=\"soft\">points towards %s</span>", wac_verdict_name(leaning));
}

void wac_html_finding(FILE *to, const wac_finding *finding, const char *from)
{
    char outlook[WAC_OUTLOOK];
    fputs("<li>", to);
    write_verdict(to, finding->verdict);
    if (*from)
        wac_html_tag(to, " <span class=\"soft\">", from, "</span>");
    wac_html_tag(to, " ", finding->text, "");
    if (is_leaning(finding->verdict, finding->leaning))
        fprintf(to, "; points towards %s", wac_verdict_name(finding->leaning));
    if (*wac_finding_outlook(outlook, finding))
        wac_html_tag(to, "; <strong>", outlook, "</strong>");
    fputs("</li>", to);
}

void wac_html_rules(FILE *to)
{
    fprintf(to,
            "<p class=\"note\"><strong>Holds</strong>: there is evidence for every part, each at "
            "level 2.5 %% (spreads: 1 %%). <strong>Fails</strong>: there is evidence of the "
            "contrary of one part, after Holm’s correction over all, or a counterexample where it "
            "says never or all. <strong>Undecided</strong>: anything else; lack of evidence is no "
            "evidence of the contrary. Fewer than %d seeds decide nothing.</p>\n",
            WAC_SEEDS_ENOUGH);
}
