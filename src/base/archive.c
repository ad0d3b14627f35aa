/* Archives: tar by hand, as GNU writes it for names of any length; xz by liblzma. */
#include "base/archive.h"

#include "base/files.h"
#include "base/status.h"
#include "base/suggest.h"

#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 512,
    PIECE = 1 << 16,
    LONGEST_NAME = 1024,
};

/* The block before each file. */
typedef struct header {
    char name[100], mode[8], owner[8], group[8], size[12], time[12], sum[8], type, link[100];
    char magic[8]; /* "ustar", then two blanks, or a zero and "00" */
    char names[80];
    char prefix[155]; /* with the zero: comes before the name */
    char rest[12];
} header;
_Static_assert(sizeof(header) == BLOCK, "a header fills a block");

/* What stands in its field as blanks does not count. */
static unsigned sum_of(const header *head)
{
    header blank = *head;
    const unsigned char *bytes = (const unsigned char *)&blank;
    unsigned sum = 0;
    memset(blank.sum, ' ', sizeof blank.sum);
    for (int i = 0; i < BLOCK; i++)
        sum += bytes[i];
    return sum;
}

/* --- writing ---------------------------------------------------------------------------------- */

struct wac_archive {
    char path[PATH_MAX];
    wac_writer writer;
    lzma_stream stream;
    lzma_ret failure; /* LZMA_OK */
    unsigned char packed[PIECE];
};

/* Through the compressor; `action` LZMA_FINISH: to the last byte. */
static void compress(wac_archive *archive, const void *bytes, size_t size, lzma_action action)
{
    lzma_stream *stream = &archive->stream;
    lzma_ret result = archive->failure;
    stream->next_in = bytes;
    stream->avail_in = size;
    while (result == LZMA_OK && (stream->avail_in > 0 || action == LZMA_FINISH)) {
        stream->next_out = archive->packed;
        stream->avail_out = PIECE;
        result = lzma_code(stream, action);
        wac_writer_add(&archive->writer, archive->packed, PIECE - stream->avail_out);
    }
    archive->failure = result == LZMA_STREAM_END ? LZMA_OK : result;
}

wac_status wac_archive_begin(wac_archive **out, const char *path, wac_error *error)
{
    enum { PRESET = 6 };
    wac_archive *archive = calloc(1, sizeof *archive);
    if (!archive)
        return wac_fail_memory(error, path);
    snprintf(archive->path, sizeof archive->path, "%s", path);
    archive->stream = (lzma_stream)LZMA_STREAM_INIT;
    archive->failure = lzma_easy_encoder(&archive->stream, PRESET, LZMA_CHECK_CRC64);
    wac_writer_begin(&archive->writer, archive->path);
    *out = archive;
    return WAC_STATUS_OK;
}

/* A block, then the bytes, in whole blocks. */
static void add(wac_archive *archive, const char *name, char type, const void *bytes, size_t size)
{
    static const char nothing[BLOCK];
    header head = {.mode = "0000644",
                   .owner = "0000000",
                   .group = "0000000",
                   .time = "00000000000",
                   .type = type};
    memcpy(head.name, name, strnlen(name, sizeof head.name));
    memcpy(head.magic, "ustar  ", sizeof head.magic);
    snprintf(head.size, sizeof head.size, "%011zo", size);
    snprintf(head.sum, sizeof head.sum, "%06o", sum_of(&head));
    head.sum[7] = ' ';
    compress(archive, &head, BLOCK, LZMA_RUN);
    compress(archive, bytes, size, LZMA_RUN);
    compress(archive, nothing, (BLOCK - size % BLOCK) % BLOCK, LZMA_RUN);
}

void wac_archive_add(wac_archive *archive, const char *name, const void *bytes, size_t size)
{
    if (strlen(name) >= sizeof((header *)0)->name)
        add(archive, "././@LongLink", 'L', name, strlen(name) + 1);
    add(archive, name, '0', bytes, size);
}

wac_status wac_archive_commit(wac_archive *archive, wac_status status, wac_error *error)
{
    static const char end[2 * BLOCK];
    compress(archive, end, sizeof end, LZMA_FINISH);
    lzma_end(&archive->stream);
    /* what is not whole must not take the name; memory is all that a compressor can lack */
    if (archive->failure != LZMA_OK)
        archive->writer.failure = ENOMEM;
    if (status != WAC_STATUS_OK)
        archive->writer.failure = ECANCELED;
    wac_status written =
        wac_writer_commit(&archive->writer, status == WAC_STATUS_OK ? error : NULL);
    free(archive);
    return status == WAC_STATUS_OK ? written : status;
}

/* --- reading ---------------------------------------------------------------------------------- */

enum {
    MOST_FILES = 200000,
    LARGEST_ARCHIVE = 256 << 20,
    LARGEST_FILE = 256 << 20,
    LARGEST_WINDOW = 256 << 20, /* memory of the decompressor */
    HARMLESS = 64 << 20,        /* what any archive may unpack to; beyond that … */
    MOST_TIMES = 100,           /* … so many times its own size */
};

/* An archive that is being read. */
typedef struct reader {
    const char *path;
    lzma_stream stream;
    bool ended; /* the compressed part is whole */
    size_t size, unpacked, files;
    char name[LONGEST_NAME + 1]; /* a long one, for the next file */
    char *bytes;                 /* of the present file */
    size_t room;
} reader;

static wac_status fail_damaged(const reader *reader, wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "cannot unpack %s: it is cut off or damaged, or no archive of tar and xz; use "
                    "another copy",
                    reader->path);
}

/* So many bytes; *got may be less at the end of the compressed part. */
static wac_status decompress(reader *reader, void *bytes, size_t size, size_t *got,
                             wac_error *error)
{
    lzma_stream *stream = &reader->stream;
    stream->next_out = bytes;
    stream->avail_out = size;
    while (stream->avail_out > 0 && !reader->ended) {
        lzma_ret result = lzma_code(stream, LZMA_FINISH);
        reader->ended = result == LZMA_STREAM_END;
        if (result == LZMA_MEM_ERROR)
            return wac_fail_memory(error, reader->path);
        if (result != LZMA_OK && result != LZMA_STREAM_END)
            return fail_damaged(reader, error);
    }
    *got = size - stream->avail_out;
    reader->unpacked += *got;
    if (reader->unpacked <= HARMLESS || reader->unpacked / MOST_TIMES <= reader->size)
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "cannot unpack %s: its %zu bytes would become more than %zu million, which no "
                    "archive of runs does",
                    reader->path, reader->size, reader->unpacked / 1000000);
}

/* All of them, or it is cut off. */
static wac_status pull(reader *reader, void *bytes, size_t size, wac_error *error)
{
    size_t got;
    WAC_TRY(decompress(reader, bytes, size, &got, error));
    return got == size ? WAC_STATUS_OK : fail_damaged(reader, error);
}

/* A number in octal digits, with blanks around it. */
static bool read_octal(size_t *number, const char *field, size_t size)
{
    size_t i = 0;
    *number = 0;
    while (i < size && field[i] == ' ')
        i++;
    for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
        *number = 8 * *number + (size_t)(field[i] - '0');
    return i == size || field[i] == ' ' || field[i] == 0;
}

/* What a block says, if it is a header. */
static wac_status check_header(const reader *reader, const header *head, size_t *size,
                               wac_error *error)
{
    size_t sum;
    bool good = read_octal(&sum, head->sum, sizeof head->sum) && sum == sum_of(head) &&
                memcmp(head->magic, "ustar", 5) == 0 &&
                read_octal(size, head->size, sizeof head->size);
    if (!good)
        return fail_damaged(reader, error);
    if (*size > LARGEST_FILE)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "cannot unpack %s: a file in it has %zu bytes, more than any of a run",
                        reader->path, *size);
    return WAC_STATUS_OK;
}

/* Relative, downwards only, and fit to be printed. */
static bool is_good_name(const char *name)
{
    if (!*name)
        return false;
    for (const char *part = name, *end;; part = end + 1) {
        end = strchrnul(part, '/');
        size_t size = (size_t)(end - part);
        if (size == 0 || size > NAME_MAX || strncmp(part, "..", size) == 0)
            return false;
        if (!*end)
            break;
    }
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 127)
            return false;
    return true;
}

/* The name of a file: its own, behind the prefix, or the long one that came before. */
static wac_status read_name(reader *reader, const header *head, char name[LONGEST_NAME + 1],
                            wac_error *error)
{
    bool has_prefix = head->magic[5] == 0 && head->prefix[0];
    int used = has_prefix ? snprintf(name, LONGEST_NAME, "%.155s/", head->prefix) : 0;
    if (*reader->name)
        strcpy(name, reader->name);
    else
        snprintf(name + used, LONGEST_NAME - (size_t)used, "%.100s", head->name);
    *reader->name = 0;
    size_t length = strlen(name);
    if (head->type == '5' && length > 0 && name[length - 1] == '/')
        name[length - 1] = 0;
    if (!is_good_name(name))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "cannot unpack %s: a name in it, \"%s\", leads elsewhere or is none",
                        reader->path, WAC_CLIP(name));
    return WAC_STATUS_OK;
}

/* The bytes of a file, and what fills its last block; a zero behind them. */
static wac_status read_bytes(reader *reader, size_t size, wac_error *error)
{
    for (size_t have = 0, blocks = (size + BLOCK - 1) / BLOCK * BLOCK; have < blocks;) {
        size_t piece = blocks - have < PIECE ? blocks - have : PIECE;
        /* no more room than what has come needs: sizes may lie */
        if (reader->room < have + piece + 1) {
            char *more = realloc(reader->bytes, 2 * (have + piece) + 1);
            if (!more)
                return wac_fail_memory(error, reader->path);
            reader->bytes = more;
            reader->room = 2 * (have + piece) + 1;
        }
        WAC_TRY(pull(reader, reader->bytes + have, piece, error));
        have += piece;
    }
    if (size > 0)
        reader->bytes[size] = 0;
    return WAC_STATUS_OK;
}

static wac_status read_long_name(reader *reader, size_t size, wac_error *error)
{
    if (size == 0 || size > sizeof reader->name)
        return fail_damaged(reader, error);
    WAC_TRY(read_bytes(reader, size, error));
    snprintf(reader->name, sizeof reader->name, "%s", reader->bytes);
    return *reader->name ? WAC_STATUS_OK : fail_damaged(reader, error);
}

static wac_status read_entry(reader *reader, const header *head, wac_archive_file_fn *take,
                             void *user, wac_error *error)
{
    char name[LONGEST_NAME + 1];
    size_t size = 0;
    WAC_TRY(check_header(reader, head, &size, error));
    if (head->type == 'L')
        return read_long_name(reader, size, error);
    WAC_TRY(read_name(reader, head, name, error));
    bool is_folder = head->type == '5';
    if (head->type && head->type != '0' && !(is_folder && size == 0))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "cannot unpack %s: \"%s\" in it is a link or no plain file", reader->path,
                        WAC_CLIP(name));
    if (++reader->files > MOST_FILES)
        return wac_fail(error, WAC_STATUS_INPUT, "cannot unpack %s: it has more than %d files",
                        reader->path, MOST_FILES);
    WAC_TRY(read_bytes(reader, size, error));
    return is_folder ? WAC_STATUS_OK : take(user, name, size ? reader->bytes : "", size, error);
}

static bool is_zero(const void *bytes, size_t size)
{
    const char *all = bytes;
    return size == 0 || (all[0] == 0 && memcmp(all, all + 1, size - 1) == 0);
}

/* Headers and files up to a block of zeros; then only zeros, to the end of the compressed part. */
static wac_status read_all(reader *reader, wac_archive_file_fn *take, void *user, wac_error *error)
{
    header head;
    WAC_TRY(pull(reader, &head, BLOCK, error));
    while (!is_zero(&head, BLOCK)) {
        WAC_TRY(read_entry(reader, &head, take, user, error));
        WAC_TRY(pull(reader, &head, BLOCK, error));
    }
    size_t got = BLOCK;
    bool clean = true;
    while (got > 0 && clean) {
        WAC_TRY(decompress(reader, &head, BLOCK, &got, error));
        clean = is_zero(&head, got);
    }
    return clean && reader->stream.avail_in == 0 && reader->files > 0 ? WAC_STATUS_OK
                                                                      : fail_damaged(reader, error);
}

wac_status wac_archive_parse(const void *bytes, size_t size, const char *path,
                             wac_archive_file_fn *take, void *user, wac_error *error)
{
    reader reader = {.path = path, .stream = LZMA_STREAM_INIT, .size = size};
    if (lzma_stream_decoder(&reader.stream, LARGEST_WINDOW, 0) != LZMA_OK)
        return wac_fail_memory(error, path);
    reader.stream.next_in = bytes;
    reader.stream.avail_in = size;
    wac_status status = read_all(&reader, take, user, error);
    lzma_end(&reader.stream);
    free(reader.bytes);
    return status;
}

wac_status wac_archive_read(const char *path, wac_archive_file_fn *take, void *user,
                            wac_error *error)
{
    char *bytes;
    size_t size;
    WAC_TRY(wac_file_read(&bytes, &size, path, LARGEST_ARCHIVE, error));
    wac_status status = wac_archive_parse(bytes, size, path, take, user, error);
    free(bytes);
    return status;
}
