/* Named arrays in files: the safetensors format, as PyTorch and NumPy read and write it.
 *
 * A file is an 8-byte little-endian header length, a JSON header (name -> dtype, shape, byte
 * offsets; "__metadata__" -> strings), and the raw data, without gaps or overlaps.
 */
#ifndef WAC_BASE_TENSORS_H
#define WAC_BASE_TENSORS_H

#include "wac/base.h"

typedef enum wac_dtype { WAC_DTYPE_F32, WAC_DTYPE_F64, WAC_DTYPE_I64, WAC_DTYPE_U8 } wac_dtype;

enum { WAC_TENSOR_RANK = 4 };

typedef struct wac_tensor {
    const char *name;
    wac_dtype dtype;
    int rank;
    int64_t shape[WAC_TENSOR_RANK];
    const void *data; /* row by row; see wac_tensor_file_open on alignment */
} wac_tensor;

typedef struct wac_metadata {
    const char *key, *value;
} wac_metadata;

size_t wac_dtype_size(wac_dtype dtype);
int64_t wac_tensor_elements(const wac_tensor *tensor);

/* An open file; all of it lives until close. */
typedef struct wac_tensor_file {
    char *path;
    size_t count;
    wac_tensor *tensors;   /* [count], in the order of the header */
    struct json_t *header; /* owns names and metadata */
    char *bytes, *data;    /* of the file; the tensors' part of them, behind the header's */
    size_t data_size;
} wac_tensor_file;

/* Reads the whole file and checks all of its header: a truncated or foreign file is an error that
 * names the path and what is wrong. The data part of a
 * file of ours starts at a multiple of 8 bytes, so tensors of one dtype are aligned; elsewhere
 * `data` may be unaligned for its dtype, which wac_tensor_file_copy does not mind. */
wac_status wac_tensor_file_open(wac_tensor_file **file, const char *path, wac_error *error);

/* The same from memory: takes over `bytes` (from malloc), also when it fails. `path` is for
 * messages. */
wac_status wac_tensor_file_parse(wac_tensor_file **file, char *bytes, size_t size, const char *path,
                                 wac_error *error);
void wac_tensor_file_close(wac_tensor_file *file); /* null is fine */

const wac_tensor *wac_tensor_file_find(const wac_tensor_file *file, const char *name); /* or null */
const char *wac_tensor_file_metadata(const wac_tensor_file *file, const char *key);    /* or null */

/* Copy a tensor's data out; an error if it is missing or not of this dtype and this many elements.
 */
wac_status wac_tensor_file_copy(const wac_tensor_file *file, const char *name, wac_dtype dtype,
                                int64_t elements, void *data, wac_error *error);

/* A checksum in hexadecimal digits: CRC-64, as xz has it. A sealed file has one of its header and
 * data among its metadata, as "checksum"; in the place of its own digits zeros are counted. */
typedef struct wac_checksum {
    char digits[17];
} wac_checksum;

/* Of bytes after others, whose sum is given, 0 of none; and its digits. */
uint64_t wac_checksum_add(uint64_t sum, const void *bytes, size_t size);
wac_checksum wac_checksum_make(uint64_t sum);

/* That of a file as it is, whatever it says itself. */
wac_checksum wac_tensor_file_checksum(const wac_tensor_file *file);

/* Whether a file is sealed, and as it was then. */
bool wac_tensor_file_is_whole(const wac_tensor_file *file);

/* After the data of a sealed file was changed: seal it as it is. */
void wac_tensor_file_seal(wac_tensor_file *file);

/* Write tensors and metadata in the order given, as wac_file_write does. The bytes depend on
 * nothing else. A name used twice or not in UTF-8 is an error (input). Streams the data: needs no
 * second copy of it in memory. */
wac_status wac_tensor_file_write(const char *path, const wac_tensor *tensors, size_t count,
                                 const wac_metadata *metadata, size_t metadata_count,
                                 wac_error *error);

/* The same, and seal the file; `sum` may be null. */
wac_status wac_tensor_file_write_sealed(const char *path, const wac_tensor *tensors, size_t count,
                                        const wac_metadata *metadata, size_t metadata_count,
                                        wac_checksum *sum, wac_error *error);

#endif
