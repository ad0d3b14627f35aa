#!/usr/bin/env python3
"""What Python costs where the world is the library's: the program and the package train the same run in turn.

usage: python_layer.py BUILD_DIRECTORY [ROUNDS]

Seconds of the processor that ten epochs take: a process that trains twelve less one that trains two, so that starting
is in neither. Prints the ratio of the medians.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

SETTINGS = dict(width=64, batch_size=64, initial_steps=1000, explore_steps=1000, updates=1000, update_interval=1)
LONG, SHORT = 12, 2
SCRIPT = """
import sys, wac
wac.Agent("sac", "riverswim", directory=sys.argv[1], **{settings}).learn({steps}, callback=lambda now: None)
"""


def busy(command, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    environment = os.environ | {"PYTHONPATH": os.path.join(build, "python")}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in SETTINGS.items()]
    kinds = {"program": [], "Python": []}
    with tempfile.TemporaryDirectory() as folder:
        for i in range(rounds):
            for kind, found in kinds.items():
                spent = []
                for epochs in (LONG, SHORT):
                    out = os.path.join(folder, f"{kind}-{i}-{epochs}")
                    steps = 1000 + 1000 * epochs
                    script = SCRIPT.format(settings=SETTINGS, steps=steps)
                    command = ([os.path.join(build, "wac"), "train", "riverswim", "--algorithm=sac",
                                f"--epochs={epochs}", f"--out={out}", *words] if kind == "program" else
                               [sys.executable, "-c", script, out])
                    spent.append(busy(command, environment))
                found.append(spent[0] - spent[1])
    medians = {kind: statistics.median(found) for kind, found in kinds.items()}
    for kind, seconds in medians.items():
        print(f"{kind:8} {seconds:.3f} s of the processor")
    print(f"ratio    {medians['Python'] / medians['program']:.3f}")


if __name__ == "__main__":
    main()
