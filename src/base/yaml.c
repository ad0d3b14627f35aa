#include "base/yaml.h"

#include "base/number.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A parser has stopped within the text. */
static wac_status fail(const wac_yaml *in, const yaml_parser_t *parser, const char *text,
                       size_t size)
{
    if (parser->error == YAML_MEMORY_ERROR || errno == ENOMEM) /* it does not always say so */
        return wac_fail_memory(in->error, in->name);
    size_t line = parser->problem_mark.line + 1;
    if (parser->error == YAML_READER_ERROR) {
        /* bytes that are no text: all that is known is where they are */
        line = 1;
        for (size_t i = 0; i < size && i < parser->problem_offset; i++)
            line += text[i] == '\n';
    }
    return wac_yaml_refuse(in, line, "this is not YAML (%s)", parser->problem);
}

/* The first document of the text, and that it is the only one. */
static wac_status load(wac_yaml *in, yaml_parser_t *parser, const char *text, size_t size)
{
    yaml_document_t second;
    if (!yaml_parser_load(parser, &in->document))
        return fail(in, parser, text, size);
    wac_status status = WAC_STATUS_OK;
    if (!yaml_parser_load(parser, &second)) {
        status = fail(in, parser, text, size);
    } else {
        if (yaml_document_get_root_node(&second))
            status = wac_yaml_refuse(in, second.start_mark.line + 1,
                                     "a second document starts here; keep one to a file");
        yaml_document_delete(&second);
    }
    if (status)
        yaml_document_delete(&in->document);
    return status;
}

/* By how much a token changes the depth of what comes after it. */
static int depth_of(yaml_token_type_t type)
{
    switch (type) {
    case YAML_BLOCK_SEQUENCE_START_TOKEN:
    case YAML_BLOCK_MAPPING_START_TOKEN:
    case YAML_FLOW_SEQUENCE_START_TOKEN:
    case YAML_FLOW_MAPPING_START_TOKEN:
        return 1;
    case YAML_BLOCK_END_TOKEN:
    case YAML_FLOW_SEQUENCE_END_TOKEN:
    case YAML_FLOW_MAPPING_END_TOKEN:
        return -1;
    default:
        return 0;
    }
}

/* The marks that a document does not show any more, and lists in lists in lists: the parser takes
 * time by the square of their depth. */
static wac_status check_tokens(wac_yaml *in, yaml_parser_t *parser, const char *text, size_t size)
{
    enum { DEEPEST = 64 };
    yaml_token_t token;
    yaml_token_type_t type;
    int depth = 0;
    do {
        if (!yaml_parser_scan(parser, &token))
            return fail(in, parser, text, size);
        size_t line = token.start_mark.line + 1;
        type = token.type;
        yaml_token_delete(&token);
        depth += depth_of(type);
        if (depth > DEEPEST)
            return wac_yaml_refuse(in, line, "this is nested more than %d deep", DEEPEST);
        if (!in->plain)
            continue;
        if (type == YAML_ALIAS_TOKEN)
            return wac_yaml_refuse(
                in, line, "aliases (*name) are not understood here; write the value itself");
        if (type == YAML_ANCHOR_TOKEN || type == YAML_TAG_TOKEN)
            return wac_yaml_refuse(
                in, line,
                "anchors (&name) and tags (!name) are not understood here; leave them out");
    } while (type != YAML_STREAM_END_TOKEN);
    return WAC_STATUS_OK;
}

typedef wac_status pass_fn(wac_yaml *in, yaml_parser_t *parser, const char *text, size_t size);

/* One way through the text. */
static wac_status pass(wac_yaml *in, pass_fn *call, const char *text, size_t size)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return wac_fail_memory(in->error, in->name);
    errno = 0;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    wac_status status = call(in, &parser, text, size);
    yaml_parser_delete(&parser);
    return status;
}

static wac_status open_checked(wac_yaml *in, const char *text, size_t size)
{
    WAC_TRY(pass(in, check_tokens, text, size));
    return pass(in, load, text, size);
}

wac_status wac_yaml_open(wac_yaml *in, const char *text, size_t size, const char *name,
                         wac_error *error)
{
    *in = (wac_yaml){.name = name, .error = error};
    return open_checked(in, text, size);
}

wac_status wac_yaml_open_plain(wac_yaml *in, const char *text, size_t size, const char *name,
                               wac_error *error)
{
    *in = (wac_yaml){.name = name, .error = error, .plain = true};
    return open_checked(in, text, size);
}

void wac_yaml_close(wac_yaml *in)
{
    yaml_document_delete(&in->document);
}

wac_status wac_yaml_refuse(const wac_yaml *in, size_t line, const char *format, ...)
{
    char why[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return wac_fail(in->error, WAC_STATUS_INPUT, "%s:%zu: %s", in->name, line, why);
}

size_t wac_yaml_line(const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

const yaml_node_t *wac_yaml_node(wac_yaml *in, int index)
{
    return yaml_document_get_node(&in->document, index);
}

wac_status wac_yaml_text(const wac_yaml *in, const char **text, const yaml_node_t *node,
                         const char *key)
{
    *text = "";
    if (node->type != YAML_SCALAR_NODE)
        return wac_yaml_refuse(in, wac_yaml_line(node),
                               "\"%s\" has one value here, not a list or a mapping", key);
    if (strcmp((const char *)node->tag, YAML_STR_TAG) != 0)
        return wac_yaml_refuse(in, wac_yaml_line(node),
                               "tags (!name) are not understood here; leave them out");
    *text = (const char *)node->data.scalar.value;
    size_t length = node->data.scalar.length;
    if (length == 0 || length >= WAC_YAML_TEXT || strlen(*text) != length ||
        wac_has_control(*text, "\n"))
        return wac_yaml_refuse(in, wac_yaml_line(node), "the value of \"%s\" is %s", key,
                               length == 0               ? "missing"
                               : length >= WAC_YAML_TEXT ? "too long"
                                                         : "no text (it has control characters)");
    return WAC_STATUS_OK;
}

wac_status wac_yaml_number(const wac_yaml *in, double *number, const yaml_node_t *node,
                           const char *key)
{
    const char *text;
    WAC_TRY(wac_yaml_text(in, &text, node, key));
    if (!wac_number_parse(number, text) || !isfinite(*number))
        return wac_yaml_refuse(in, wac_yaml_line(node), "\"%s\" must be a number, not \"%s\"", key,
                               WAC_CLIP(text));
    return WAC_STATUS_OK;
}

wac_status wac_yaml_word(const wac_yaml *in, int *word, const wac_yaml_pair *pair,
                         const char *words)
{
    const char *text;
    char choice[256];
    WAC_TRY(wac_yaml_text(in, &text, pair->value, pair->key));
    if ((*word = wac_word_index(words, text)) >= 0)
        return WAC_STATUS_OK;
    wac_words_join(choice, sizeof choice, words);
    return wac_yaml_refuse(in, wac_yaml_line(pair->value), "\"%s\" must be %s, not \"%s\"",
                           pair->key, choice, WAC_CLIP(text));
}

wac_status wac_yaml_key(wac_yaml *in, wac_yaml_pair *pair, const yaml_node_pair_t *from)
{
    pair->key_node = wac_yaml_node(in, from->key);
    pair->value = wac_yaml_node(in, from->value);
    return wac_yaml_text(in, &pair->key, pair->key_node, "a key");
}

wac_status wac_yaml_once(const wac_yaml *in, const wac_yaml_pair *pair, size_t *seen)
{
    if (*seen)
        return wac_yaml_refuse(in, wac_yaml_line(pair->key_node),
                               "\"%s\" was already there on line %zu", pair->key, *seen);
    *seen = wac_yaml_line(pair->key_node);
    return WAC_STATUS_OK;
}

int wac_yaml_length(const yaml_node_t *node)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return 1;
    return (int)(node->data.sequence.items.top - node->data.sequence.items.start);
}

wac_status wac_yaml_value(wac_yaml *in, const char **text, size_t *line, const yaml_node_t *node,
                          int index, const char *key)
{
    if (node->type == YAML_SEQUENCE_NODE)
        node = wac_yaml_node(in, node->data.sequence.items.start[index]);
    *line = wac_yaml_line(node);
    return wac_yaml_text(in, text, node, key);
}
