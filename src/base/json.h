/* JSON as text, whole or not at all. */
#ifndef WAC_BASE_JSON_H
#define WAC_BASE_JSON_H

#include <jansson.h>

/* As json_loadb; but where memory runs out the result is null and errno ENOMEM, and only then.
 * (jansson by itself may take that for bad text, or leave a letter out and say nothing.) */
json_t *wac_json_load(const char *text, size_t size, size_t flags, json_error_t *reason);

/* Call this before a value is made: where memory runs out on the way, wac_json_text will tell. */
void wac_json_begin(void);

/* The text of a value, zero-terminated, `size` bytes without the zero; free() it. Null where memory
 * runs out, also for a null value. (json_dumps may leave something out then, and say nothing.) */
char *wac_json_text(const json_t *json, size_t flags, size_t *size);

/* A number, or null where it is none that JSON has. */
json_t *wac_json_number(double number);

#endif
