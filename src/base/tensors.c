/* The safetensors format.
 *
 * Files come from other people and other programs, so nothing in a header is believed: every
 * length, offset and shape is checked before anything points into the data. Jansson does the JSON
 * in both directions and keeps the order of keys, which makes the written bytes repeatable.
 */
#include "base/tensors.h"

#include "base/files.h"
#include "base/json.h"
#include "base/status.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the format is little-endian");

static const char metadata_key[] = "__metadata__";
static const char foreign[] = "check that it is a safetensors file and was copied whole";

enum { PREFIX = 8, HEADER_LIMIT = 100000000 };

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [WAC_DTYPE_F32] = {"F32", 4},
    [WAC_DTYPE_F64] = {"F64", 8},
    [WAC_DTYPE_I64] = {"I64", 8},
    [WAC_DTYPE_U8] = {"U8", 1},
};

typedef struct span {
    json_int_t begin, end;
} span;

size_t wac_dtype_size(wac_dtype dtype)
{
    return dtypes[dtype].size;
}

int64_t wac_tensor_elements(const wac_tensor *tensor)
{
    int64_t elements = 1;
    for (int i = 0; i < tensor->rank; i++)
        elements *= tensor->shape[i];
    return elements;
}

static wac_status fail_tensor(wac_error *error, const char *path, const char *name,
                              const char *what)
{
    return wac_fail(error, WAC_STATUS_INPUT, "cannot use %s: its tensor \"%.100s\" %s; %s", path,
                    name, what, foreign);
}

/* Bytes by shape and dtype; false if there is no such number. */
static bool count_bytes(json_int_t *bytes, const wac_tensor *tensor)
{
    *bytes = (json_int_t)wac_dtype_size(tensor->dtype);
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] < 0 || __builtin_mul_overflow(*bytes, tensor->shape[i], bytes))
            return false;
    }
    return true;
}

/* One entry of the header, checked by itself against `size` bytes of data. */
static wac_status read_entry(wac_tensor *tensor, span *place, const char *path, const char *name,
                             json_t *entry, size_t size, wac_error *error)
{
    /* not json_unpack, which takes memory */
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    const json_t *shape = json_object_get(entry, "shape");
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const json_t *begin = json_array_get(offsets, 0), *end = json_array_get(offsets, 1);
    if (!dtype || !json_is_array(shape) || json_array_size(offsets) != 2 ||
        !json_is_integer(begin) || !json_is_integer(end))
        return fail_tensor(error, path, name, "lacks a dtype, a shape or two data_offsets");

    *place = (span){json_integer_value(begin), json_integer_value(end)};
    *tensor = (wac_tensor){.name = name};
    size_t kinds = sizeof dtypes / sizeof *dtypes, kind = 0;
    while (kind < kinds && strcmp(dtype, dtypes[kind].name) != 0)
        kind++;
    if (kind == kinds)
        return wac_fail(
            error, WAC_STATUS_INPUT,
            "cannot use %s: its tensor \"%.100s\" has the unknown dtype \"%.20s\"; save "
            "it as F32, F64, I64 or U8",
            path, name, dtype);
    tensor->dtype = (wac_dtype)kind;

    if (json_array_size(shape) > WAC_TENSOR_RANK)
        return fail_tensor(error, path, name, "has more than 4 dimensions");
    tensor->rank = (int)json_array_size(shape);
    for (int i = 0; i < tensor->rank; i++) {
        json_t *length = json_array_get(shape, (size_t)i);
        if (!json_is_integer(length))
            return fail_tensor(error, path, name, "has a shape that is not made of whole numbers");
        tensor->shape[i] = json_integer_value(length);
    }

    json_int_t bytes;
    if (!count_bytes(&bytes, tensor))
        return fail_tensor(error, path, name, "has an impossible shape");
    if (place->begin < 0 || place->end < place->begin || place->end - place->begin != bytes)
        return fail_tensor(error, path, name, "has data_offsets that do not fit its shape");
    if ((uintmax_t)place->end > size)
        return fail_tensor(error, path, name, "reaches beyond the end of the file");
    return WAC_STATUS_OK;
}

static int compare_spans(const void *a, const void *b)
{
    const span *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* All entries; `spans` is room for as many. */
static wac_status read_entries(wac_tensor_file *file, span *spans, const char *data, size_t size,
                               wac_error *error)
{
    const char *name;
    json_t *entry;
    json_object_foreach(file->header, name, entry)
    {
        if (strcmp(name, metadata_key) == 0)
            continue;
        wac_tensor *tensor = &file->tensors[file->count];
        span *place = &spans[file->count];
        WAC_TRY(read_entry(tensor, place, file->path, name, entry, size, error));
        tensor->data = data + place->begin;
        file->count++;
    }

    /* laid end to end, the tensors are the data */
    json_int_t end = 0;
    qsort(spans, file->count, sizeof *spans, compare_spans);
    for (size_t i = 0; i < file->count; i++) {
        if (spans[i].begin != end)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "cannot use %s: its tensors overlap or leave a gap at byte %jd of the "
                            "data; %s",
                            file->path, (intmax_t)end, foreign);
        end = spans[i].end;
    }
    if ((uintmax_t)end != size)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "cannot use %s: it has %zu bytes of data and its tensors %jd; %s",
                        file->path, size, (intmax_t)end, foreign);
    return WAC_STATUS_OK;
}

static wac_status check_metadata(const wac_tensor_file *file, wac_error *error)
{
    json_t *metadata = json_object_get(file->header, metadata_key), *value;
    const char *key;
    bool good = !metadata || json_is_object(metadata);
    json_object_foreach(metadata, key, value) good = good && json_is_string(value);
    if (!good)
        return wac_fail(error, WAC_STATUS_INPUT, "cannot use %s: its %s are not strings; %s",
                        file->path, metadata_key, foreign);
    return WAC_STATUS_OK;
}

static wac_status read_header(wac_tensor_file *file, size_t size, wac_error *error)
{
    uint64_t length;
    if (size < PREFIX)
        return wac_fail(error, WAC_STATUS_INPUT, "cannot use %s: it has only %zu bytes; %s",
                        file->path, size, foreign);
    memcpy(&length, file->bytes, PREFIX);
    if (length > HEADER_LIMIT || length > size - PREFIX)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "cannot use %s: a header of %ju bytes does not fit into it; %s", file->path,
                        (uintmax_t)length, foreign);

    const char *text = file->bytes + PREFIX;
    json_error_t reason = {.text = "it does not start with a brace"};
    errno = 0;
    if (length > 0 && text[0] == '{')
        file->header = wac_json_load(text, length, JSON_REJECT_DUPLICATES, &reason);
    if (!file->header) {
        if (errno == ENOMEM)
            return wac_fail_memory(error, file->path);
        return wac_fail(error, WAC_STATUS_INPUT, "cannot use %s: its header is broken (%s); %s",
                        file->path, reason.text, foreign);
    }
    WAC_TRY(check_metadata(file, error));

    file->data = file->bytes + PREFIX + length;
    file->data_size = size - PREFIX - (size_t)length;
    size_t room = json_object_size(file->header) + 1;
    span *spans = calloc(room, sizeof *spans);
    file->tensors = calloc(room, sizeof *file->tensors);
    wac_status status = spans && file->tensors
                            ? read_entries(file, spans, file->data, file->data_size, error)
                            : wac_fail_memory(error, file->path);
    free(spans);
    return status;
}

wac_status wac_tensor_file_parse(wac_tensor_file **file, char *bytes, size_t size, const char *path,
                                 wac_error *error)
{
    *file = NULL;
    wac_tensor_file *made = calloc(1, sizeof *made);
    char *name = strdup(path);
    if (!made || !name) {
        free(made);
        free(name);
        free(bytes);
        return wac_fail_memory(error, path);
    }
    *made = (wac_tensor_file){.path = name, .bytes = bytes};
    wac_status status = read_header(made, size, error);
    if (status == WAC_STATUS_OK)
        *file = made;
    else
        wac_tensor_file_close(made);
    return status;
}

wac_status wac_tensor_file_open(wac_tensor_file **file, const char *path, wac_error *error)
{
    /* read, not mapped: a disk that fails is then an error and not a signal */
    char *bytes;
    size_t size;
    *file = NULL;
    WAC_TRY(wac_file_read(&bytes, &size, path, PTRDIFF_MAX - 1, error));
    return wac_tensor_file_parse(file, bytes, size, path, error);
}

void wac_tensor_file_close(wac_tensor_file *file)
{
    if (!file)
        return;
    json_decref(file->header);
    free(file->tensors);
    free(file->bytes);
    free(file->path);
    free(file);
}

const wac_tensor *wac_tensor_file_find(const wac_tensor_file *file, const char *name)
{
    for (size_t i = 0; i < file->count; i++) {
        if (strcmp(file->tensors[i].name, name) == 0)
            return &file->tensors[i];
    }
    return NULL;
}

const char *wac_tensor_file_metadata(const wac_tensor_file *file, const char *key)
{
    return json_string_value(json_object_get(json_object_get(file->header, metadata_key), key));
}

wac_status wac_tensor_file_copy(const wac_tensor_file *file, const char *name, wac_dtype dtype,
                                int64_t elements, void *data, wac_error *error)
{
    const wac_tensor *tensor = wac_tensor_file_find(file, name);
    if (!tensor)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s has no tensor \"%s\"; check that it was saved by the same algorithm",
                        file->path, name);
    if (tensor->dtype != dtype || wac_tensor_elements(tensor) != elements)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "tensor \"%s\" of %s is %jd x %s where %jd x %s is needed; check that it "
                        "was saved with the same settings",
                        name, file->path, (intmax_t)wac_tensor_elements(tensor),
                        dtypes[tensor->dtype].name, (intmax_t)elements, dtypes[dtype].name);
    if (elements > 0)
        memcpy(data, tensor->data, (size_t)elements * wac_dtype_size(dtype));
    return WAC_STATUS_OK;
}

/* --- checksums ------------------------------------------------------------------------------- */

static const char checksum_key[] = "checksum", zeros[] = "0000000000000000";
_Static_assert(sizeof zeros == sizeof(wac_checksum), "as many zeros as digits");

static size_t bytes_of(const wac_tensor *tensor)
{
    return (size_t)wac_tensor_elements(tensor) * wac_dtype_size(tensor->dtype);
}

uint64_t wac_checksum_add(uint64_t sum, const void *bytes, size_t size)
{
    return size > 0 ? lzma_crc64(bytes, size, sum) : sum;
}

wac_checksum wac_checksum_make(uint64_t sum)
{
    wac_checksum checksum;
    snprintf(checksum.digits, sizeof checksum.digits, "%016" PRIx64, sum);
    return checksum;
}

/* Where the digits are in the text of a header; null where they are not. */
static char *find_digits(const char *text, size_t length)
{
    /* quotes within a text have a backslash before them, so that this can only be the key */
    static const char key[] = "\"checksum\":\"";
    char *found = memmem(text, length, key, strlen(key));
    bool whole = found && (size_t)(text + length - found) > strlen(key) + strlen(zeros);
    return whole ? found + strlen(key) : NULL;
}

/* Of a header, as if its digits were zeros. */
static uint64_t sum_header(const char *text, size_t length)
{
    const char *digits = find_digits(text, length);
    if (!digits)
        return wac_checksum_add(0, text, length);
    size_t before = (size_t)(digits - text), after = before + strlen(zeros);
    uint64_t sum = wac_checksum_add(0, text, before);
    sum = wac_checksum_add(sum, zeros, strlen(zeros));
    return wac_checksum_add(sum, text + after, length - after);
}

wac_checksum wac_tensor_file_checksum(const wac_tensor_file *file)
{
    const char *text = file->bytes + PREFIX;
    return wac_checksum_make(wac_checksum_add(sum_header(text, (size_t)(file->data - text)),
                                              file->data, file->data_size));
}

bool wac_tensor_file_is_whole(const wac_tensor_file *file)
{
    const char *digits = wac_tensor_file_metadata(file, checksum_key);
    return digits && strcmp(digits, wac_tensor_file_checksum(file).digits) == 0;
}

void wac_tensor_file_seal(wac_tensor_file *file)
{
    const char *text = file->bytes + PREFIX;
    char *digits = find_digits(text, (size_t)(file->data - text));
    if (digits)
        memcpy(digits, wac_tensor_file_checksum(file).digits, strlen(zeros));
}

/* --- writing --------------------------------------------------------------------------------- */

/* Add what jansson packed as {name: value} to an object and release it; null: say why. */
static wac_status put(json_t *object, const char *name, json_t *packed, const json_error_t *reason,
                      const char *path, wac_error *error)
{
    if (!packed && json_error_code(reason) == json_error_invalid_utf8)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "cannot write %s: \"%.100s\" or its value is not UTF-8; rename it", path,
                        name);
    bool twice = packed && json_object_get(object, name);
    bool done = packed && !twice && json_object_update(object, packed) == 0;
    json_decref(packed);
    if (twice)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "cannot write %s: there are two \"%.100s\"; rename one of them", path,
                        name);
    return done ? WAC_STATUS_OK : wac_fail_memory(error, path);
}

static wac_status add_metadata(json_t *strings, const wac_metadata *metadata, const char *path,
                               wac_error *error)
{
    json_error_t reason;
    json_t *packed = json_pack_ex(&reason, 0, "{s:s}", metadata->key, metadata->value);
    return put(strings, metadata->key, packed, &reason, path, error);
}

static wac_status put_metadata(json_t *header, const wac_metadata *metadata, size_t count,
                               const char *path, wac_error *error)
{
    json_t *strings = json_object();
    /* the header owns it from here on, and keeps it first; it also takes the name from tensors */
    if (!strings || json_object_set_new(header, metadata_key, strings))
        return wac_fail_memory(error, path);
    for (size_t i = 0; i < count; i++)
        WAC_TRY(add_metadata(strings, &metadata[i], path, error));
    return WAC_STATUS_OK;
}

static wac_status put_tensors(json_t *header, const wac_tensor *tensors, size_t count,
                              const char *path, wac_error *error)
{
    json_int_t begin = 0;
    for (size_t i = 0; i < count; i++) {
        const wac_tensor *tensor = &tensors[i];
        json_t *shape = json_array();
        for (int j = 0; j < tensor->rank; j++) {
            if (json_array_append_new(shape, json_integer(tensor->shape[j]))) {
                json_decref(shape);
                return wac_fail_memory(error, path);
            }
        }
        json_int_t end;
        bool possible = count_bytes(&end, tensor) && !__builtin_add_overflow(begin, end, &end);
        assert(possible);
        (void)possible;
        json_error_t reason;
        json_t *packed =
            json_pack_ex(&reason, 0, "{s:{s:s, s:O, s:[I, I]}}", tensor->name, "dtype",
                         dtypes[tensor->dtype].name, "shape", shape, "data_offsets", begin, end);
        json_decref(shape);
        WAC_TRY(put(header, tensor->name, packed, &reason, path, error));
        begin = end;
    }
    return WAC_STATUS_OK;
}

/* The header as text with spaces behind it, which align the data; to be freed. */
static wac_status make_header(char **text, size_t *length, const char *path,
                              const wac_tensor *tensors, size_t count, const wac_metadata *metadata,
                              size_t metadata_count, bool sealed, wac_error *error)
{
    const wac_metadata open_seal = {checksum_key, zeros};
    wac_json_begin();
    json_t *header = json_object();
    if (!header)
        return wac_fail_memory(error, path);
    wac_status status = put_metadata(header, metadata, metadata_count, path, error);
    if (status == WAC_STATUS_OK && sealed)
        status = add_metadata(json_object_get(header, metadata_key), &open_seal, path, error);
    if (status == WAC_STATUS_OK)
        status = put_tensors(header, tensors, count, path, error);
    char *compact = NULL;
    if (status == WAC_STATUS_OK && !(compact = wac_json_text(header, JSON_COMPACT, length)))
        status = wac_fail_memory(error, path);
    json_decref(header);
    WAC_TRY(status);
    size_t padding = (PREFIX - *length % PREFIX) % PREFIX;
    char *padded = realloc(compact, *length + padding + 1);
    *text = padded;
    if (!padded) {
        free(compact);
        return wac_fail_memory(error, path);
    }
    memset(*text + *length, ' ', padding);
    *length += padding;
    return WAC_STATUS_OK;
}

static wac_checksum close_seal(char *header, size_t length, const wac_tensor *tensors, size_t count)
{
    uint64_t sum = sum_header(header, length);
    for (size_t i = 0; i < count; i++)
        sum = wac_checksum_add(sum, tensors[i].data, bytes_of(&tensors[i]));
    wac_checksum checksum = wac_checksum_make(sum);
    char *digits = find_digits(header, length);
    assert(digits);
    memcpy(digits, checksum.digits, strlen(zeros));
    return checksum;
}

static wac_status write_file(const char *path, const wac_tensor *tensors, size_t count,
                             const wac_metadata *metadata, size_t metadata_count,
                             wac_checksum *seal, wac_error *error)
{
    char *header;
    size_t length;
    WAC_TRY(
        make_header(&header, &length, path, tensors, count, metadata, metadata_count, seal, error));
    if (seal)
        *seal = close_seal(header, length, tensors, count);
    uint64_t prefix = length;
    wac_writer writer;
    wac_writer_begin(&writer, path);
    wac_writer_add(&writer, &prefix, PREFIX);
    wac_writer_add(&writer, header, length);
    for (size_t i = 0; i < count; i++)
        wac_writer_add(&writer, tensors[i].data, bytes_of(&tensors[i]));
    free(header);
    return wac_writer_commit(&writer, error);
}

wac_status wac_tensor_file_write(const char *path, const wac_tensor *tensors, size_t count,
                                 const wac_metadata *metadata, size_t metadata_count,
                                 wac_error *error)
{
    return write_file(path, tensors, count, metadata, metadata_count, NULL, error);
}

wac_status wac_tensor_file_write_sealed(const char *path, const wac_tensor *tensors, size_t count,
                                        const wac_metadata *metadata, size_t metadata_count,
                                        wac_checksum *sum, wac_error *error)
{
    wac_checksum own;
    return write_file(path, tensors, count, metadata, metadata_count, sum ? sum : &own, error);
}
