/* Any bytes as the manifest.json of a run: refused with a sentence, or texts that can be shown. */
#include "base/words.h"
#include "fuzz/fuzz.h"
#include "run/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wac_manifest manifest;
    wac_error error = {0};
    if (wac_manifest_parse(&manifest, (const char *)data, size, &error) != WAC_STATUS_OK) {
        require(error.status == WAC_STATUS_INPUT && error.message[0] &&
                !wac_has_control(error.message, ""));
        return 0;
    }
    require(!error.message[0]);
    require(!wac_has_control(manifest.version, "") && !wac_has_control(manifest.commit, ""));
    require(manifest.seconds >= 0);
    return 0;
}
