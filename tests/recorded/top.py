"""Writes top_small.safetensors: updates of TOP by its authors' program, as docs/verify.md has them.

usage: top.py FOLDER_OF_TOP COMMIT

FOLDER_OF_TOP is a copy of github.com/tedmoskovitz/TOP at that commit; PyTorch and NumPy from anywhere.
The program runs as it is. What it draws is read off on the way. An optimism that is neither of its two shows
that it is heeded; rewards are large enough that some errors are beyond Huber's 1.
"""
import random
import sys
import types

import numpy as np
import torch

from recorder import keep, keep_layers, write

O, A, WIDTH, BATCH, STEPS, QUANTILES, OPTIMISM, RATE, EXPLORED, EPISODES = 3, 2, 16, 8, 4, 7, -0.7, 0.3, 6, 20
step = -1


def keep_networks(agent, folder):
    critics, targets = agent.q_funcs, agent.target_q_funcs
    networks = {"policy": agent.policy.network, "slow_policy": agent.target_policy.network,
                "q1": critics.network1, "q2": critics.network2,
                "target_q1": targets.network1, "target_q2": targets.network2}
    for name, net in networks.items():
        head = "mean" if "policy" in name else "out"
        keep_layers(f"{folder}/{name}",
                    {"hidden0": net.network[0], "hidden1": net.network[2], "hidden2": net.network[4],
                     head: net.network[6]})


def listen(agent):
    """Read off each update: batch, noise, losses before its step."""
    draw_batch, find_losses, draw_noise = agent.replay_pool.sample, agent.update_q_functions, torch.randn_like

    def sample(size):
        global step
        step += 1
        batch = draw_batch(size)
        values = {"observations": batch.state, "actions": batch.action, "rewards": batch.reward,
                  "next_observations": batch.nextstate, "terminals": batch.real_done}
        for name, rows in values.items():
            keep(f"in/step{step}/{name}", np.array(rows))
        return batch

    def losses(*arguments):
        found = find_losses(*arguments)
        for k in range(2):
            keep(f"expect/step{step}/loss_q{k + 1}", found[k].reshape(1))
        return found

    def randn_like(like):
        noise = draw_noise(like)
        keep(f"in/step{step}/noise_next", noise)
        return noise

    agent.replay_pool.sample, agent.update_q_functions, torch.randn_like = sample, losses, randn_like
    return draw_noise


def explore(agent, draw_noise):
    states, noises = np.random.uniform(-1, 1, (EXPLORED, O)).astype(np.float32), []

    def randn_like(like):
        noises.append(draw_noise(like))
        return noises[-1]

    torch.randn_like = randn_like
    keep("in/explore/observations", states)
    keep("expect/explore/actions", np.array([agent.get_action(state) for state in states]))
    keep("in/explore/noise", torch.cat(noises))
    keep("expect/evaluate/actions",
         np.array([agent.get_action(state, deterministic=True) for state in states]))


def choose(bandit):
    """Episodes by their bandit, with returns that are drawn: the first arm's are the higher ones."""
    arms, returns, weights, last = [], [], [], 0.0
    for _ in range(EPISODES):
        bandit.sample()
        arms.append(bandit.arm)
        returns.append(np.float32(np.random.normal(5.0 - 3.0 * bandit.arm, 2.0)))
        bandit.update_dists(returns[-1] - last)
        weights.append(list(bandit.w.values()))
        last = returns[-1]
    keep("in/bandit/arms", arms)
    keep("in/bandit/returns", returns)
    keep("expect/bandit/weights", np.array(weights))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1] + "/mujoco")
    for name in ("moviepy", "moviepy.editor"):  # of no use here
        sys.modules[name] = types.ModuleType(name)
    sys.modules["moviepy.editor"].ImageSequenceClip = object
    from top import TOP_Agent
    from utils import Transition

    random.seed(1)
    np.random.seed(1)
    agent = TOP_Agent(1, O, A, lr=1e-3, batchsize=BATCH, hidden_size=WIDTH, n_quantiles=QUANTILES,
                      bandit_lr=RATE, explore_noise=0.3)
    for i in range(100):
        agent.replay_pool.push(Transition(
            np.random.uniform(-1, 1, O), np.random.uniform(-1, 1, A), np.random.uniform(-3, 3),
            np.random.uniform(-1, 1, O), float(i % 7 == 0)))
    keep_networks(agent, "in/init")
    draw_noise = listen(agent)
    agent.optimize(STEPS, OPTIMISM)
    keep_networks(agent, "expect/final")
    explore(agent, draw_noise)
    choose(agent.TDC)
    metadata = {
        "algorithm": "top", "observation_size": O, "action_size": A, "hidden_size": WIDTH, "layers": 3,
        "batch_size": BATCH, "steps": STEPS, "discount": agent.gamma, "target_rate": agent.tau,
        "learning_rate": 1e-3, "policy_delay": agent.update_interval, "quantiles": QUANTILES,
        "optimism_low": OPTIMISM, "optimism_high": OPTIMISM, "bandit_rate": RATE,
        "explore_noise": agent.explore_noise, "target_noise": agent.target_noise,
        "target_noise_clip": agent.target_noise_clip,
        "source": f"github.com/tedmoskovitz/TOP {sys.argv[2]}, PyTorch {torch.__version__}",
    }
    write("top_small.safetensors", metadata)


if __name__ == "__main__":
    main()
