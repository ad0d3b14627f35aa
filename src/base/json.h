/* JSON as text, whole or not at all. */
#ifndef WAC_BASE_JSON_H
#define WAC_BASE_JSON_H

#include <jansson.h>

/* The text of a value, zero-terminated, `size` bytes without the zero; free() it. Null where memory
 * runs out, also for a null value. (json_dumps may leave something out then, and say nothing.) */
char *wac_json_text(const json_t *json, size_t flags, size_t *size);

/* A number, or null where it is none that JSON has. */
json_t *wac_json_number(double number);

#endif
