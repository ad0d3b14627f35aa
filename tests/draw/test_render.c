/* Pictures of worlds and runs: mazes bare and with what agents did there, maps, bodies, animations;
 * names that gnuplot would take for something else; and whatever is missing or makes no sense gives
 * one sentence and leaves nothing behind. */
#include "draw/page.h"
#include "draw/render.h"
#include "draw/sketch.h"
#include "draw/style.h"
#include "env/mujoco/locomotion.h"
#include "env/mujoco/point.h"
#include "env/world.h"
#include "support/small_runs.h"

#include <math.h>

static bool has_gnuplot;
static char path_before[8192];

static wac_render_options quick(const char *out)
{
    wac_render_options options = wac_render_options_default();
    options.out = out;
    options.episodes = 2;
    options.seconds = 0.5;
    return options;
}

/* Draw one or two (null: one) into `out`. */
static wac_status render(wac_rendering *drawn, const char *one, const char *other, const char *out)
{
    wac_render_options options = quick(out);
    char *subjects[] = {(char *)one, (char *)other};
    memset(&error, 0, sizeof error);
    return wac_render(drawn, subjects, other ? 2 : 1, &options, &error);
}

static void assert_png(const char *path)
{
    size_t size;
    char *bytes = contents(path, &size);
    assert_true(size > 2000);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(bytes + size - 8, "IEND", 4);
    free(bytes);
}

/* An SVG that says all of this; the list ends with null. */
static void assert_svg(const char *path, const char *const *texts)
{
    size_t size;
    char *bytes = contents(path, &size);
    assert_memory_equal(bytes, "<?xml", 5);
    assert_non_null(strstr(bytes + size - 16, "</svg>"));
    for (; *texts; texts++)
        if (!strstr(bytes, *texts))
            fail_msg("%s does not say \"%s\"", path, *texts);
    free(bytes);
}
#define SAYS(...) ((const char *const[]){__VA_ARGS__, NULL})

static bool svg_says(const char *path, const char *text)
{
    size_t size;
    char *bytes = contents(path, &size);
    bool says = strstr(bytes, text);
    free(bytes);
    return says;
}

static void train_tiny(const char *name, const char *environment, const char *algorithm,
                       int64_t seed)
{
    wac_config config = tiny(environment, algorithm, 2);
    config.seed = seed;
    assert_ok(train_new(at("%s", name), &config, NULL));
}

static int setup_all(void **state)
{
    if (setup(state))
        return -1;
    snprintf(path_before, sizeof path_before, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin");
    has_gnuplot = system("gnuplot --version >/dev/null 2>&1") == 0;
    if (!has_gnuplot)
        print_message("gnuplot is not installed (package gnuplot-nox): no picture is drawn\n");
    assert_ok(wac_directory_make(at("temporary"), &error));
    assert_ok(wac_directory_make(at("empty"), &error));
    assert_ok(wac_directory_make(at("out"), &error));
    setenv("TMPDIR", at("temporary"), 1);
    train_tiny("river", "riverswim", "oe-wac", 1);
    train_tiny("river-sac", "riverswim", "sac", 1);
#if WAC_MUJOCO
    train_tiny("wac", "point-1", "oe-wac", 1);
    train_tiny("wac_2's{copy}", "point-1", "oe-wac", 1);
    train_tiny("wac-seed", "point-1", "oe-wac", 7);
    train_tiny("oac", "point-2", "oac", 1);
    train_tiny("hopper", "hopper", "sac", 1);
#endif
    return 0;
}

/* After every test: the search path as it was, and no folder left of any drawing. */
static int check_after(void **state)
{
    (void)state;
    setenv("PATH", path_before, 1);
    setenv("TMPDIR", at("temporary"), 1);
    assert_int_equal(entries(at("temporary")), 0);
    return 0;
}

#define NEEDS_GNUPLOT()                                                                            \
    (void)state;                                                                                   \
    if (!has_gnuplot)                                                                              \
    skip()

#if WAC_MUJOCO

/* Walls are what the model says: solid boxes that stand still, hence not the goal. */
static void geoms_are_the_models(void **state)
{
    (void)state;
    static const int walls[WAC_POINT_MAPS] = {7, 6, 8, 8};
    for (int map = 0; map < WAC_POINT_MAPS; map++) {
        wac_config config = tiny("point-1", "sac", 1);
        wac_world *world;
        wac_geom geom;
        int count = 0, balls = 0;
        assert_ok(wac_world_create(&world, &wac_environments_point[map], &config, &error));
        for (int i = 0; wac_mujoco_geom(&((wac_point *)world->self)->mujoco, i, &geom); i++) {
            count += geom.kind == WAC_GEOM_BOX && geom.is_fixed && geom.is_solid;
            balls += geom.kind == WAC_GEOM_SPHERE && !geom.is_fixed && geom.size[0] == 0.5;
            if (i == 1) { /* the border below */
                assert_true(geom.centre[0] == 12.5 && geom.centre[1] == -10.5);
                assert_true(geom.size[0] == 13.5 && geom.size[1] == 0.3 && geom.axes[0] == 1);
            }
        }
        assert_int_equal(count, walls[map]);
        assert_int_equal(balls, 1);
        wac_world_destroy(world);
    }
}

/* A limb for each leg, and places that follow the body. */
static void geoms_move(void **state)
{
    (void)state;
    wac_config config = tiny("walker2d", "sac", 1);
    wac_world *world;
    wac_geom geom;
    int limbs[3] = {0};
    assert_ok(wac_world_create(&world, &wac_environments_locomotion[2], &config, &error));
    wac_mujoco *mujoco = &((wac_locomotion *)world->self)->mujoco;
    for (int i = 0; wac_mujoco_geom(mujoco, i, &geom); i++)
        if (geom.kind == WAC_GEOM_CAPSULE)
            limbs[geom.limb]++;
    assert_int_equal(limbs[0], 1);
    assert_int_equal(limbs[1], 3);
    assert_int_equal(limbs[2], 3);
    double before = mujoco->qpos[0];
    for (int i = 0; i < 2; i++) {
        mujoco->qpos[0] = before + 3 * i;
        for (int k = 0; k < 2; k++) /* the floor, then the trunk */
            assert_true(wac_mujoco_geom(mujoco, k, &geom));
        assert_true(fabs(geom.centre[0] - 3 * i) < 1e-12 && fabs(geom.centre[2] - 1.25) < 1e-12);
    }
    wac_world_destroy(world);
}

static void bare_mazes(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    for (int map = 1; map <= WAC_POINT_MAPS; map++) {
        char name[32];
        snprintf(name, sizeof name, "point-%d", map);
        assert_ok(render(&drawn, name, NULL, at("out/%s", name)));
        assert_int_equal(drawn.files, 2);
        assert_string_equal(drawn.paths[0], at("out/%s.png", name));
        assert_png(drawn.paths[0]);
        assert_svg(drawn.paths[1], SAYS(name, "drive a ball to a goal", "start", "goal"));
        assert_false(svg_says(drawn.paths[1], "policy"));
    }
    assert_ok(render(&drawn, "point-1", "point-4-sparse", at("out/two.svg")));
    assert_int_equal(drawn.files, 1);
    assert_svg(at("out/two.svg"), SAYS("point-1", "point-4-sparse"));
    assert_false(wac_path_exists(at("out/two.png")));
}

static void worlds_have_titles(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"point-2", "Point 2"},
        {"point-2-sparse", "Point 2, sparse"},
        {"hopper-sparse", "Hopper, sparse"},
        {"cartpole-sparse", "Cartpole, sparse"},
        {"cartpole-sparse-cost", "Cartpole, sparse, with a cost"},
        {"pointmaze-u", "PointMaze, U"},
        {"my-sparse", "my-sparse"},
        {"mujoco:arm.xml", "mujoco:arm.xml"},
    };
    char title[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(wac_style_environment(title, sizeof title, rows[i][0]), rows[i][1]);
}

static void maze_of_a_run(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    /* the second time over the first */
    for (int i = 0; i < 2; i++)
        assert_ok(render(&drawn, at("wac"), NULL, NULL));
    assert_string_equal(drawn.paths[1], at("wac/figures/maze.svg"));
    assert_int_equal(entries(at("wac/figures")), 2);
    assert_png(drawn.paths[0]);
    assert_svg(drawn.paths[1],
               SAYS("OE-WAC on Point 1 after 2 epochs",
                    "behaviour policy, while learning: ", "of the floor in 110 steps",
                    "target policy, in its evaluations: ", "of the floor in 120 steps",
                    "goal: target policy 0 of 2", "goal: behaviour policy 0 of 2",
                    "behaviour policy as it explores", "target policy, mean actions", "out of time",
                    "visits to a place", "goal"));
    /* the folder is a run as before */
    assert_ok(train_on(at("wac"), "point-1", NULL, 0));

    wac_render_options options = quick(at("out/none.svg"));
    options.target = options.behaviour = false;
    char *subject = (char *)at("wac");
    assert_ok(wac_render(&drawn, &subject, 1, &options, &error));
    assert_false(svg_says(at("out/none.svg"), "as it explores"));
    assert_svg(at("out/none.svg"), SAYS("target policy, in its evaluations", "visits to a place"));
}

/* Visits are the run's own counts, not those of its replay. */
static void maze_of_a_run_without_replay(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    wac_config config = tiny("point-1", "oe-wac", 2);
    config.replay_checkpoint = WAC_REPLAY_CHECKPOINT_NONE;
    assert_ok(train_new(at("forgetful"), &config, NULL));
    assert_ok(render(&drawn, at("wac"), NULL, at("out/maze.svg")));
    assert_ok(render(&drawn, at("forgetful"), NULL, at("out/forgetful.svg")));
    assert_true(same_file(at("out/maze.svg"), at("out/forgetful.svg"), false));
}

/* One policy: one maze, with its visits while learning; also where nothing was evaluated. */
static void maze_of_one_policy(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    assert_ok(render(&drawn, at("oac"), NULL, at("out/oac.svg")));
    assert_svg(at("out/oac.svg"),
               SAYS(">while learning: ", "of the floor in 110 steps",
                    "reaches the goal: target policy 0 of 2, behaviour policy 0 of 2"));
    assert_false(svg_says(at("out/oac.svg"), "evaluations"));
    wac_config config = tiny("point-1", "me-wac", 1);
    config.evaluation_steps = 0;
    assert_ok(train_new(at("blind"), &config, NULL));
    assert_ok(render(&drawn, at("blind"), NULL, at("out/blind.svg")));
    assert_svg(at("out/blind.svg"), SAYS("in its evaluations: 0 % of the floor in 0 steps"));
}

/* Those of two policies stand beside each other, before the others. */
static void mazes_in_pairs(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    wac_render_options options = quick(at("out/pairs.svg"));
    char *subjects[3];
    for (int i = 0; i < 3; i++)
        subjects[i] = strdup(at("%s", i == 1 ? "wac" : "oac"));
    for (int i = 0; i < 2; i++) {
        options.inches = i ? 3.3 : 0;
        assert_ok(wac_render(&drawn, subjects, 3, &options, &error));
        char *text = contents(at("out/pairs.svg"), NULL);
        const char *own = strstr(text, i ? ">behaviour: " : "behaviour policy, while learning");
        const char *target = strstr(text, i ? ">target: " : "target policy, in its evaluations");
        const char *other = strstr(text, i ? "of the floor" : ">while learning");
        assert_true(own && own < target && target < other);
        free(text);
    }
    for (int i = 0; i < 3; i++)
        free(subjects[i]);
}

static void runs_side_by_side(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    const char *out = at("out/both.svg");
    assert_ok(render(&drawn, at("wac"), at("wac-seed"), out));
    assert_svg(out, SAYS("OE-WAC, seed 1 has been on", "OE-WAC, seed 7 on",
                         "OE-WAC, seed 1 after 2 epochs", "OE-WAC, seed 7 after 2 epochs"));
    /* by folder, whatever gnuplot would make of its name */
    assert_ok(render(&drawn, at("wac"), at("wac_2's{copy}"), out));
    assert_svg(out, SAYS("OE-WAC (wac) after", "OE-WAC (wac_2's{copy}) after"));
    assert_ok(render(&drawn, at("wac"), at("oac"), out));
    assert_svg(out, SAYS("Where they went", "OE-WAC on Point 1 after", "OAC on Point 2 after"));
    assert_ok(render(&drawn, at("oac"), "point-2", out));
    assert_svg(out, SAYS("Where 1 agent went in Point 2", "OAC after 2 epochs", "two long walls"));

    char *many[WAC_RENDER_MOST + 1];
    for (int i = 0; i <= WAC_RENDER_MOST; i++)
        many[i] = (char *)(i % 2 ? "point-2" : at("oac"));
    wac_render_options options = quick(out);
    assert_ok(wac_render(&drawn, many, WAC_RENDER_MOST, &options, &error));
    assert_int_equal(wac_render(&drawn, many, WAC_RENDER_MOST + 1, &options, &error),
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "from 1 to 12", "name some of them");
}

static void body_stands(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    assert_ok(render(&drawn, "walker2d", NULL, at("out/walker")));
    assert_png(at("out/walker.png"));
    assert_svg(at("out/walker.svg"), SAYS("walker2d", "walk on two legs", "0 m"));
}

/* Pictures of a GIF, each 5 hundredths of a second. */
static int count_pictures(const char *path)
{
    size_t size;
    int pictures = 0;
    char *bytes = contents(path, &size);
    assert_memory_equal(bytes, "GIF89a", 6);
    assert_int_equal(bytes[size - 1], ';');
    for (size_t i = 0; i + 8 < size; i++)
        pictures += memcmp(bytes + i, "\x21\xf9\x04", 3) == 0 && bytes[i + 8] == '\x2c';
    free(bytes);
    return pictures;
}

/* For how many hundredths of a second the pictures of a GIF are seen. */
static int delay_of(const char *path, int picture)
{
    size_t size;
    int delay = -1;
    char *bytes = contents(path, &size);
    for (size_t i = 0; i + 8 < size && picture >= 0; i++)
        if (memcmp(bytes + i, "\x21\xf9\x04", 3) == 0 && bytes[i + 8] == '\x2c' && !picture--)
            delay = (unsigned char)bytes[i + 4] + 256 * (unsigned char)bytes[i + 5];
    free(bytes);
    return delay;
}

static void note_share(void *user, double share)
{
    double *latest = user;
    assert_true(share >= 0 && share <= 1);
    *latest = share;
}

static void body_moves(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    double share = -1;
    wac_render_options options = quick(NULL);
    options.progress = note_share;
    options.user = &share;
    char *subject = (char *)at("hopper");
    assert_ok(wac_render(&drawn, &subject, 1, &options, &error));
    assert_int_equal(drawn.files, 1);
    assert_string_equal(drawn.paths[0], at("hopper/figures/motion.gif"));
    assert_true(share >= 0);
    size_t size;
    char *bytes = contents(drawn.paths[0], &size);
    assert_true(size > 4000 && size < 3 << 20);
    assert_memory_equal(bytes, "GIF89a", 6);
    assert_memory_equal(bytes + 6, "\x80\x02\x68\x01", 4); /* 640 by 360 */
    assert_int_equal(bytes[size - 1], ';');
    /* several pictures, again and again */
    assert_in_range(count_pictures(drawn.paths[0]), 3, 11);
    assert_non_null(memmem(bytes, size, "NETSCAPE2.0", 11));
    free(bytes);
}

/* Every kind of geom, one behind the other; a ball that flies; what viewers hide is not there. */
#define THINGS                                                                                     \
    "<mujoco><asset><mesh name='wedge' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"      \
    "<geom type='plane' size='9 9 1'/><geom type='box' size='4 4 0.1' pos='0 0 0.1'/>"             \
    "<geom type='cylinder' size='0.5 1' pos='0 2 1.2' rgba='0 1 0 1'/>"                            \
    "<geom type='ellipsoid' size='0.3 0.4 0.5' pos='1 2 1'/><geom type='sphere' size='5' "         \
    "rgba='1 1 1 0'/><body pos='2 0 1'><geom type='mesh' mesh='wedge'/></body>"                    \
    "<body name='ball' pos='-1 -2 1'><joint name='x' type='slide' axis='1 0 0'/>"                  \
    "<joint type='slide' axis='0 0 1'/><joint type='slide' axis='0 1 0'/>"                         \
    "<geom type='sphere' size='0.2' rgba='1 0 0 1'/></body></worldbody><actuator>"                 \
    "<motor joint='x' ctrllimited='true' ctrlrange='-1 1' gear='20'/></actuator></mujoco>"

/* Where a colour comes in an SVG; a missing one is a failure. */
static const char *place_of(const char *svg, const char *colour)
{
    const char *place = strstr(svg, colour);
    if (!place)
        fail_msg("%s is not in the picture", colour);
    return place;
}

static void own_models(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    char name[PATH_MAX];
    assert_ok(wac_directory_make(at("my models"), &error));
    save_text(at("my models/some_things.xml"), THINGS);
    snprintf(name, sizeof name, "mujoco:%s", at("my models/some_things.xml"));
    /* to look at a model takes no recipe */
    assert_ok(render(&drawn, name, NULL, at("out/things")));
    assert_png(at("out/things.png"));
    assert_svg(at("out/things.svg"), SAYS("some_things", "3 positions, 3 velocities, 1 actuators"));
    char *svg = contents(at("out/things.svg"), NULL);
    assert_true(place_of(svg, "rgb(236, 236, 236)") < place_of(svg, "rgb(  0, 255,   0)"));
    assert_true(place_of(svg, "rgb(  0, 255,   0)") < place_of(svg, "rgb(255,   0,   0)"));
    free(svg);
    assert_int_equal(render(&drawn, at("my models/some_things.xml"), NULL, NULL), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "a model of your own is mujoco:", "");
    /* with one it moves */
    save_text(at("my models/some_things.yaml"),
              "observation: [{qpos: all, low: -9, high: 9}]\nreward: [{qpos: x}]\n");
    wac_config config = tiny(name, "sac", 1);
    assert_ok(train_new(at("things"), &config, NULL));
    wac_render_options options = quick(NULL);
    options.seconds = 0.2;
    char *subject = (char *)at("things");
    assert_ok(wac_render(&drawn, &subject, 1, &options, &error));
    char *bytes = contents(drawn.paths[0], NULL);
    assert_memory_equal(bytes, "GIF89a", 6);
    free(bytes);
}

/* Spheres are as large as they are from everywhere, boxes across their corners; and what joints
 * allow says from where. */
static void sketches(void **state)
{
    (void)state;
    wac_mujoco mujoco;
    wac_sketch sketch;
    wac_camera camera = wac_camera_make(-1);
    save_text(at("ball.xml"), "<mujoco><worldbody><body pos='1 2 3'><freejoint/><geom size='0.5'/>"
                              "</body></worldbody></mujoco>");
    assert_ok(wac_mujoco_open_file(&mujoco, at("ball.xml"), &error));
    wac_mujoco_motion motion = wac_mujoco_describe_motion(&mujoco);
    assert_true(motion.normal == -1 && motion.travels && motion.trunk == 1);
    assert_ok(wac_sketch_model(&sketch, &mujoco, &camera, &error));
    double middle[2];
    wac_camera_project(&camera, (double[]){1, 2, 3}, middle);
    assert_int_equal(sketch.count, 1);
    for (int k = 0; k < 2; k++) {
        assert_true(fabs(sketch.low[k] - middle[k] + 0.5) < 1e-9);
        assert_true(fabs(sketch.high[k] - middle[k] - 0.5) < 1e-9);
    }
    assert_true(!sketch.has_ground && !sketch.is_enclosed && sketch.place[2] == 3);
    wac_sketch_free(&sketch);
    wac_mujoco_close(&mujoco);

    save_text(at("door.xml"),
              "<mujoco><worldbody><geom type='plane' size='0 0 1' pos='0 0 -1'/><body>"
              "<joint axis='0 0 1'/><geom type='box' size='3 4 1' euler='0 0 90'/></body>"
              "</worldbody></mujoco>");
    assert_ok(wac_mujoco_open_file(&mujoco, at("door.xml"), &error));
    motion = wac_mujoco_describe_motion(&mujoco);
    assert_true(motion.normal == 2 && !motion.travels);
    camera = wac_camera_make(motion.normal);
    assert_ok(wac_sketch_model(&sketch, &mujoco, &camera, &error));
    assert_int_equal(sketch.count, 2); /* the floor, and the top of the box */
    assert_true(sketch.polygons[0].is_ground && !sketch.polygons[1].is_ground);
    assert_true(fabs(sketch.high[0] - 4) < 1e-9 && fabs(sketch.high[1] - 3) < 1e-9);
    assert_true(sketch.has_ground && sketch.ground == -1);
    wac_sketch_free(&sketch);
    wac_mujoco_close(&mujoco);
}

static void stops_when_asked(void **state)
{
    (void)state;
    wac_rendering drawn;
    volatile int stop = 1;
    wac_render_options options = quick(at("out/never.gif"));
    options.stop = &stop;
    char *subject = (char *)at("hopper");
    assert_int_equal(wac_render(&drawn, &subject, 1, &options, &error), WAC_STATUS_INTERRUPTED);
    assert_false(wac_path_exists(at("out/never.gif")));
}

static void what_does_not_fit(void **state)
{
    (void)state;
    wac_rendering drawn;
    static const struct {
        const char *one, *other, *out, *part, *rest;
    } rows[] = {
        {"wac", NULL, "x.gif", "does not move", "FILE.png, FILE.svg or FILE.pdf"},
        {"hopper", NULL, "x.png", "moves", "FILE.gif"},
        {"hopper", NULL, "x.svg", "moves", "FILE.gif"},
        {"hopper", "hopper", "x", "hopper moves", "one by one"},
        {"wac", "river", "x", "point-1 and riverswim", "one by one"},
        {"wac", NULL, "nowhere/x", "nowhere/x", "there is no folder"},
        {"wac", NULL, "out/", "name of a file", "out/"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *other = rows[i].other ? at("%s", rows[i].other) : NULL;
        const char *out = at("%s", rows[i].out);
        assert_int_not_equal(render(&drawn, at("%s", rows[i].one), other, out), WAC_STATUS_OK);
        assert_message(error.status, rows[i].part, rows[i].rest);
    }
    wac_render_options options = quick(at("out/x"));
    options.behaviour = options.target = false;
    char *subject = (char *)at("hopper");
    assert_int_equal(wac_render(&drawn, &subject, 1, &options, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "needs a policy", "");
}

#else

static void says_that_the_engine_is_missing(void **state)
{
    (void)state;
    wac_rendering drawn;
    assert_int_equal(render(&drawn, "point-1", NULL, at("out/x")), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "MuJoCo", "libmujoco-dev");
}

#endif

/* A bar of colours of any range has at most four numbers beside it. */
static void numbers_of_colours(void **state)
{
    (void)state;
    for (double low = 0.1; low < 100; low *= 1.3)
        for (double high = 1.001 * low; high < 1e4; high *= 1.1) {
            double step = wac_page_step(low, high, 3.99);
            double count = floor(high / step) - ceil(low / step) + 1;
            assert_true(count >= 1 && count <= 4);
            assert_true((high - low) / step > 1.98);
        }
}

/* Rows of a text: whole parts between commas where those fit, else words, else letters; and what
 * stands for one letter is never broken. */
static void texts_are_broken(void **state)
{
    (void)state;
    static const struct {
        const char *text, *first;
        double room;
    } cases[] = {
        {"λ 0.25, ρ 0.2, lr 0.001", "λ 0.25, ρ 0.2, ", 150},
        {"λ 0.25, ρ 0.2, lr 0.001", "λ 0.25, ", 80},
        {"OE-WAC after 14 epochs", "OE-WAC after 14 ", 160},
        {"OE-WAC after 14 epochs", "OE-WAC ", 120}, /* a number stays with its word */
        {"i''t", "i''", 1},
        {"\\_a", "\\_", 1},
        {"λλ", "λ", 1},
        {"rho-0.5_lambda-0.25", "rho-0.5_", 110},
        {"short", "short", 500},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        size_t size = wac_page_fit(text, WAC_INK_TEXT, 12, cases[i].room);
        if (size != strlen(cases[i].first))
            fail_msg("\"%s\" is broken after \"%.*s\"", text, (int)size, text);
    }
    assert_int_equal(wac_page_rows("λ 0.25, ρ 0.2, lr 0.001", WAC_INK_TEXT, 12, 80), 3);
    assert_int_equal(wac_page_points("short", WAC_INK_TITLE, 21, 13, 500), 21);
    assert_int_equal(wac_page_points("short", WAC_INK_TITLE, 21, 13, 5), 13);
}

/* Long names above narrow maps and mazes stay on the page. */
static void titles_stay_on_the_page(void **state)
{
    NEEDS_GNUPLOT();
    static const char *const names[] = {
        "OE-WAC λ 0.25, ρ 0.6, δ 0.95, lr 0.0003, batch size 256",
        "SAC lr 0.0003, batch size 256, entropy weight 0.01, discount "
        "0.99, initial steps 1000, target rate 0.005"};
    static const char *const pairs[][2] = {{"river", "river-sac"}, {"wac", "wac-seed"}};
    for (size_t i = 0; i < (WAC_MUJOCO ? 2 : 1); i++)
        for (int print = 0; print < 2; print++) {
            wac_rendering drawn;
            wac_render_options options = quick(at("out/long.svg"));
            options.names = names;
            options.inches = print ? 3.3 : 0;
            char one[PATH_MAX], other[PATH_MAX], *subjects[] = {one, other};
            snprintf(one, sizeof one, "%s", at("%s", pairs[i][0]));
            snprintf(other, sizeof other, "%s", at("%s", pairs[i][1]));
            assert_ok(wac_render(&drawn, subjects, 2, &options, &error));
            assert_true(svg_says(drawn.paths[0], "OE-WAC λ 0.25"));
            assert_true(svg_says(drawn.paths[0], "target rate 0.005"));
            for (int k = 0; k < 2 && print; k++)
                assert_false(svg_says(drawn.paths[0], names[k]));
            /* a headline with both has no room */
            assert_true(print || svg_says(drawn.paths[0], "Where 2 agents went"));
        }
}

/* Runs alike are told apart by the folders that only one of them has. */
static void folders_tell_apart(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    char one[PATH_MAX], out[PATH_MAX];
    train_tiny("sweep/sac/lambda-0_x/seed-1", "riverswim", "sac", 1);
    train_tiny("sweep/sac/lambda-1_x/seed-1", "riverswim", "sac", 1);
    snprintf(one, sizeof one, "%s", at("sweep/sac/lambda-0_x/seed-1"));
    snprintf(out, sizeof out, "%s", at("out/apart.svg"));
    assert_ok(render(&drawn, one, at("sweep/sac/lambda-1_x/seed-1"), out));
    assert_svg(out, SAYS("SAC (lambda-0_x) after", "SAC (lambda-1_x) after"));
    assert_ok(render(&drawn, one, one, out));
    assert_true(svg_says(out, "seed-1"));
}

static void maps_of_runs(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    assert_ok(render(&drawn, at("river"), NULL, NULL));
    assert_string_equal(drawn.paths[0], at("river/figures/map.png"));
    assert_png(drawn.paths[0]);
    assert_svg(drawn.paths[1],
               SAYS("OE-WAC on RiverSwim after 2 epochs", "where it went", "what it is unsure of",
                    "position in the river", "visits", "σ"));
    assert_ok(render(&drawn, at("river-sac"), at("river"), at("out/rivers.svg")));
    assert_svg(at("out/rivers.svg"),
               SAYS("SAC visited", "of RiverSwim, OE-WAC", "with more than 0.1 % of all steps",
                    "what it is unsure of"));
    /* SAC has no second map: all three stand in a row */
    assert_int_equal(drawn.width, 96 + 3 * 440 + 2 * 120 + 120);
    assert_ok(render(&drawn, at("river-sac"), NULL, at("out/river.svg")));
    assert_false(svg_says(at("out/river.svg"), "unsure"));
    train_tiny("lqg", "lqg", "me-wac", 1);
    assert_ok(render(&drawn, at("lqg"), NULL, at("out/lqg.svg")));
    assert_svg(at("out/lqg.svg"), SAYS("ME-WAC on LQG", "push", "unsure"));
}

static void movies_of_runs(void **state)
{
    NEEDS_GNUPLOT();
    wac_rendering drawn;
    double share = -1;
    wac_render_options options = quick(NULL);
    options.movie = true;
    options.progress = note_share;
    options.user = &share;
    wac_run_options mapped = wac_run_options_default();
    mapped.maps = true;
    static const char *const worlds[] = {"riverswim", "lqg", "point-2"};
    for (int i = 0; i < (WAC_MUJOCO ? 3 : 2); i++) {
        wac_config config = tiny(worlds[i], i == 1 ? "sac" : "oe-wac", 5);
        char *subject = (char *)at("movie-%d", i);
        assert_ok(train_new(subject, &config, &mapped));
        assert_ok(wac_render(&drawn, &subject, 1, &options, &error));
        assert_int_equal(drawn.files, 1);
        assert_string_equal(drawn.paths[0], at("movie-%d/figures/movie.gif", i));
        assert_int_equal(count_pictures(drawn.paths[0]), 6);
        assert_int_equal(delay_of(drawn.paths[0], 0), 33); /* few take two seconds … */
        assert_int_equal(delay_of(drawn.paths[0], 5), 200);
        assert_true(share >= 0); /* it was told; more only if gnuplot takes its time */
    }
    /* a long one leaves epochs out */
    wac_config config = tiny("lqg", "sac", 200);
    config.updates = config.explore_steps = 1;
    config.evaluation_steps = 0;
    char *subject = (char *)at("long");
    assert_ok(train_new(subject, &config, &mapped));
    assert_ok(wac_render(&drawn, &subject, 1, &options, &error));
    assert_in_range(count_pictures(drawn.paths[0]), 90, 120);
    assert_int_equal(delay_of(drawn.paths[0], 50), 5); /* … many pass quickly */
    /* what cannot be */
    subject = (char *)at("river");
    assert_int_equal(wac_render(&drawn, &subject, 1, &options, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "train one with --maps"));
    subject = "lqg";
    assert_int_equal(wac_render(&drawn, &subject, 1, &options, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "a movie is of one run"));
}

static void what_is_not_there(void **state)
{
    (void)state;
    wac_rendering drawn;
    const char *out = at("out/missing");
    assert_int_equal(render(&drawn, at("nowhere"), NULL, out), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "there is no run", "nowhere");
    assert_int_equal(render(&drawn, at("empty"), NULL, out), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "empty is not a run", "config.yaml");
    assert_int_equal(render(&drawn, "point-33", NULL, out), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "no run or environment \"point-33\"",
                   "did you mean \"point-3");
    assert_int_equal(render(&drawn, "riverswim", NULL, out), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "riverswim by itself", "folder of a run");
    assert_int_equal(render(&drawn, at("river"), at("nowhere"), out), WAC_STATUS_INPUT);

    wac_config config = tiny("riverswim", "sac", 1);
    wac_run *run;
    assert_ok(wac_run_create(&run, &config, NULL, at("fresh"), NULL, &error));
    wac_run_destroy(run);
    assert_int_equal(render(&drawn, at("fresh"), NULL, out), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "fresh has no checkpoint yet", "");
    assert_false(wac_path_exists(at("out/missing.png")));
}

/* A picture that is there stays as it was when the next one can not be drawn. */
static void without_gnuplot(void **state)
{
    (void)state;
    wac_rendering drawn;
    save_text(at("out/old.png"), "as it was");
    setenv("PATH", at("empty"), 1);
    assert_int_equal(render(&drawn, at("river"), NULL, at("out/old.png")), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "gnuplot-nox", "");
    char *text = contents(at("out/old.png"), NULL);
    assert_string_equal(text, "as it was");
    free(text);
    setenv("TMPDIR", at("nowhere"), 1);
    assert_int_equal(render(&drawn, at("river"), NULL, at("out/old.png")), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "TMPDIR", "");
}

/* The program: exit status and what it says, both streams together. */
static void assert_says(int status, const char *arguments, const char *part)
{
    char command[2 * PATH_MAX], said[4096];
    snprintf(command, sizeof command, "%s render %s 2>&1", WAC_PROGRAM, arguments);
    FILE *stream = popen(command, "r");
    assert_non_null(stream);
    size_t size = fread(said, 1, sizeof said - 1, stream);
    said[size] = 0;
    assert_int_equal(WEXITSTATUS(pclose(stream)), status);
    if (!strstr(said, part))
        fail_msg("\"%s\" is not in: %s", part, said);
    assert_null(strchr(said, '\r')); /* no bar where there is no terminal */
}

static void program(void **state)
{
    (void)state;
    char arguments[2 * PATH_MAX];
    assert_says(2, "", "which run or environment?");
    assert_says(2, "x --policy best", "both, target, behaviour or none");
    assert_says(2, "x --episodes 0", "--episodes must be");
    assert_says(1, "x", "there is no run or environment \"x\"");
    assert_says(0, "--help", "RUN/figures/maze.png");
    snprintf(arguments, sizeof arguments, "%s --out %s/out/said", at("river"), root);
    if (!has_gnuplot)
        skip();
    assert_says(0, arguments, "out/said.png\n");
    assert_says(0, arguments, "out/said.svg\n");
}

int main(void)
{
#undef TEST
#define TEST(name) cmocka_unit_test_teardown(name, check_after)
    const struct CMUnitTest tests[] = {
#if WAC_MUJOCO
        TEST(geoms_are_the_models),
        TEST(geoms_move),
        TEST(bare_mazes),
        cmocka_unit_test(worlds_have_titles),
        TEST(maze_of_a_run),
        TEST(maze_of_a_run_without_replay),
        TEST(maze_of_one_policy),
        TEST(mazes_in_pairs),
        TEST(runs_side_by_side),
        TEST(body_stands),
        TEST(body_moves),
        TEST(own_models),
        TEST(sketches),
        TEST(stops_when_asked),
        TEST(what_does_not_fit),
#else
        TEST(says_that_the_engine_is_missing),
#endif
        TEST(numbers_of_colours),
        TEST(texts_are_broken),
        TEST(titles_stay_on_the_page),
        TEST(folders_tell_apart),
        TEST(maps_of_runs),
        TEST(movies_of_runs),
        TEST(what_is_not_there),
        TEST(without_gnuplot),
        TEST(program),
    };
    return cmocka_run_group_tests(tests, setup_all, remove_root);
}
