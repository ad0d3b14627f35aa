/* MuJoCo's models through our checks. The bytes become a model (bodies, joints, geoms, sites,
 * actuators, sensors, keyframes, with numbers at the edge of what can be) and a recipe over it, or,
 * with a '<' in front, are a model themselves under a recipe that fits any. It is refused with a
 * sentence that names it, or is a world: what the agent sees is finite and in [-1, 1], rewards
 * are finite, and a state that was saved goes on in the same bytes. What MuJoCo's own reader does
 * with bytes is not ours to try: it is C++ without sanitizers here. */
#include "base/rng.h"
#include "base/words.h"
#include "config/config.h"
#include "env/mujoco/engine.h"
#include "env/world.h"
#include "fuzz/fuzz.h"

#include <stdarg.h>

static char model_path[96], recipe_path[96];

/* --- a model and its recipe ------------------------------------------------------------------- */

static FILE *out;
static int bodies, joints, sites; /* so far; they are named by their numbers */

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
}

static const char *pick(const char *const *words, size_t count)
{
    return words[fuzz_byte() % count];
}
#define PICK(...)                                                                                  \
    pick((const char *const[]){__VA_ARGS__},                                                       \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* One time in four it is said. */
static bool rarely(void)
{
    return fuzz_byte() % 4 == 3;
}

/* Of so many; now and then one that there is not. */
static int number_of(int count)
{
    uint8_t byte = fuzz_byte();
    return byte >= 250 || count == 0 ? byte % 8 : byte % count;
}

/* Most of a model must be right for its rest to matter. */
static double take_number(double usual)
{
    return fuzz_byte() % 16 == 15 ? fuzz_number(usual) : usual;
}

static void say_numbers(const char *name, int count, double usual)
{
    say(" %s=\"", name);
    for (int i = 0; i < count; i++)
        say("%.17g ", take_number(usual));
    say("\"");
}

static void say_bodies(int depth)
{
    for (int i = fuzz_byte() % 3; i >= 0 && depth < 4; i--) {
        bool is_puppet = depth == 0 && rarely();
        say("<body name=\"b%d\"%s", bodies++, is_puppet ? " mocap=\"true\"" : "");
        say_numbers("pos", 3, 0.5);
        say(">");
        for (int k = is_puppet ? 0 : fuzz_byte() % 3; k > 0; k--) {
            say("<joint name=\"j%d\" type=\"%s\"", joints++,
                PICK("slide", "hinge", "slide", "hinge", "slide", "ball", "free"));
            if (rarely())
                say_numbers("range", 2, 0);
            if (rarely())
                say(" limited=\"true\"");
            if (rarely())
                say_numbers("damping", 1, 1);
            say("/>");
        }
        say("<geom type=\"%s\"",
            PICK("sphere", "box", "capsule", "ellipsoid", "cylinder", "plane"));
        say_numbers("size", 3, 0.1);
        if (rarely())
            say_numbers("mass", 1, 1);
        say("/><site name=\"s%d\"/>", sites++);
        say_bodies(depth + 1);
        say("</body>");
    }
}

static void say_model(void)
{
    bodies = joints = sites = 0;
    say("<mujoco>");
    if (!rarely()) /* little memory is soon had, and soon full */
        say("<size njmax=\"%d\" nconmax=\"%d\" nstack=\"20000\"/>", fuzz_byte(), fuzz_byte() / 4);
    say("<option");
    if (rarely())
        say_numbers("timestep", 1, 0.01);
    if (rarely())
        say(" integrator=\"%s\"", PICK("RK4", "Euler"));
    say(">");
    if (rarely())
        say("<flag sensornoise=\"enable\"/>");
    say("</option><worldbody>");
    say_bodies(0);
    say("</worldbody><actuator>");
    for (int i = 1 + fuzz_byte() % 3; i > 0; i--) {
        say("<%s name=\"a%d\" joint=\"j%d\"", PICK("motor", "position", "velocity"), i,
            number_of(joints));
        if (!rarely())
            say(" ctrllimited=\"true\"");
        if (rarely())
            say_numbers("ctrlrange", 2, 0);
        else
            say(" ctrlrange=\"-1 1\"");
        say("/>");
    }
    say("</actuator><sensor>");
    for (int i = fuzz_byte() % 3; i > 0; i--)
        say("<%s name=\"n%d\" joint=\"j%d\"/>", PICK("jointpos", "jointvel"), i, number_of(joints));
    for (int i = fuzz_byte() % 3; i > 0; i--)
        say("<%s name=\"m%d\" site=\"s%d\"/>",
            PICK("touch", "accelerometer", "velocimeter", "gyro"), i, number_of(sites));
    say("</sensor>");
    if (rarely()) {
        say("<keyframe><key name=\"k\"");
        say_numbers("qpos", fuzz_byte() % 9, 0);
        say("/></keyframe>");
    }
    say("</mujoco>");
}

static void say_quantity(void)
{
    switch (fuzz_byte() % 6) {
    case 0:
        say("%s: j%d", PICK("qpos", "qvel"), number_of(joints));
        break;
    case 1:
        say("%s: all", PICK("qpos", "qvel", "control"));
        break;
    case 2:
        say("%s: %d-%d", PICK("qpos", "qvel", "control"), fuzz_byte() % 4, fuzz_byte() % 8);
        break;
    case 3:
        say("%s: s%d", PICK("site", "site_velocity"), number_of(sites));
        break;
    case 4:
        say("sensor: %s%d", PICK("n", "m"), fuzz_byte() % 3);
        break;
    default:
        say("distance: [s%d, s%d]", number_of(sites), number_of(sites));
    }
}

static void say_list(const char *name, int least)
{
    int count = least + fuzz_byte() % 3;
    if (count > 0)
        say("%s:\n", name);
    for (int i = 0; i < count; i++) {
        say("  - {");
        if (strcmp(name, "reset") == 0)
            say("%s: all", PICK("qpos", "qvel"));
        else
            say_quantity();
        if (strcmp(name, "observation") == 0)
            say(", low: %.17g, high: %.17g}\n", take_number(-2), take_number(2));
        else
            say(", %s: %.17g}\n",
                strcmp(name, "reward") == 0  ? "weight"
                : strcmp(name, "reset") == 0 ? PICK("uniform", "normal")
                                             : PICK("above", "below"),
                take_number(0.5));
    }
}

static void say_recipe(void)
{
    if (rarely())
        say("frame_skip: %d\n", fuzz_byte() % 20);
    if (rarely())
        say("keyframe: k\n");
    say_list("observation", 1);
    say_list("reward", 1);
    say_list("terminate", 0);
    say_list("success", 0);
    say_list("reset", 0);
}

static void write_files(void)
{
    bool raw = fuzz_input.size > 0 && fuzz_input.data[0] == '<';
    require((out = fopen(model_path, "w")));
    if (raw)
        fwrite(fuzz_input.data, 1, fuzz_input.size, out);
    else
        say_model();
    fclose(out);
    require((out = fopen(recipe_path, "w")));
    if (raw)
        say("observation:\n  - {qpos: all, low: -2, high: 2}\nreward:\n  - {qvel: all, weight: "
            "1}\n");
    else
        say_recipe();
    fclose(out);
}

/* --- what must hold --------------------------------------------------------------------------- */

static bool check_status(wac_status status, const wac_error *error)
{
    if (status == WAC_STATUS_OK)
        require(!error->message[0]);
    else
        require((strstr(error->message, fuzz_root) || strstr(error->message, "mujoco:FILE.xml")) &&
                !wac_has_control(error->message, ""));
    return status == WAC_STATUS_OK;
}

typedef struct moment {
    float observation[WAC_ENVIRONMENT_DIMENSIONS];
    wac_step step;
} moment;

static bool go(wac_world *world, wac_rng *rng, const float *action, moment *moment)
{
    wac_error error = {0};
    memset(moment, 0, sizeof *moment);
    if (!check_status(
            wac_world_step(world, rng, action, moment->observation, &moment->step, &error), &error))
        return false;
    for (int i = 0; i < world->spec.observation_size; i++)
        require(moment->observation[i] >= -1 && moment->observation[i] <= 1);
    require(isfinite((float)moment->step.reward));
    return true;
}

/* Some steps; then back to where they began, and again. */
static void play(wac_world *world, wac_rng *rng)
{
    enum { STEPS = 3 };
    moment first[STEPS], again;
    float action[STEPS][WAC_ENVIRONMENT_DIMENSIONS] = {{0}};
    wac_error error = {0};
    int done = 0;
    double *state = malloc(((size_t)world->spec.state_size + 1) * sizeof *state);
    require(state);
    if (!check_status(wac_world_reset(world, rng, first->observation, &error), &error)) {
        free(state);
        return;
    }
    for (int i = 0; i < STEPS * world->spec.action_size; i++)
        action[i % STEPS][i / STEPS] = (float)(int8_t)fuzz_byte() / 100;
    wac_world_save(world, state);
    while (done < STEPS && go(world, rng, action[done], &first[done]))
        done++;
    if (done > 0 && wac_world_load(world, state, 0, &error) == WAC_STATUS_OK)
        for (int i = 0; i < done; i++)
            require(go(world, rng, action[i], &again) &&
                    memcmp(&again, &first[i], sizeof again) == 0);
    free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static wac_config config;
    static const wac_environment_type *type;
    wac_world *world;
    wac_error error = {0};
    wac_rng rng = wac_rng_make(1, WAC_STREAM_EXPLORE);
    if (wac_mujoco_check(NULL) != WAC_STATUS_OK)
        return 0;
    if (fuzz_make_root()) {
        char environment[128];
        snprintf(model_path, sizeof model_path, "%s/model.xml", fuzz_root);
        snprintf(recipe_path, sizeof recipe_path, "%s/model.yaml", fuzz_root);
        snprintf(environment, sizeof environment, "mujoco:%s", model_path);
        require(wac_config_init(&config, environment, "sac", NULL) == WAC_STATUS_OK);
        require(wac_environment_type_find(&type, environment, NULL) == WAC_STATUS_OK);
    }
    fuzz_input = (struct fuzz_input){data, size};
    write_files();
    if (!check_status(wac_world_create(&world, type, &config, &error), &error))
        return 0;
    for (int i = 0; i < 2; i++)
        play(world, &rng);
    wac_world_destroy(world);
    return 0;
}
