#!/usr/bin/python3
"""Updates per second of ours and of BRO as its authors have published it, side by side.

usage: bro.py BUILD_DIRECTORY FOLDER_OF_BRO

Sizes of HalfCheetah (17 observations, 6 actions), batches of 256, critics of width 512 with two blocks and 100 quantiles,
policies of width 256 with one; one thread each, on the same processor, rounds in turns. Their program is run as it is
(github.com/naumix/BiggerRegularizedOptimistic, with JAX, which compiles the update), one seed, two updates a call.
"""
import os
import sys

from compare import beside_authors


def answer(folder):
    sys.path.insert(0, folder)
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import gymnasium
    import jax
    import numpy as np

    jax.tree_map = jax.tree_util.tree_map  # that name is gone from newer versions
    sys.modules["gym"] = gymnasium  # of which the program wants the older one
    from jaxrl.bro.bro_learner import BRO
    from jaxrl.replay_buffer import ParallelReplayBuffer

    agent = BRO(1, np.zeros((1, 17), np.float32), np.zeros((1, 6), np.float32), num_seeds=1)
    replay = ParallelReplayBuffer(gymnasium.spaces.Box(-1, 1, (1, 17), np.float32), 6, 10000, 1)
    draw = np.random.default_rng(1)
    for _ in range(10000):
        replay.insert(draw.uniform(-1, 1, (1, 17)), draw.uniform(-1, 1, (1, 6)), draw.uniform(-1, 1), 1.0, 0.0,
                      draw.uniform(-1, 1, (1, 17)))

    def update():
        told = agent.update(replay.sample_parallel_multibatch(256, 2), 2, 0)
        jax.block_until_ready(told)
        return 2

    update()
    return update


if __name__ == "__main__":
    beside_authors(__file__, "bro", answer, seconds=6.0, network="bronet")
