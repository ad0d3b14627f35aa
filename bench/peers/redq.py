#!/usr/bin/python3
"""Updates per second of ours and of REDQ as its authors have published it, side by side.

usage: redq.py BUILD_DIRECTORY FOLDER_OF_REDQ

Sizes of HalfCheetah (17 observations, 6 actions), width 256, batches of 256, 10 critics of which 2 make
a target, one update of the policy in 20; one thread each, on the same processor, rounds in turns. Their
program is run as it is (github.com/watchernyu/REDQ), a step of the world being 20 updates.
"""
import os
import statistics
import sys
import time

from compare import Worker, quartiles

ROUNDS = 9
SECONDS = 3.0


class Silent:
    def store(self, **numbers):
        pass


def answer(folder):
    """Their end: times a round for each line on stdin."""
    sys.path.insert(0, folder)
    import numpy as np
    import torch

    from redq.algos.redq_sac import REDQSACAgent

    torch.set_num_threads(1)
    agent = REDQSACAgent("HalfCheetah-v2", 17, 6, 1.0, torch.device("cpu"), replay_size=10000,
                         start_steps=0)
    draw = np.random.default_rng(1)
    for _ in range(10000):
        agent.store_data(draw.uniform(-1, 1, 17), draw.uniform(-1, 1, 6), draw.uniform(-1, 1),
                         draw.uniform(-1, 1, 17), False)
    agent.train(Silent())
    print("ready", torch.__version__, flush=True)
    for _ in sys.stdin:
        count, start, spent = 0, time.monotonic(), 0.0
        while spent < SECONDS:
            agent.train(Silent())
            count, spent = count + agent.utd_ratio, time.monotonic() - start
        print(count / spent, flush=True)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, folder = sys.argv[1:]
    if build == "--answer":
        return answer(folder)
    processors = {min(os.sched_getaffinity(0))}
    program = os.path.join(build, "bench_update_rounds")
    ours = Worker([program, "redq", "1", str(SECONDS), "halfcheetah"], processors)
    theirs = Worker([sys.executable, os.path.abspath(__file__), "--answer", folder], processors,
                    {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})
    rates = [(ours.round(), theirs.round()) for _ in range(ROUNDS)]
    ours.end()
    theirs.end()
    ratios = [mine / its for mine, its in rates]
    low, high = quartiles(ratios)
    mine, its = (statistics.median(column) for column in zip(*rates))
    print(f"ours {mine:.1f} updates/s, theirs {its:.1f}, ratio {statistics.median(ratios):.2f} "
          f"({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
