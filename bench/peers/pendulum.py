#!/usr/bin/env python3
"""Whether Pendulum-v1 is learnt: SAC and ME-WAC, evaluations every 1000 of 10 000 steps.

usage: pendulum.py [ALGORITHM[,ALGORITHM]] [SEED[,SEED]]

A run has got there once an evaluation of ten episodes returns −200 or more; exits with 1 if one never does.
"""
import sys

import numpy as np

import wac

SETTINGS = dict(initial_steps=1000, explore_steps=1000, updates=1000, update_interval=1, evaluation_steps=2000,
                width=128, batch_size=256, learning_rate=1e-3, replay_checkpoint="none")
OTHERS = {"sac": {}, "me-wac": dict(reward_min=-16.3, reward_max=0, std_learning_rate=1e-3)}


def main():
    words = sys.argv[1:] + ["", ""]
    algorithms = words[0].split(",") if words[0] else list(OTHERS)
    seeds = [int(seed) for seed in words[1].split(",")] if words[1] else range(1, 6)
    bad = 0
    for algorithm in algorithms:
        for seed in seeds:
            agent = wac.Agent(algorithm, "Pendulum-v1", seed=seed, **SETTINGS, **OTHERS[algorithm])
            returns = agent.learn(10_000).history["eval_return"]
            there = np.flatnonzero(returns >= -200)
            bad += not len(there)
            when = f"after {1000 * (there[0] + 1)} steps" if len(there) else "never"
            print(f"{algorithm:7} seed {seed}: −200 {when}; {' '.join(f'{value:.0f}' for value in returns)}",
                  flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
