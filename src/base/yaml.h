/* YAML files: the nodes of a document one by one. Refusals name file and line. */
#ifndef WAC_BASE_YAML_H
#define WAC_BASE_YAML_H

#include "wac/base.h"

#include <yaml.h>

/* A file's only document. */
typedef struct wac_yaml {
    yaml_document_t document;
    const char *name; /* of the file */
    bool plain;       /* without marks, see below */
    wac_error *error;
} wac_yaml;

/* `name`, which stands for the file, and `error` must last until the end. On failure there is
 * nothing to close. */
wac_status wac_yaml_open(wac_yaml *in, const char *text, size_t size, const char *name,
                         wac_error *error);

/* The same, where anchors, aliases and tags are refused. */
wac_status wac_yaml_open_plain(wac_yaml *in, const char *text, size_t size, const char *name,
                               wac_error *error);
void wac_yaml_close(wac_yaml *in);

/* Fails with "file:line: …". */
wac_status wac_yaml_refuse(const wac_yaml *in, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const yaml_node_t *wac_yaml_node(wac_yaml *in, int index);
size_t wac_yaml_line(const yaml_node_t *node);

/* The value of a node as text that is not empty and has less than WAC_YAML_TEXT bytes; `key` is
 * whose value it is. */
enum { WAC_YAML_TEXT = 128 };
wac_status wac_yaml_text(const wac_yaml *in, const char **text, const yaml_node_t *node,
                         const char *key);

/* As a finite number. */
wac_status wac_yaml_number(const wac_yaml *in, double *number, const yaml_node_t *node,
                           const char *key);

/* One `key: value` of a mapping. */
typedef struct wac_yaml_pair {
    const char *key;
    const yaml_node_t *key_node, *value;
} wac_yaml_pair;

wac_status wac_yaml_key(wac_yaml *in, wac_yaml_pair *pair, const yaml_node_pair_t *from);

/* Notes the line of a key in `*seen`, which is 0 the first time; a second is refused. */
wac_status wac_yaml_once(const wac_yaml *in, const wac_yaml_pair *pair, size_t *seen);

/* Its value as a place in a list of words (base/words.h). */
wac_status wac_yaml_word(const wac_yaml *in, int *word, const wac_yaml_pair *pair,
                         const char *words);

/* A list of values, or a single one: how many, and value number `index` with its line. */
int wac_yaml_length(const yaml_node_t *node);
wac_status wac_yaml_value(wac_yaml *in, const char **text, size_t *line, const yaml_node_t *node,
                          int index, const char *key);

#endif
