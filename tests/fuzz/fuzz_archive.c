/* Any bytes as a tar, within a sound xz, or as the whole archive: refused with a sentence that
 * names it, or files whose names lead nowhere but down. */
#include "base/archive.h"
#include "fuzz/fuzz.h"
#include "support/hostile_archive.h"

static wac_status check(void *user, const char *name, const void *bytes, size_t size,
                        wac_error *error)
{
    (void)error;
    const volatile char *all = bytes;
    require(*name && *name != '/' && name[strlen(name) - 1] != '/' && !strstr(name, "//"));
    require(strcmp(name, "..") != 0 && strncmp(name, "../", 3) != 0 && !strstr(name, "/../"));
    for (size_t i = 0; i < size; i++)
        (void)all[i];
    ++*(size_t *)user;
    return WAC_STATUS_OK;
}

/* The checksum of every header is set right, which is hard to guess. */
static void mend(pile *tar)
{
    for (size_t at = 0; at + 512 <= tar->size; at += 512) {
        uint8_t *head = tar->bytes + at;
        unsigned sum = 0;
        if (memcmp(head + 257, "ustar", 5) != 0)
            continue;
        memset(head + 148, ' ', 8);
        for (int i = 0; i < 512; i++)
            sum += head[i];
        char text[8];
        snprintf(text, sizeof text, "%06o", sum & 0777777);
        memcpy(head + 148, text, 8);
    }
}

/* xz around it that does not compress, which takes long; free() the bytes of both. */
static pile xz_around(const pile *tar)
{
    uint8_t room[LZMA_STREAM_HEADER_SIZE], listed[64];
    lzma_stream_flags flags = {.check = LZMA_CHECK_CRC64};
    lzma_filter filters[LZMA_FILTERS_MAX + 1] = {{.id = LZMA_VLI_UNKNOWN}};
    lzma_block block = {.check = LZMA_CHECK_CRC64, .filters = filters};
    size_t most = lzma_block_buffer_bound(tar->size), used = 0, listed_size = 0;
    pile packed = {0};
    uint8_t *bytes = malloc(most);
    lzma_index *index = lzma_index_init(NULL);
    require(bytes && index && lzma_stream_header_encode(&flags, room) == LZMA_OK);
    pile_add(&packed, room, sizeof room);
    require(lzma_block_uncomp_encode(&block, tar->bytes, tar->size, bytes, &used, most) == LZMA_OK);
    pile_add(&packed, bytes, used);
    require(lzma_index_append(index, NULL, lzma_block_unpadded_size(&block),
                              block.uncompressed_size) == LZMA_OK);
    flags.backward_size = lzma_index_size(index);
    require(lzma_index_buffer_encode(index, listed, &listed_size, sizeof listed) == LZMA_OK);
    pile_add(&packed, listed, listed_size);
    require(lzma_stream_footer_encode(&flags, room) == LZMA_OK);
    pile_add(&packed, room, sizeof room);
    lzma_index_end(index, NULL);
    free(bytes);
    return packed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wac_error error = {0};
    size_t files = 0;
    bool is_tar = size > 0 && data[0] == 't';
    pile tar = {0}, packed = {0};
    pile_add(&tar, data + is_tar, size - is_tar);
    if (is_tar) {
        mend(&tar);
        packed = xz_around(&tar);
    }
    const pile *input = is_tar ? &packed : &tar;
    wac_status status =
        wac_archive_parse(input->bytes, input->size, "input", check, &files, &error);
    if (status == WAC_STATUS_OK)
        require(!error.message[0]);
    else
        require(status == WAC_STATUS_INPUT && strstr(error.message, "input") &&
                !strchr(error.message, '\n'));
    free(tar.bytes);
    free(packed.bytes);
    return 0;
}
