#!/usr/bin/python3
"""Updates per second of ours and of SAC with SimBa's networks as its authors have published it, side by side.

usage: simba.py BUILD_DIRECTORY FOLDER_OF_SIMBA

Sizes of HalfCheetah (17 observations, 6 actions), batches of 256, critics of width 512 with two blocks, a policy of width
128 with one; one thread each, on the same processor, rounds in turns. Their program is run as it is
(github.com/SonyResearch/simba, with JAX, which compiles the update), with two critics.
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
    from scale_rl.agents.sac.sac_agent import SACAgent

    settings = {"seed": 1, "num_train_envs": 1, "max_episode_steps": 1000, "normalize_observation": False, "gamma": 0.99,
                "n_step": 1, "target_tau": 0.005, "critic_use_cdq": True, "mixed_precision": False,
                "temp_target_entropy": None, "temp_target_entropy_coef": -0.5, "temp_initial_value": 0.01,
                "temp_learning_rate": 1e-4, "temp_weight_decay": 0.0}
    for name, width, blocks in (("actor", 128, 1), ("critic", 512, 2)):
        settings.update({f"{name}_block_type": "residual", f"{name}_num_blocks": blocks, f"{name}_hidden_dim": width,
                         f"{name}_learning_rate": 1e-4, f"{name}_weight_decay": 1e-2})
    agent = SACAgent(gymnasium.spaces.Box(-1, 1, (17,), np.float32), gymnasium.spaces.Box(-1, 1, (6,), np.float32),
                     settings)
    draw = np.random.default_rng(1)
    sizes = {"observation": (17,), "next_observation": (17,), "action": (6,), "reward": (), "terminated": ()}
    replay = {name: draw.uniform(-1, 1, (10000, *size)).astype(np.float32) for name, size in sizes.items()}
    replay["terminated"][:] = 0

    def update():
        rows = draw.integers(0, 10000, 256)
        agent.update(0, {name: values[rows] for name, values in replay.items()})
        return 1

    update()
    return update


if __name__ == "__main__":
    beside_authors(__file__, "sac", answer, seconds=6.0, network="simba")
