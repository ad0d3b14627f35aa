/* Files, archives, tensors, tables, threads, temporary folders, where the system fails at any
 * place.
 */
#include "support/failing_here.h"

#include "base/archive.h"
#include "base/csv.h"
#include "base/png.h"
#include "base/pool.h"
#include "base/protobuf.h"
#include "base/status.h"
#include "base/stream.h"
#include "base/temporary.h"
#include "base/tensors.h"
#include "base/threads.h"

static int setup(void **state)
{
    (void)state;
    return make_root(quick_disk(), "failing-files");
}

/* --- folders and files ------------------------------------------------------------------------*/

static void only_root(void)
{
    assert_int_equal(wac_directory_remove(root, NULL), WAC_STATUS_OK);
    assert_int_equal(wac_directory_make(root, NULL), WAC_STATUS_OK);
}

/* A folder is replaced by a new one: whatever fails, one of the two is there, and whole. */
static void old_folder(void)
{
    only_root();
    assert_int_equal(wac_directory_make(at("folder/deep"), NULL), WAC_STATUS_OK);
    assert_int_equal(wac_file_write(at("folder/file"), "old", 3, NULL), WAC_STATUS_OK);
}

static wac_status replace_folder(wac_error *failure)
{
    WAC_TRY(wac_directory_make(at("fresh/deep"), failure));
    WAC_TRY(wac_file_write(at("fresh/file"), "new", 3, failure));
    return wac_directory_replace(at("folder"), at("fresh"), failure);
}

static void is_replaced(void)
{
    char *bytes;
    assert_int_equal(wac_file_read(&bytes, NULL, at("folder/file"), 10, NULL), WAC_STATUS_OK);
    assert_string_equal(bytes, "new");
    free(bytes);
}

static wac_status place_and_remove(wac_error *failure)
{
    bool there;
    WAC_TRY(wac_directory_make(at("fresh/deep/deeper"), failure));
    WAC_TRY(wac_file_write(at("fresh/deep/file"), "text", 4, failure));
    WAC_TRY(wac_directory_place(at("placed"), at("fresh"), failure));
    WAC_TRY(wac_path_look(&there, at("placed/deep/file"), failure));
    assert_true(there);
    return wac_directory_remove(at("placed"), failure);
}

static void is_removed(void)
{
    assert_false(wac_path_exists(at("placed")));
    assert_false(wac_path_exists(at("fresh")));
}

static wac_status write_a_file(wac_error *failure)
{
    return wac_file_write(at("file"), "text", 4, failure);
}

static void is_written(void)
{
    char *bytes;
    assert_int_equal(wac_file_read(&bytes, NULL, at("file"), 10, NULL), WAC_STATUS_OK);
    assert_string_equal(bytes, "text");
    free(bytes);
    assert_int_equal(entries(root), 1);
}

static wac_status temporary_folder(wac_error *failure)
{
    wac_temporary made;
    WAC_TRY(wac_temporary_make(&made, "failing", failure));
    wac_temporary_remove(&made);
    return WAC_STATUS_OK;
}

/* The same whatever is only interrupted: to open, and to close, which has closed all the same. */
static void interrupted(void **state)
{
    (void)state;
    static long places[FAILING_PLACES];
    static const int kinds[] = {FAILING_OPEN, FAILING_CLOSE};
    const library_call call = {"a file written", only_root, write_a_file, is_written, 0};
    for (int i = 0; i < 2; i++) {
        tally tally = {0};
        long count = find_places(places, &call, kinds[i]);
        assert_true(count >= 1);
        for (long k = 0; k < count; k++)
            fail_once(&tally, &call, kinds[i], places[k], false, true);
        assert_int_equal(tally.problems, 0);
    }
}

static void folders(void **state)
{
    (void)state;
    every_call_fails(
        &(library_call){"a folder replaced", old_folder, replace_folder, is_replaced, 0});
    every_call_fails(
        &(library_call){"a folder placed", only_root, place_and_remove, is_removed, 0});
    every_call_fails(&(library_call){"a temporary folder", NULL, temporary_folder, NULL, 0});
}

/* --- what is in them --------------------------------------------------------------------------*/

static wac_status count_file(void *user, const char *name, const void *bytes, size_t size,
                             wac_error *failure)
{
    (void)name, (void)bytes, (void)failure;
    *(size_t *)user += size;
    return WAC_STATUS_OK;
}

static wac_status archive(wac_error *failure)
{
    static char bytes[40000];
    wac_archive *made;
    size_t total = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * i >> 5);
    WAC_TRY(wac_archive_begin(&made, at("archive.tar.xz"), failure));
    wac_archive_add(made, "a/b.csv", "1,2\n", 4);
    wac_archive_add(made, "bytes", bytes, sizeof bytes);
    WAC_TRY(wac_archive_commit(made, WAC_STATUS_OK, failure));
    WAC_TRY(wac_archive_read(at("archive.tar.xz"), count_file, &total, failure));
    assert_int_equal(total, 4 + sizeof bytes);
    return WAC_STATUS_OK;
}

static wac_status tensors(wac_error *failure)
{
    const float numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const uint8_t flags[4] = {1, 0, 1, 1};
    const wac_tensor made[] = {{"numbers", WAC_DTYPE_F32, 2, {2, 3}, numbers},
                               {"flags", WAC_DTYPE_U8, 1, {4}, flags}};
    const wac_metadata notes[] = {{"one", "first"}, {"two", "second"}};
    wac_tensor_file *file;
    float read[6];
    WAC_TRY(wac_tensor_file_write_sealed(at("tensors"), made, 2, notes, 2, NULL, failure));
    WAC_TRY(wac_tensor_file_open(&file, at("tensors"), failure));
    assert_true(wac_tensor_file_is_whole(file));
    wac_status status = wac_tensor_file_copy(file, "numbers", WAC_DTYPE_F32, 6, read, failure);
    if (status == WAC_STATUS_OK)
        assert_memory_equal(read, numbers, sizeof read);
    wac_tensor_file_close(file);
    return status;
}

static wac_status table(wac_error *failure)
{
    wac_csv csv;
    wac_stream stream;
    if (!wac_stream_open(&stream))
        return wac_fail_memory(failure, "a table");
    fputs("a,b,c\n", stream.to);
    for (int i = 0; i < 3000; i++) /* more than a stream has room for at first */
        fputs("1,2,3\n4,,6\n", stream.to);
    WAC_TRY(wac_stream_save(&stream, at("table.csv"), WAC_STATUS_OK, failure));
    WAC_TRY(wac_csv_read(&csv, at("table.csv"), failure));
    assert_int_equal(csv.rows, 6000);
    assert_true(wac_csv_at(&csv, 1, wac_csv_column(&csv, "c")) == 6);
    wac_csv_free(&csv);
    return WAC_STATUS_OK;
}

static wac_status message_and_picture(wac_error *failure)
{
    wac_message message = {0};
    unsigned char pixels[12] = {0}, *picture;
    size_t size;
    for (int i = 0; i < 100; i++) {
        wac_message_add_text(&message, 1, "a text");
        wac_message_add_number(&message, 2, 12345);
    }
    wac_status status = message.failed ? wac_fail_memory(failure, "a message") : WAC_STATUS_OK;
    wac_message_free(&message);
    WAC_TRY(status);
    if (!(picture = wac_png_grey(&size, pixels, 4, 3)))
        return wac_fail_memory(failure, "a picture");
    free(picture);
    return WAC_STATUS_OK;
}

static void files_of_all_kinds(void **state)
{
    (void)state;
    every_call_fails(&(library_call){"an archive", NULL, archive, NULL, 0});
    every_call_fails(&(library_call){"tensors", NULL, tensors, NULL, 0});
    every_call_fails(&(library_call){"a table", NULL, table, NULL, 0});
    every_call_fails(&(library_call){"messages", NULL, message_and_picture, NULL, 0});
}

/* --- threads ----------------------------------------------------------------------------------*/

static void add_one(void *work, int piece)
{
    ((int *)work)[piece]++;
}

static wac_status threads(wac_error *failure)
{
    int work[50] = {0};
    wac_pool *pool;
    wac_team *team;
    WAC_TRY(wac_pool_create(&pool, 3, failure));
    wac_status status = wac_team_create(&team, 3, -1, failure);
    if (status == WAC_STATUS_OK) {
        wac_team_run(team, add_one, work, 50);
        wac_pool_run(pool, add_one, work, 50);
        for (int i = 0; i < 50; i++)
            assert_int_equal(work[i], 2);
        wac_team_destroy(team);
    }
    wac_pool_destroy(pool);
    return status;
}

static void crews(void **state)
{
    (void)state;
    every_call_fails(&(library_call){"threads", NULL, threads, NULL, 0});
}

int main(int argc, char **argv)
{
    (void)argc;
    start_under_orders(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(interrupted, setup, remove_root),
        cmocka_unit_test_setup_teardown(folders, setup, remove_root),
        cmocka_unit_test_setup_teardown(files_of_all_kinds, setup, remove_root),
        cmocka_unit_test_setup_teardown(crews, setup, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
