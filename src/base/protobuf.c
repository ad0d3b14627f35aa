/* Writing and reading fields. */
#include "base/protobuf.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_NUMBER = 0, WIRE_8_BYTES = 1, WIRE_BYTES = 2, WIRE_4_BYTES = 5 };

static void append(wac_message *message, const void *bytes, size_t size)
{
    if (message->failed)
        return;
    if (message->size + size > message->room) {
        size_t room = 2 * (message->size + size) + 64;
        unsigned char *more = realloc(message->bytes, room);
        if (!more) {
            message->failed = true;
            return;
        }
        message->bytes = more;
        message->room = room;
    }
    if (size)
        memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

/* Seven bits a byte, the lowest first; the eighth says that more follow. */
static void append_varint(wac_message *message, uint64_t number)
{
    unsigned char bytes[10];
    size_t size = 0;
    do {
        bytes[size] = (unsigned char)(number & 127);
        number >>= 7;
        bytes[size++] |= number ? 128 : 0;
    } while (number);
    append(message, bytes, size);
}

static void append_key(wac_message *message, int field, int wire)
{
    append_varint(message, (uint64_t)field << 3 | (uint64_t)wire);
}

void wac_message_add_number(wac_message *message, int field, uint64_t number)
{
    append_key(message, field, WIRE_NUMBER);
    append_varint(message, number);
}

void wac_message_add_float(wac_message *message, int field, float number)
{
    append_key(message, field, WIRE_4_BYTES);
    append(message, &number, sizeof number);
}

void wac_message_add_double(wac_message *message, int field, double number)
{
    append_key(message, field, WIRE_8_BYTES);
    append(message, &number, sizeof number);
}

void wac_message_add_bytes(wac_message *message, int field, const void *bytes, size_t size)
{
    append_key(message, field, WIRE_BYTES);
    append_varint(message, size);
    append(message, bytes, size);
}

void wac_message_add_text(wac_message *message, int field, const char *text)
{
    wac_message_add_bytes(message, field, text, strlen(text));
}

void wac_message_add_message(wac_message *message, int field, wac_message *part)
{
    message->failed |= part->failed;
    wac_message_add_bytes(message, field, part->bytes, part->size);
    wac_message_free(part);
}

void wac_message_free(wac_message *message)
{
    free(message->bytes);
    *message = (wac_message){0};
}

static bool read_varint(wac_field *field, uint64_t *number)
{
    *number = 0;
    for (int shift = 0; shift < 64 && field->at < field->end; shift += 7) {
        unsigned char byte = *field->at++;
        *number |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128))
            return true;
    }
    return false;
}

bool wac_field_next(wac_field *field)
{
    const unsigned char *start = field->at;
    uint64_t key = 0, size = 0;
    bool whole = field->at < field->end && read_varint(field, &key);
    int wire = (int)(key & 7);
    field->field = (int)(key >> 3);
    field->bytes = NULL;
    if (whole && wire == WIRE_NUMBER)
        whole = read_varint(field, &field->number);
    else if (whole && wire == WIRE_BYTES)
        whole = read_varint(field, &size);
    else if (whole && (wire == WIRE_4_BYTES || wire == WIRE_8_BYTES))
        size = wire == WIRE_4_BYTES ? 4 : 8;
    else
        whole = false;
    if (whole && wire != WIRE_NUMBER) {
        whole = size <= (uint64_t)(field->end - field->at);
        field->bytes = whole ? field->at : NULL; /* nobody shall read what is not all there */
        field->size = (size_t)size;
    }
    field->at = whole ? field->at + (field->bytes ? size : 0) : start;
    return whole;
}
