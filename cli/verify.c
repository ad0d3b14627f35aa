#include "cli.h"
static int run(int argc, char **argv) { (void)argc; (void)argv; return 0; }
const cli_command cli_verify = {"verify", "compare with recorded numbers", "", run};
