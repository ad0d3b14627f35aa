/* Visits by shades of characters, on a logarithmic scale; uncertainty by the same shades, from its
 * least to its most. */
#include "demo_sight.h"

#include "run/run.h"

#include <math.h>
#include <string.h>

void cli_sight_take(cli_sight *sight, wac_run *run)
{
    const wac_grid grid = wac_world_grid(run->world);
    bool river = wac_world_has_coverage(run->world);
    const int *cells = grid.cells;
    *sight =
        (cli_sight){.across = river ? cells[0] : CLI_SIGHT_ACROSS, .up = river ? 1 : CLI_SIGHT_UP};
    for (int i = 0; i < cells[0]; i++)
        for (int j = 0; j < cells[1]; j++)
            sight->visits[j * sight->up / cells[1]][i * sight->across / cells[0]] +=
                (double)run->visits[WAC_POLICY_BEHAVIOUR].counts[i * cells[1] + j];
    for (int i = 0; i < sight->across; i++) {
        double mean, place = wac_cell_middle(i, sight->across, grid.low[0], grid.high[0]);
        sight->sigma[i] = NAN;
        if (river)
            wac_run_value(run, &place, &grid.high[1], &mean, &sight->sigma[i]);
    }
}

/* From 0 to 1. */
static char shade(double share)
{
    static const char shades[] = " .:-=+*#%@";
    enum { MOST = sizeof shades - 2 };
    return shades[share > 0 ? (int)fmin(MOST, 1 + share * MOST) : 0];
}

static double most_visits(const cli_sight *sight)
{
    double most = 1;
    for (int j = 0; j < sight->up; j++)
        for (int i = 0; i < sight->across; i++)
            most = fmax(most, sight->visits[j][i]);
    return most;
}

static char shade_of_visits(const cli_sight *sight, int i, int j, double most)
{
    return shade(log1p(sight->visits[j][i]) / log1p(most));
}

/* A line along the river; each of its cells is as wide as there is room. */
static void print_river(char *to, const char *title, const cli_sight *sight, bool sigma)
{
    enum { TITLE = 10 };
    int each = sight->across ? (CLI_PICTURE_COLUMNS - TITLE) / sight->across : 0;
    double most = most_visits(sight), low = INFINITY, high = -INFINITY;
    for (int i = 0; i < sight->across; i++) {
        low = fmin(low, sight->sigma[i]);
        high = fmax(high, sight->sigma[i]);
    }
    int used = sprintf(to, "%-*s", TITLE, title);
    for (int i = 0; i < sight->across; i++) {
        char mark = sigma ? shade((sight->sigma[i] - low) / fmax(high - low, 1e-9))
                          : shade_of_visits(sight, i, 0, most);
        memset(to + used, mark, (size_t)each);
        used += each;
    }
    to[used] = 0;
}

static void draw_rivers(cli_picture *picture, const cli_sight *oe_wac, const cli_sight *sac)
{
    picture->lines = 5;
    snprintf(picture->text[0], sizeof picture->text[0], "%s", "");
    snprintf(picture->text[1], sizeof picture->text[1], "%-10s%-55s%s", "visits", "crumb", "prize");
    print_river(picture->text[2], "  OE-WAC", oe_wac, false);
    print_river(picture->text[3], "  SAC", sac, false);
    print_river(picture->text[4], "unsure", oe_wac, true);
}

static void draw_mazes(cli_picture *picture, const cli_sight *oe_wac, const cli_sight *sac)
{
    enum { APART = 4 };
    const cli_sight *sights[] = {oe_wac, sac};
    picture->lines = 2 + CLI_SIGHT_UP;
    snprintf(picture->text[0], sizeof picture->text[0], "%s", "");
    snprintf(picture->text[1], sizeof picture->text[1], "%-*s%s", CLI_SIGHT_ACROSS + APART,
             "where OE-WAC has been", "where SAC has been");
    for (int line = 0; line < CLI_SIGHT_UP; line++) {
        char *to = picture->text[2 + line];
        memset(to, ' ', 2 * CLI_SIGHT_ACROSS + APART);
        to[2 * CLI_SIGHT_ACROSS + APART] = 0;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < sights[k]->across; i++)
                to[k * (CLI_SIGHT_ACROSS + APART) + i] =
                    shade_of_visits(sights[k], i, CLI_SIGHT_UP - 1 - line, most_visits(sights[k]));
    }
}

void cli_sight_draw(cli_picture *picture, const cli_sight *oe_wac, const cli_sight *sac)
{
    int up = oe_wac->up > sac->up ? oe_wac->up : sac->up;
    picture->lines = 0;
    if (up == 1)
        draw_rivers(picture, oe_wac, sac);
    else if (up > 1)
        draw_mazes(picture, oe_wac, sac);
}
