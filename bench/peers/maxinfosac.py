#!/usr/bin/python3
"""Updates per second of ours and of MaxInfoSAC as its authors have published it, side by side.

usage: maxinfosac.py BUILD_DIRECTORY FOLDER_OF_MAXINFORL_TORCH

Sizes of HalfCheetah (17 observations, 6 actions), width 256, batches of 256, 5 models; one thread each, on the same
processor, rounds in turns. Their program is run as it is (github.com/sukhijab/maxinforl_torch, with
Stable-Baselines3), a step of the world being one update.
"""
import sys

from compare import beside_authors


def answer(folder):
    sys.path.insert(0, folder)
    import gymnasium
    import numpy as np
    import torch
    from stable_baselines3.common.logger import configure

    from maxinforl_torch.commons.maxinfo_sac import MaxInfoSAC

    class Space(gymnasium.Env):
        """Only its sizes are asked for."""
        observation_space = gymnasium.spaces.Box(-1, 1, (17,), np.float32)
        action_space = gymnasium.spaces.Box(-1, 1, (6,), np.float32)

    torch.set_num_threads(1)
    models = {"learn_std": False, "features": (256, 256), "optimizer_kwargs": {"lr": 3e-4, "weight_decay": 0.0}}
    agent = MaxInfoSAC(models, policy="MlpPolicy", env=Space(), buffer_size=10000, device="cpu")
    agent.set_logger(configure(None, []))
    draw = np.random.default_rng(1)
    for _ in range(10000):
        agent.replay_buffer.add(draw.uniform(-1, 1, (1, 17)), draw.uniform(-1, 1, (1, 17)),
                                draw.uniform(-1, 1, (1, 6)), draw.uniform(-1, 1, 1), np.array([False]), [{}])

    def update():
        agent.train(1, 256)
        return 1

    update()
    return update


if __name__ == "__main__":
    beside_authors(__file__, "maxinfosac", answer)
