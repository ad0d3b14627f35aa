/* Runs that nobody trained: folders with the files of a run, to order. */
#ifndef WAC_TESTS_SUPPORT_FAKE_RUNS_H
#define WAC_TESTS_SUPPORT_FAKE_RUNS_H

#include "config/config.h"
#include "support/program.h"

#define FAKE_HEADER                                                                                \
    "epoch,env_steps,updates,eval_return,eval_success,eval_episodes,coverage_sampled,"             \
    "coverage_visited,alpha,q_mean,sigma_visited,sigma_uniform,seconds,explore_episodes,"          \
    "explore_return,explore_success\n"

/* What its progress.csv tells; NaN: nothing. */
typedef struct fake {
    const char *environment, *algorithm;
    int64_t seed, epochs;
    int rows;                                /* 0: all */
    const char *key, *value, *key2, *value2; /* settings beside the preset */
    double reached, coverage, episodes;
    int solved; /* from this epoch on success is 1; -1: never; -2: there is no success */
} fake;

static inline void fake_file(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    assert_ok(wac_path_join(path, sizeof path, folder, name, &error));
    save_text(path, text);
}

static inline void fake_cell(FILE *to, double value)
{
    if (isnan(value))
        fputc(',', to);
    else
        fprintf(to, ",%.9g", value);
}

/* A folder of that name below root. */
static inline void make_fake(const char *folder, const fake *fake)
{
    wac_config config;
    char *text;
    size_t size;
    assert_ok(wac_config_init(&config, fake->environment, fake->algorithm, &error));
    config.seed = fake->seed;
    config.epochs = fake->epochs;
    if (fake->key)
        assert_ok(wac_config_set(&config, fake->key, fake->value, &error));
    if (fake->key2)
        assert_ok(wac_config_set(&config, fake->key2, fake->value2, &error));
    assert_ok(wac_directory_make(folder, &error));
    assert_ok(wac_config_yaml(&text, &config, &error));
    fake_file(folder, "config.yaml", text);
    free(text);
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    fputs(FAKE_HEADER, to);
    int rows = fake->rows ? fake->rows : (int)fake->epochs + 1;
    for (int i = 0; i < rows; i++) {
        fprintf(to, "%d,%d,%d", i, 1000 * (i + 1), 1000 * i);
        fake_cell(to, fake->reached);
        fake_cell(to, fake->solved == -2 ? NAN : fake->solved >= 0 && i >= fake->solved ? 1 : 0);
        fake_cell(to, fake->episodes);
        fake_cell(to, fake->coverage);
        fake_cell(to, fake->coverage);
        fputs(",0.2,1,,,1.5,3,1,\n", to);
    }
    fclose(to);
    fake_file(folder, "progress.csv", text);
    free(text);
    fake_file(folder, "manifest.json",
              "{\"program\": \"wac\", \"version\": \"0.1.0\", \"commit\": \"abc\", \"machine\": "
              "{\"processor\": \"A <fast> one\", \"processors\": 2, \"system\": \"Linux\", "
              "\"release\": \"6\"}, \"seconds\": 7200}\n");
}

#endif
