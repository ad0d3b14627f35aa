/* Any bytes as the manifest.json of a run: refused with a sentence, or texts that can be shown. */
#include "base/files.h"
#include "base/words.h"
#include "run/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static char folder[64];

static void remove_all(void)
{
    (void)wac_directory_remove(folder, NULL);
}

/* In memory, where there is a place for files there. */
static void make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/fuzz-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    require(mkdtemp(folder));
    atexit(remove_all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[128];
    wac_manifest manifest;
    wac_error error = {0};
    if (!*folder) {
        make_folder();
        snprintf(path, sizeof path, "%s/manifest.json", folder);
    }
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(file >= 0 && write(file, data, size) == (ssize_t)size);
    close(file);
    if (wac_manifest_read(&manifest, folder, &error) != WAC_STATUS_OK) {
        require(error.status == WAC_STATUS_INPUT && error.message[0] &&
                !wac_has_control(error.message, ""));
        return 0;
    }
    require(!error.message[0]);
    require(!wac_has_control(manifest.version, "") && !wac_has_control(manifest.commit, ""));
    require(manifest.seconds >= 0);
    return 0;
}
