/* Any bytes as what a browser asks for: up to a zero its address, behind it the Host; and as the
 * maps of a run. Refused, or within bounds; what is asked for is then answered from a run. */
#include "fuzz/fuzz.h"

#include "run/maps.h"
#include "watch/answer.h"

static const char token[] = "0123456789abcdef0123456789abcdef";

static void check_request(const wac_watch_request *request)
{
    require(request->route < WAC_WATCH_TOTAL);
    require(request->run >= -1 && request->since >= -1 && request->from >= -1);
    require(request->epoch >= -1 && request->seed >= -1 && request->i >= -1 && request->j >= -1);
    require(!isinf(request->x) && !isinf(request->y));
    require(request->column >= 0 && request->column <= WAC_COLUMN_TOTAL);
}

/* A shelf with a run whose folder holds nothing but these maps. */
static void ask(const wac_watch_request *request)
{
    float row[WAC_COLUMN_TOTAL] = {0};
    wac_watched run = {
        .path = fuzz_root, .name = "run", .rows = 1, .table = row, .state = WAC_WATCHED_FINISHED};
    wac_watch_view view = {.shelf = {.runs = &run, .count = 1, .version = 3}};
    wac_http_answer answer = {0};
    snprintf(run.config.environment, sizeof run.config.environment, "lqg");
    wac_watch_tell(&answer, &view, request);
    require(answer.status >= 200 && answer.status < 600 && answer.type);
    free(answer.body);
    wac_mind_free(&view.mind);
}

static void read_maps(const char *bytes, size_t size)
{
    char path[128];
    static wac_map map;
    wac_atlas atlas;
    snprintf(path, sizeof path, "%s/maps.bin", fuzz_root);
    FILE *file = fopen(path, "wb");
    require(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    if (wac_atlas_open(&atlas, fuzz_root, NULL) != WAC_STATUS_OK)
        return;
    require(atlas.first >= 0 && atlas.count >= 0 && wac_map_size(&atlas.shape) > 0);
    for (int64_t i = 0; i < atlas.count && i < 3; i++)
        if (wac_atlas_read(&map, &atlas, i, NULL) == WAC_STATUS_OK)
            require(map.way_points >= 0 && map.way_points <= WAC_MAP_WAY);
    wac_atlas_close(&atlas);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_make_root();
    char *text = malloc(size + 2);
    require(text);
    memcpy(text, data, size);
    text[size] = text[size + 1] = 0;
    const char *host = text + strlen(text) + 1;
    if (*text == '{') {
        read_maps(text, size);
    } else {
        wac_watch_request request;
        int status = wac_watch_parse(&request, text, "");
        require(status == 200 || status == 400 || status == 404);
        if (status == 200) {
            check_request(&request);
            ask(&request);
        }
        status = wac_watch_parse(&request, text, token);
        require(status != 200 || strncmp(text + 1, token, sizeof token - 1) == 0);
        (void)wac_watch_knows_host(host, 8740, NULL);
        (void)wac_watch_knows_host(host, 8740, "machine");
    }
    free(text);
    return 0;
}
