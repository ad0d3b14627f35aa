/* Any bytes as a tar, within a sound xz, or as the whole archive: refused with a sentence that
 * names it, or files whose names lead nowhere but down. */
#include "base/archive.h"
#include "support/hostile_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wac_error error = {0};
    size_t files = 0;
    bool is_tar = size > 0 && data[0] == 't';
    pile tar = {0}, packed = {0};
    pile_add(&tar, data + is_tar, size - is_tar);
    if (is_tar) {
        mend(&tar);
        packed = xz_of(&tar);
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
