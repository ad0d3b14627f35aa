/* Names of environments: short ones, and what to call them. */
#ifndef WAC_CONFIG_ENVIRONMENTS_H
#define WAC_CONFIG_ENVIRONMENTS_H

#include "wac/config.h"

/* How the names of models of one's own begin: "mujoco:FILE.xml". */
#define WAC_CUSTOM_PREFIX "mujoco:"

/* Whether a name is one of those. */
bool wac_environment_is_model(const char *name);

/* Whether a name is the path of a plug-in: "./FILE.so". */
bool wac_environment_is_plugin(const char *name);

/* Whether a name is of an environment that another language brings: "gym:NAME", or "python:NAME"
 * for one that only the program knows that made it. */
bool wac_environment_is_guest(const char *name);

/* Short for an environment with a preset of its own: the same with sparse rewards. */
#define WAC_SPARSE_POINTS "point-1-sparse|point-2-sparse|point-3-sparse|point-4-sparse"
#define WAC_SPARSE_BODIES "halfcheetah-sparse|hopper-sparse|walker2d-sparse"
#define WAC_SPARSE_NAMES WAC_SPARSE_POINTS "|" WAC_SPARSE_BODIES

/* Models with recipes that come with the program: NAME.xml and NAME.yaml in models/. */
#define WAC_POINTMAZES "pointmaze-u|pointmaze-medium|pointmaze-large"
#define WAC_TASK_NAMES                                                                             \
    "cartpole-sparse|cartpole-sparse-cost|acrobot-sparse|ball-in-cup|reacher-hard|" WAC_POINTMAZES

/* The environment that a name of less than `size` characters stands for: that of the short name, or
 * the name itself. */
void wac_environment_resolve(char *environment, size_t size, const char *name);

/* What a config's environment is called: "point-1-sparse" for point-1 with sparse rewards. Returns
 * `name`. */
enum { WAC_ENVIRONMENT_NAME = 320 };
const char *wac_environment_name(char name[WAC_ENVIRONMENT_NAME], const wac_config *config);

/* What to call an environment in the name of a file: the name itself, or that of a model file or
 * plug-in without folders and ending. */
void wac_environment_label(char *label, size_t size, const char *environment);

#endif
