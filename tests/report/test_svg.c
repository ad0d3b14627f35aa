/* Drawings in pages: smaller, and the same to look at. */
#include "report/svg.h"

#include "support/folder.h"

#include <stdio.h>

/* What becomes of a drawing, with its addresses' escapes undone. */
static const char *small(const char *drawing)
{
    static char text[4096];
    char *written = NULL;
    size_t size, length = 0;
    FILE *to = open_memstream(&written, &size);
    assert_non_null(to);
    wac_svg_write(to, drawing, strlen(drawing));
    fclose(to);
    for (const char *at = written; *at; at++) {
        unsigned letter = (unsigned char)*at;
        if (letter == '%') {
            assert_int_equal(sscanf(at + 1, "%2x", &letter), 1);
            at += 2;
        }
        assert_true(length + 1 < sizeof text);
        text[length++] = (char)letter;
    }
    text[length] = '\0';
    free(written);
    return text;
}

static void test_lines(void **state)
{
    (void)state;
    /* on a straight line, and nearly */
    assert_string_equal(small("<path d='M1.00,2.00 L3.00,2.00 L9.00,2.00  '/>"),
                        "<path d='M1,2l8,0'/>");
    assert_string_equal(small("<path d='M0.00,0.00 L10.00,0.04 L20.00,0.00'/>"),
                        "<path d='M0,0l20,0'/>");
    assert_string_equal(small("<path d='M0.00,0.00 L10.00,0.10 L20.00,0.00'/>"),
                        "<path d='M0,0l10,.1,10-.1'/>");
    /* there and back again */
    assert_string_equal(small("<path d='M0.00,0.00 L10.00,0.00 L4.00,0.00'/>"),
                        "<path d='M0,0l10,0-6,0'/>");
    /* several lines, and numbers of all kinds */
    assert_string_equal(small("<path d='M0.50,-0.50 L-1.25,3.00 M7.00,8.00 L6.00,7.50'/>"),
                        "<path d='M.5-.5l-1.8,3.5M7,8l-1-.5'/>");
    assert_string_equal(small("<path d='M1.00,2.00 M3.00,4.00  '/>"), "<path d='M1,2M3,4'/>");
    /* a polygon tells its points from one corner */
    assert_string_equal(small("<polygon points = '1.00,1.00 2.00,1.00 3.00,1.00 3.00,9.00 '/>"),
                        "<polygon points='1,1,3,1,3,9'/>");
    /* other kinds of lines are left alone */
    assert_string_equal(small("<path d='M-1,0 h2 M0,-1 v2'/>"), "<path d='M-1,0 h2 M0,-1 v2'/>");
}

/* A line of many points comes to its end, however many are left out at a time. */
static void test_long_lines(void **state)
{
    (void)state;
    char drawing[4096] = "<path d='M0.00,0.00";
    for (int i = 1; i <= 200; i++)
        snprintf(drawing + strlen(drawing), sizeof drawing - strlen(drawing), " L%d.00,0.00", i);
    strcat(drawing, "'/>");
    assert_string_equal(small(drawing), "<path d='M0,0l64,0,64,0,64,0,8,0'/>");
}

static void test_tags(void **state)
{
    (void)state;
    assert_string_equal(
        small("<g fill=\"none\" stroke-width=\"1\">\n</g>\n<g id=\"a\">\n<b/>\n</g>"),
        "<g id='a'><b/></g>");
    assert_string_equal(small("<g color=\"black\" stroke-linecap=\"butt\" "
                              "stroke-linejoin=\"miter\"><a fill = 'rgb( 90,  90, 9)' /></g>"),
                        "<g><a fill='rgb(90,90,9)'/></g>");
    assert_string_equal(small("<text><tspan font-family=\"sans-serif\" >say \"a, b\" (c)</tspan>"),
                        "<text><tspan>say \"a, b\" (c)</tspan>");
    assert_string_equal(small("<g font-family=\"sans-serif\" font-size=\"16\">x</g>"),
                        "<g font-family='sans-serif' font-size='16'>x</g>");
    /* symbols stay where they are used */
    assert_string_equal(small("<a><title>Gnuplot</title><defs><c id='gpDot'/></defs><b/></a>"),
                        "<a><b/></a>");
    static const char used[] = "<defs><c id='gpDot'/></defs><use xlink:href='#gpDot'/>";
    assert_string_equal(small(used), used);
    /* whatever is cut off or broken stays within its bytes */
    assert_string_equal(small("<g a"), "<g a");
    assert_string_equal(small("<path d='M1,2 L3"), "<path d='M1,2 L3");
    assert_string_equal(small(""), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
