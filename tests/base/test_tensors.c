/* Named arrays: what is written comes back, and nothing wrong is taken for right. Files of other
 * programs are put together by hand, byte by byte. */
#include "support/folder.h"

#include "base/tensors.h"

#include <signal.h>
#include <sys/resource.h>

static char path[PATH_MAX + 16];

static int setup(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    if (make_root(base ? base : "/tmp", "tensors"))
        return -1;
    snprintf(path, sizeof path, "%s/a.safetensors", root);
    return 0;
}

static wac_tensor_file *open_good(void)
{
    wac_tensor_file *file;
    wac_status status = wac_tensor_file_open(&file, path, &error);
    if (status != WAC_STATUS_OK)
        print_message("%s\n", error.message);
    assert_int_equal(status, WAC_STATUS_OK);
    return file;
}

/* Header text and `size` bytes of data 0, 1, 2, … as a file. */
static void write_by_hand(const char *header, size_t size)
{
    size_t length = strlen(header);
    char *bytes = malloc(8 + length + size);
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(length >> 8 * i);
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < size; i++)
        bytes[8 + length + i] = (char)i;
    assert_int_equal(wac_file_write(path, bytes, 8 + length + size, &error), WAC_STATUS_OK);
    free(bytes);
}

/* Refused, with a sentence that names the file and holds `part`. */
static void assert_refused(const char *header, size_t size, const char *part)
{
    wac_tensor_file *file = (wac_tensor_file *)&error;
    write_by_hand(header, size);
    wac_status status = wac_tensor_file_open(&file, path, &error);
    if (status != WAC_STATUS_INPUT || !strstr(error.message, part))
        print_message("%s\n-> %s\n", header, error.message);
    assert_int_equal(status, WAC_STATUS_INPUT);
    assert_null(file);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, part));
}

static const float floats[6] = {1, -2.5f, 3e-40f, 4, 5, 6};
static const double doubles[2] = {0.1, -1e300};
static const int64_t integers[3] = {INT64_MIN, 0, INT64_MAX};
static const uint8_t bytes_of_5[5] = {0, 255, 7, 8, 9};
static const wac_tensor samples[] = {
    {"actor/hidden0/weight", WAC_DTYPE_F32, 2, {2, 3}, floats},
    {"doubles", WAC_DTYPE_F64, 4, {1, 2, 1, 1}, doubles},
    {"integers \"\u03c3\"\n", WAC_DTYPE_I64, 1, {3}, integers},
    {"nothing", WAC_DTYPE_F32, 2, {0, 7}, NULL},
    {"bytes", WAC_DTYPE_U8, 1, {5}, bytes_of_5},
    {"scalar", WAC_DTYPE_F64, 0, {0}, doubles},
};
static const wac_metadata sample_metadata[] = {{"algorithm", "oe-wac"},
                                               {"note", "\u03b2 \"x\" \\"}};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void write_samples(void)
{
    assert_int_equal(wac_tensor_file_write(path, samples, SAMPLES, sample_metadata, 2, &error),
                     WAC_STATUS_OK);
}

static void test_dtypes(void **state)
{
    (void)state;
    assert_int_equal(wac_dtype_size(WAC_DTYPE_F32), 4);
    assert_int_equal(wac_dtype_size(WAC_DTYPE_F64), 8);
    assert_int_equal(wac_dtype_size(WAC_DTYPE_I64), 8);
    assert_int_equal(wac_dtype_size(WAC_DTYPE_U8), 1);
    assert_int_equal(wac_tensor_elements(&samples[0]), 6);
    assert_int_equal(wac_tensor_elements(&samples[3]), 0);
    assert_int_equal(wac_tensor_elements(&samples[5]), 1);
}

static void test_round_trip(void **state)
{
    (void)state;
    write_samples();
    wac_tensor_file *file = open_good();
    assert_string_equal(file->path, path);
    assert_int_equal(file->count, SAMPLES);
    for (size_t i = 0; i < SAMPLES; i++) {
        const wac_tensor *tensor = &file->tensors[i], *sample = &samples[i];
        size_t size = (size_t)wac_tensor_elements(sample) * wac_dtype_size(sample->dtype);
        assert_string_equal(tensor->name, sample->name);
        assert_int_equal(tensor->dtype, sample->dtype);
        assert_int_equal(tensor->rank, sample->rank);
        assert_memory_equal(tensor->shape, sample->shape, sizeof tensor->shape);
        if (size > 0)
            assert_memory_equal(tensor->data, sample->data, size);
        assert_ptr_equal(wac_tensor_file_find(file, sample->name), tensor);
    }
    assert_null(wac_tensor_file_find(file, "actor"));
    assert_null(wac_tensor_file_find(file, "__metadata__"));
    assert_string_equal(wac_tensor_file_metadata(file, "algorithm"), "oe-wac");
    assert_string_equal(wac_tensor_file_metadata(file, "note"), sample_metadata[1].value);
    assert_null(wac_tensor_file_metadata(file, "no"));
    wac_tensor_file_close(file);
    wac_tensor_file_close(NULL);
    assert_string_equal(error.message, "");
}

static void test_bytes_are_as_the_format_says(void **state)
{
    (void)state;
    /* written twice, to see that nothing else gets in */
    for (int i = 0; i < 2; i++) {
        char *bytes;
        size_t size;
        const char *header =
            "{\"__metadata__\":{\"k\":\"v\"},\"b\":{\"dtype\":\"U8\",\"shape\":[5],"
            "\"data_offsets\":[0,5]},\"a\":{\"dtype\":\"F32\",\"shape\":[],"
            "\"data_offsets\":[5,9]}}";
        const wac_tensor tensors[] = {{"b", WAC_DTYPE_U8, 1, {5}, bytes_of_5},
                                      {"a", WAC_DTYPE_F32, 0, {0}, floats}};
        const wac_metadata metadata = {"k", "v"};
        assert_int_equal(wac_tensor_file_write(path, tensors, 2, &metadata, 1, &error),
                         WAC_STATUS_OK);
        assert_int_equal(wac_file_read(&bytes, &size, path, 1000, &error), WAC_STATUS_OK);
        size_t length = strlen(header), padded = (length + 7) / 8 * 8;
        assert_int_equal(size, 8 + padded + 9);
        assert_int_equal((unsigned char)bytes[0], padded);
        assert_memory_equal(bytes + 1, "\0\0\0\0\0\0\0", 7);
        assert_memory_equal(bytes + 8, header, length);
        for (size_t j = length; j < padded; j++)
            assert_int_equal(bytes[8 + j], ' ');
        assert_memory_equal(bytes + 8 + padded, bytes_of_5, 5);
        assert_memory_equal(bytes + 8 + padded + 5, "\0\0\x80\x3f", 4);
        free(bytes);
    }
}

static void test_data_is_aligned(void **state)
{
    (void)state;
    char name[20] = "";
    for (int i = 0; i < 16; i++) {
        /* headers of all lengths modulo 8 */
        name[i] = 'x';
        const wac_tensor tensor = {name, WAC_DTYPE_F64, 1, {2}, doubles};
        assert_int_equal(wac_tensor_file_write(path, &tensor, 1, NULL, 0, &error), WAC_STATUS_OK);
        wac_tensor_file *file = open_good();
        assert_int_equal((uintptr_t)file->tensors[0].data % 8, 0);
        wac_tensor_file_close(file);
    }
}

static void test_no_tensors(void **state)
{
    (void)state;
    assert_int_equal(wac_tensor_file_write(path, NULL, 0, NULL, 0, &error), WAC_STATUS_OK);
    wac_tensor_file *file = open_good();
    assert_int_equal(file->count, 0);
    assert_null(wac_tensor_file_metadata(file, "k"));
    wac_tensor_file_close(file);
}

static void test_many_tensors(void **state)
{
    (void)state;
    enum { COUNT = 1000, LENGTH = 1000 };
    static char names[COUNT][16];
    static wac_tensor tensors[COUNT];
    float *data = malloc(sizeof(float) * COUNT * LENGTH), back[LENGTH];
    for (int i = 0; i < COUNT * LENGTH; i++)
        data[i] = (float)i;
    for (int i = 0; i < COUNT; i++) {
        /* neither sorted by name nor by hash */
        snprintf(names[i], sizeof names[i], "t%d", i * 7919 % COUNT);
        tensors[i] = (wac_tensor){names[i], WAC_DTYPE_F32, 1, {LENGTH}, data + i * LENGTH};
    }
    assert_int_equal(wac_tensor_file_write(path, tensors, COUNT, NULL, 0, &error), WAC_STATUS_OK);
    wac_tensor_file *file = open_good();
    assert_int_equal(file->count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_string_equal(file->tensors[i].name, names[i]);
        assert_int_equal(wac_tensor_file_copy(file, names[i], WAC_DTYPE_F32, LENGTH, back, &error),
                         WAC_STATUS_OK);
        assert_memory_equal(back, tensors[i].data, sizeof back);
    }
    wac_tensor_file_close(file);
    free(data);
}

static void test_copy(void **state)
{
    (void)state;
    double back[2] = {7, 7};
    write_samples();
    wac_tensor_file *file = open_good();
    assert_int_equal(wac_tensor_file_copy(file, "doubles", WAC_DTYPE_F64, 2, back, &error),
                     WAC_STATUS_OK);
    assert_memory_equal(back, doubles, sizeof back);
    assert_int_equal(wac_tensor_file_copy(file, "nothing", WAC_DTYPE_F32, 0, NULL, &error),
                     WAC_STATUS_OK);

    back[0] = 7;
    assert_int_equal(wac_tensor_file_copy(file, "no", WAC_DTYPE_F64, 2, back, &error),
                     WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "has no tensor \"no\""));
    assert_non_null(strstr(error.message, path));
    assert_int_equal(wac_tensor_file_copy(file, "doubles", WAC_DTYPE_I64, 2, back, &error),
                     WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "2 x F64 where 2 x I64 is needed"));
    assert_int_equal(wac_tensor_file_copy(file, "doubles", WAC_DTYPE_F64, 1, back, &error),
                     WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "2 x F64 where 1 x F64 is needed"));
    assert_non_null(strstr(error.message, path));
    assert_true(back[0] == 7);
    wac_tensor_file_close(file);
}

static void test_file_of_another_program(void **state)
{
    (void)state;
    /* as Python's json.dumps writes it: blanks, data in another order, odd alignment, escapes */
    write_by_hand("{\"w\": {\"dtype\": \"F64\", \"shape\": [1], \"data_offsets\": [3, 11]}, "
                  "\"\\u03c3\": {\"shape\": [3], \"data_offsets\": [0, 3], \"dtype\": \"U8\"}, "
                  "\"__metadata__\": {\"format\": \"pt\"}}  ",
                  11);
    wac_tensor_file *file = open_good();
    double value, expected;
    const unsigned char raw[] = {3, 4, 5, 6, 7, 8, 9, 10};
    memcpy(&expected, raw, 8);
    assert_int_equal(file->count, 2);
    assert_int_equal(wac_tensor_file_copy(file, "w", WAC_DTYPE_F64, 1, &value, &error),
                     WAC_STATUS_OK);
    assert_memory_equal(&value, &expected, 8);
    const wac_tensor *sigma = wac_tensor_file_find(file, "\u03c3");
    assert_non_null(sigma);
    assert_memory_equal(sigma->data, "\0\1\2", 3);
    assert_string_equal(wac_tensor_file_metadata(file, "format"), "pt");
    wac_tensor_file_close(file);
}

static void test_every_cut_is_noticed(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    write_samples();
    assert_int_equal(wac_file_read(&bytes, &size, path, 10000, &error), WAC_STATUS_OK);
    for (size_t cut = 0; cut <= size + 1; cut++) {
        /* copied to its exact size, for the address sanitizer; one more byte is as wrong */
        wac_tensor_file *file;
        char *part = malloc(cut ? cut : 1);
        memcpy(part, bytes, cut);
        wac_status status = wac_tensor_file_parse(&file, part, cut, "the file", &error);
        assert_int_equal(status, cut == size ? WAC_STATUS_OK : WAC_STATUS_INPUT);
        if (cut != size)
            assert_non_null(strstr(error.message, "cannot use the file: "));
        wac_tensor_file_close(file);
    }
    free(bytes);
}

static void test_every_flipped_bit_is_survived(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    write_samples();
    assert_int_equal(wac_file_read(&bytes, &size, path, 10000, &error), WAC_STATUS_OK);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        wac_tensor_file *file;
        char *copy = malloc(size);
        memcpy(copy, bytes, size);
        copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
        wac_status status = wac_tensor_file_parse(&file, copy, size, "the file", &error);
        assert_true(status == WAC_STATUS_OK || status == WAC_STATUS_INPUT);
        /* each bit of the length matters */
        if (bit < 64)
            assert_int_equal(status, WAC_STATUS_INPUT);
        wac_tensor_file_close(file);
    }
    free(bytes);
}

static void test_wrong_length_of_header(void **state)
{
    (void)state;
    const struct {
        uint64_t length;
        const char *part;
    } cases[] = {
        {0, "does not start with a brace"},
        {1, "header is broken"},
        {9, "9 bytes does not fit"},
        {100000001, "does not fit"},
        {INT64_MAX, "does not fit"},
        {UINT64_MAX - 7, "does not fit"},
        {UINT64_MAX, "18446744073709551615 bytes does not fit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wac_tensor_file *file;
        char *bytes = malloc(16);
        memcpy(bytes, &cases[i].length, 8);
        memcpy(bytes + 8, "{}      ", 8);
        assert_int_equal(wac_tensor_file_parse(&file, bytes, 16, path, &error), WAC_STATUS_INPUT);
        assert_non_null(strstr(error.message, cases[i].part));
    }
}

static void test_wrong_headers(void **state)
{
    (void)state;
#define T(dtype, shape, begin, end)                                                                \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #begin "," #end "]}"
    const char *entry = "lacks a dtype, a shape or two data_offsets", *shape = "impossible shape",
               *offsets = "data_offsets that do not fit", *overlap = "overlap or leave a gap";
    const struct {
        const char *header;
        size_t size;
        const char *part;
    } cases[] = {
        {"[]", 0, "does not start with a brace"},
        {" {}", 0, "does not start with a brace"},
        {"{} x", 0, "header is broken"},
        {"{\"a\":", 0, "header is broken"},
        {"{\"\xff\":1}", 0, "header is broken"},
        {"{\"a\":" T("U8", "[1]", 0, 1) ",\"a\":" T("U8", "[1]", 1, 2) "}", 2, "duplicate"},
        {"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
         "duplicate"},
        {"{\"a\":1}", 0, entry},
        {"{\"a\":null}", 0, entry},
        {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1, entry},
        {"{\"a\":{\"dtype\":1,\"shape\":[1],\"data_offsets\":[0,1]}}", 1, entry},
        {"{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1, entry},
        {"{\"a\":" T("U8", "1", 0, 1) "}", 1, entry},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, entry},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0]}}", 1, entry},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,1]}}", 1, entry},
        {"{\"a\":" T("U8", "[1]", 0.0, 1) "}", 1, entry},
        {"{\"a\":" T("U8", "[1]", 0, 1.0) "}", 1, entry},
        {"{\"a\":" T("U8", "[1.0]", 0, 1) "}", 1, "whole numbers"},
        {"{\"a\":" T("U8", "[\"1\"]", 0, 1) "}", 1, "whole numbers"},
        {"{\"odd\":" T("BF16", "[1]", 0, 2) "}", 2,
         "tensor \"odd\" has the unknown dtype \"BF16\""},
        {"{\"a\":" T("f32", "[1]", 0, 4) "}", 4, "unknown dtype"},
        {"{\"a\":" T("U8", "[1,1,1,1,1]", 0, 1) "}", 1, "more than 4 dimensions"},
        {"{\"a\":" T("U8", "[-1,-1]", 0, 1) "}", 1, shape},
        {"{\"a\":" T("U8", "[4294967296,4294967296]", 0, 0) "}", 0, shape},
        {"{\"a\":" T("F64", "[2305843009213693952]", 0, 0) "}", 0, shape},
        {"{\"a\":" T("F64", "[1152921504606846976,2,8]", 0, 0) "}", 0, shape},
        {"{\"a\":" T("U8", "[99999999999999999999]", 0, 0) "}", 0, "header is broken"},
        {"{\"a\":" T("F32", "[2]", 0, 4) "}", 4, offsets},
        {"{\"a\":" T("U8", "[1]", 1, 0) "}", 1, offsets},
        {"{\"a\":" T("U8", "[1]", -1, 0) "}", 1, offsets},
        {"{\"a\":" T("U8", "[0]", -1, -1) "}", 0, offsets},
        {"{\"a\":" T("U8", "[1]", -9223372036854775807, 9223372036854775807) "}", 0, offsets},
        {"{\"a\":" T("U8", "[1]", 1, -9223372036854775808) "}", 1, offsets},
        {"{\"a\":" T("U8", "[2]", 0, 2) "}", 1, "reaches beyond the end"},
        {"{\"a\":" T("U8", "[0]", 9223372036854775807, 9223372036854775807) "}", 0,
         "reaches beyond the end"},
        {"{\"a\":" T("U8", "[2]", 0, 2) "}", 3, "3 bytes of data and its tensors 2"},
        {"{}", 1, "1 bytes of data and its tensors 0"},
        {"{\"a\":" T("U8", "[2]", 1, 3) "}", 3, overlap},
        {"{\"a\":" T("U8", "[2]", 0, 2) ",\"b\":" T("U8", "[2]", 1, 3) "}", 3, overlap},
        {"{\"a\":" T("U8", "[2]", 0, 2) ",\"b\":" T("U8", "[2]", 0, 2) "}", 2, overlap},
        {"{\"a\":" T("U8", "[3]", 0, 3) ",\"b\":" T("U8", "[1]", 1, 2) "}", 3, overlap},
        {"{\"a\":" T("U8", "[1]", 0, 1) ",\"b\":" T("U8", "[1]", 2, 3) "}", 3, overlap},
        {"{\"a\":" T("U8", "[2]", 0, 2) ",\"b\":" T("U8", "[0]", 1, 1) "}", 2, overlap},
        {"{\"__metadata__\":1}", 0, "__metadata__ are not strings"},
        {"{\"__metadata__\":{\"k\":1}}", 0, "__metadata__ are not strings"},
        {"{\"__metadata__\":{\"k\":1,\"l\":\"a\"}}", 0, "__metadata__ are not strings"},
        {"{\"__metadata__\":{\"k\":\"a\\u0000b\"}}", 0, "header is broken"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i].header, cases[i].size, cases[i].part);
}

static void test_foreign_files(void **state)
{
    (void)state;
    wac_tensor_file *file;
    const char *contents[] = {"", "PK\3\4\24\0\0\0\10\0", "algorithm: oe-wac\nseed: 1\n",
                              "\x93NUMPY\1\0v\0{'descr': '<f4'}"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        assert_int_equal(wac_file_write(path, contents[i], strlen(contents[i]), &error),
                         WAC_STATUS_OK);
        assert_int_equal(wac_tensor_file_open(&file, path, &error), WAC_STATUS_INPUT);
        assert_null(file);
        assert_non_null(strstr(error.message, path));
        assert_non_null(strstr(error.message, "check that it is a safetensors file"));
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(wac_tensor_file_open(&file, path, &error), WAC_STATUS_IO);
    assert_null(file);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(wac_tensor_file_open(&file, root, &error), WAC_STATUS_INPUT);
}

static void test_write_refuses_bad_names(void **state)
{
    (void)state;
    wac_tensor pair[2] = {samples[0], samples[0]};
    assert_int_equal(wac_tensor_file_write(path, pair, 2, NULL, 0, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "there are two \"actor/hidden0/weight\""));
    pair[1].name = "__metadata__";
    assert_int_equal(wac_tensor_file_write(path, pair, 2, NULL, 0, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "there are two \"__metadata__\""));
    pair[1].name = "\xff";
    assert_int_equal(wac_tensor_file_write(path, pair, 2, NULL, 0, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "not UTF-8"));
    const wac_metadata twice[] = {{"k", "1"}, {"k", "2"}};
    assert_int_equal(wac_tensor_file_write(path, pair, 1, twice, 2, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "there are two \"k\""));
    const wac_metadata latin = {"k", "\xe9"};
    assert_int_equal(wac_tensor_file_write(path, pair, 1, &latin, 1, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "\"k\" or its value is not UTF-8"));
    assert_non_null(strstr(error.message, path));
    assert_false(wac_path_exists(path));
}

static void test_write_that_fails_keeps_the_old_file(void **state)
{
    (void)state;
    static double large[100000];
    const wac_tensor tensor = {"large", WAC_DTYPE_F64, 1, {100000}, large};
    struct rlimit before, small;
    write_samples();
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 5000;
    setrlimit(RLIMIT_FSIZE, &small);
    wac_status status = wac_tensor_file_write(path, &tensor, 1, NULL, 0, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, WAC_STATUS_IO);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, "File too large"));
    wac_tensor_file *file = open_good();
    assert_int_equal(file->count, SAMPLES);
    wac_tensor_file_close(file);
}

static void test_recorded_files(void **state)
{
    (void)state;
    const char *folder = WAC_SOURCE_DIR "/tests/recorded";
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".safetensors") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        wac_tensor_file *file = open_good();
        assert_true(file->count > 0);
        assert_non_null(wac_tensor_file_metadata(file, "algorithm"));
        wac_tensor_file_close(file);
        count++;
    }
    closedir(entries);
    assert_true(count > 0);
}

/* A sealed file is whole; one with another bit anywhere is not, or is refused before that. */
static void test_seals(void **state)
{
    (void)state;
    wac_checksum sum;
    size_t size;
    assert_ok(
        wac_tensor_file_write_sealed(path, samples, SAMPLES, sample_metadata, 2, &sum, &error));
    wac_tensor_file *file = open_good();
    assert_true(wac_tensor_file_is_whole(file));
    assert_string_equal(wac_tensor_file_metadata(file, "checksum"), sum.digits);
    assert_string_equal(wac_tensor_file_checksum(file).digits, sum.digits);
    assert_string_equal(wac_tensor_file_metadata(file, "algorithm"), "oe-wac");
    wac_tensor_file_close(file);
    char *bytes = contents(path, &size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        char *other = malloc(size + 1);
        assert_non_null(other);
        memcpy(other, bytes, size);
        other[bit / 8] ^= (char)(1 << bit % 8);
        if (wac_tensor_file_parse(&file, other, size, path, &error) != WAC_STATUS_OK)
            continue;
        if (wac_tensor_file_is_whole(file))
            fail_msg("bit %zu is another, and the file whole", bit);
        wac_tensor_file_close(file);
    }

    /* what is changed on purpose can be sealed again */
    assert_ok(wac_tensor_file_parse(&file, bytes, size, path, &error));
    file->data[0] ^= 1;
    assert_false(wac_tensor_file_is_whole(file));
    wac_tensor_file_seal(file);
    assert_ok(wac_file_write(path, file->bytes, size, &error));
    wac_tensor_file_close(file);
    file = open_good();
    assert_true(wac_tensor_file_is_whole(file));
    assert_string_not_equal(wac_tensor_file_metadata(file, "checksum"), sum.digits);
    wac_tensor_file_close(file);

    /* without a seal, or with half a one */
    write_samples();
    file = open_good();
    assert_false(wac_tensor_file_is_whole(file));
    wac_tensor_file_seal(file);
    wac_tensor_file_close(file);
    write_by_hand("{\"__metadata__\":{\"checksum\":\"12\"}}", 0);
    file = open_good();
    wac_tensor_file_seal(file);
    assert_false(wac_tensor_file_is_whole(file));
    wac_tensor_file_close(file);
    assert_int_equal(wac_tensor_file_write_sealed(
                         path, samples, SAMPLES, &(wac_metadata){"checksum", "1"}, 1, &sum, &error),
                     WAC_STATUS_INPUT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, remove_root)
    const struct CMUnitTest tests[] = {
        TEST(test_dtypes),
        TEST(test_round_trip),
        TEST(test_bytes_are_as_the_format_says),
        TEST(test_data_is_aligned),
        TEST(test_no_tensors),
        TEST(test_many_tensors),
        TEST(test_copy),
        TEST(test_file_of_another_program),
        TEST(test_every_cut_is_noticed),
        TEST(test_every_flipped_bit_is_survived),
        TEST(test_wrong_length_of_header),
        TEST(test_wrong_headers),
        TEST(test_foreign_files),
        TEST(test_write_refuses_bad_names),
        TEST(test_write_that_fails_keeps_the_old_file),
        TEST(test_recorded_files),
        TEST(test_seals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
