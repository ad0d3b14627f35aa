/* Feeds every file of the folders named on the command line to a fuzzer's entry point, so that what
 * the fuzzers once found stays a test in ordinary builds. An absent folder is an empty one. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    char *data = NULL;
    size_t size = 0, room = 0, got;
    do {
        if (size == room && !(data = realloc(data, room = 2 * room + 4096)))
            abort();
        got = fread(data + size, 1, room - size, file);
        size += got;
    } while (got);
    fclose(file);

    // exactly as large as the input, so that the address sanitizer sees a read past its end
    uint8_t *exact = realloc(data, size ? size : 1);
    if (!exact)
        abort();
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    int count = 1;
    for (int i = 1; i < argc; i++) {
        struct dirent **entries = NULL;
        int n = scandir(argv[i], &entries, NULL, alphasort);
        for (int k = 0; k < n; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entries[k]->d_name);
            if (entries[k]->d_name[0] != '.') {
                replay(path);
                count++;
            }
            free(entries[k]);
        }
        free(entries);
    }
    printf("%d inputs\n", count);
    return 0;
}
