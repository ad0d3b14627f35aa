#!/usr/bin/python3
"""Updates per second of ours and of TOP as its authors have published it, side by side.

usage: top.py BUILD_DIRECTORY FOLDER_OF_TOP

Sizes of HalfCheetah (17 observations, 6 actions), width 256, batches of 256, 50 quantiles, one update of the
policy in 2; one thread each, on the same processor, rounds in turns. Their program
(github.com/tedmoskovitz/TOP) is run as it is.
"""
import sys
import types

from compare import beside_authors


def answer(folder):
    sys.path.insert(0, folder + "/mujoco")
    for name in ("moviepy", "moviepy.editor"):  # of no use here
        sys.modules[name] = types.ModuleType(name)
    sys.modules["moviepy.editor"].ImageSequenceClip = object
    import numpy as np
    import torch
    from top import TOP_Agent
    from utils import Transition

    torch.set_num_threads(1)
    agent = TOP_Agent(1, 17, 6, n_quantiles=50)
    draw = np.random.default_rng(1)
    for _ in range(10000):
        agent.replay_pool.push(Transition(draw.uniform(-1, 1, 17), draw.uniform(-1, 1, 6),
                                          draw.uniform(-1, 1), draw.uniform(-1, 1, 17), 0.0))

    def update():
        agent.optimize(1, -1)
        return 1

    update()
    return update


if __name__ == "__main__":
    beside_authors(__file__, "top", answer)
