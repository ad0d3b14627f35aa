#!/usr/bin/python3
"""Updates per second of ours and of REDQ as its authors have published it, side by side.

usage: redq.py BUILD_DIRECTORY FOLDER_OF_REDQ

Sizes of HalfCheetah (17 observations, 6 actions), width 256, batches of 256, 10 critics of which 2 make
a target, one update of the policy in 20; one thread each, on the same processor, rounds in turns. Their
program is run as it is (github.com/watchernyu/REDQ), a step of the world being 20 updates.
"""
import sys

from compare import beside_authors


class Silent:
    def store(self, **numbers):
        pass


def answer(folder):
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

    def update():
        agent.train(Silent())
        return agent.utd_ratio

    update()
    return update


if __name__ == "__main__":
    beside_authors(__file__, "redq", answer)
