/* Any bytes at all as a safetensors file: refused with a message, or every tensor lies in them.
 *
 * The input is tried as it is, and again as header and data with a length in front that fits, which
 * gets more of them past the first check. Both go into a block of their exact size, so that a step
 * beyond the end is seen.
 */
#include "base/tensors.h"
#include "fuzz/fuzz.h"

static void *take(size_t size)
{
    void *bytes = malloc(size ? size : 1);
    require(bytes);
    return bytes;
}

/* Takes over `bytes`. */
static void check(char *bytes, size_t size)
{
    wac_tensor_file *file;
    wac_error error = {0};
    if (wac_tensor_file_parse(&file, bytes, size, "input", &error) != WAC_STATUS_OK) {
        require(!file && error.status == WAC_STATUS_INPUT && strstr(error.message, "input"));
        return;
    }
    require(!error.message[0]);
    size_t total = 0;
    for (size_t i = 0; i < file->count; i++) {
        const wac_tensor *tensor = &file->tensors[i];
        int64_t elements = wac_tensor_elements(tensor);
        size_t length = (size_t)elements * wac_dtype_size(tensor->dtype);
        require(tensor->rank <= WAC_TENSOR_RANK);
        require(wac_tensor_file_find(file, tensor->name) == tensor);
        /* reads every byte */
        void *copy = take(length);
        require(wac_tensor_file_copy(file, tensor->name, tensor->dtype, elements, copy, &error) ==
                WAC_STATUS_OK);
        free(copy);
        total += length;
    }
    /* nothing but data behind the header */
    uint64_t header;
    memcpy(&header, bytes, 8);
    require(total == size - 8 - header);
    wac_tensor_file_metadata(file, "key");
    wac_tensor_file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    char *bytes = take(size);
    if (size > 0)
        memcpy(bytes, input, size);
    check(bytes, size);

    /* the first byte says how much of the rest is data */
    if (size > 0 && input[0] < size) {
        uint64_t header = size - 1 - input[0];
        bytes = take(size + 7);
        memcpy(bytes, &header, 8);
        memcpy(bytes + 8, input + 1, size - 1);
        check(bytes, size + 7);
    }
    return 0;
}
