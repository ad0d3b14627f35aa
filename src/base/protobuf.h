/* Protocol buffers, as far as files of ONNX and TensorBoard need them: messages are fields of
 * numbers, or of bytes, which may be text, packed floats or messages again. */
#ifndef WAC_BASE_PROTOBUF_H
#define WAC_BASE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message being written; starts as {0}. Where memory runs out it is marked as failed, and so is
 * the message that it becomes a part of. */
typedef struct wac_message {
    unsigned char *bytes;
    size_t size, room;
    bool failed;
} wac_message;

void wac_message_add_number(wac_message *message, int field, uint64_t number);
void wac_message_add_float(wac_message *message, int field, float number);
void wac_message_add_double(wac_message *message, int field, double number);
void wac_message_add_bytes(wac_message *message, int field, const void *bytes, size_t size);
void wac_message_add_text(wac_message *message, int field, const char *text);
void wac_message_add_message(wac_message *message, int field, wac_message *part); /* uses it up */
void wac_message_free(wac_message *message);

/* Field by field of what is written; starts with all of it in `at` and `end`. */
typedef struct wac_field {
    const unsigned char *at, *end;
    int field;
    uint64_t number;            /* of a number, or … */
    const unsigned char *bytes; /* … null in a number's field */
    size_t size;
} wac_field;

/* False at the end, or where what is there is no field (then at != end). */
bool wac_field_next(wac_field *field);

#endif
