"""Writes redq_small.safetensors: updates of REDQ by its authors' program, as docs/verify.md has them.

usage: redq.py FOLDER_OF_REDQ COMMIT

FOLDER_OF_REDQ is a copy of github.com/watchernyu/REDQ at that commit; PyTorch and NumPy from anywhere.
The program runs as it is; what it draws is read off on the way. Its `alpha` is 1, so that the first
updates have the entropy weight that `log_alpha` says; and its target entropy is so high that the entropy
weight rises, which shows in a few steps of Adam that it is not the usual one.
"""
import sys

import numpy as np
import torch
from torch.distributions import normal

from recorder import keep, keep_layers, tensors, write

O, A, WIDTH, BATCH, STEPS, CRITICS, SUBSET, DELAY = 3, 2, 16, 8, 4, 4, 2, 2
step = -1


def keep_networks(agent, folder):
    networks = {"policy": agent.policy_net}
    for k in range(CRITICS):
        networks[f"q{k + 1}"] = agent.q_net_list[k]
        networks[f"target_q{k + 1}"] = agent.q_target_net_list[k]
    for name, net in networks.items():
        layers = {"hidden0": net.hidden_layers[0], "hidden1": net.hidden_layers[1]}
        if name == "policy":
            layers |= {"mean": net.last_fc_layer, "log_std": net.last_fc_log_std}
        else:
            layers["out"] = net.last_fc_layer
        keep_layers(f"{folder}/{name}", layers)


class Silent:
    def store(self, **numbers):
        pass


def listen(agent):
    """Read off each update: batch, noise, subset; losses before its step, the entropy weight after."""
    draw_batch, back_up = agent.sample_data, agent.get_redq_q_target_no_grad
    draw_noise, noises, seen = normal._standard_normal, [], {}

    def sample_data(size):
        global step
        if step >= 0:
            keep(f"expect/step{step}/alpha", [agent.alpha])
        step += 1
        noises[:] = ["noise_next", "noise_policy"]
        batch = draw_batch(size)
        seen["pairs"] = torch.cat(batch[0:3:2], 1)
        names = ["observations", "next_observations", "actions", "rewards", "terminals"]
        for name, values in zip(names, batch):
            keep(f"in/step{step}/{name}", values)
        keep(f"in/step{step}/noise_policy", np.zeros((BATCH, A)))  # where the policy rests
        return batch

    def target(*arguments):
        y, subset = back_up(*arguments)
        keep(f"in/step{step}/subset", subset)
        with torch.no_grad():
            for k, critic in enumerate(agent.q_net_list):
                loss = (critic(seen["pairs"]) - y).square().mean()
                keep(f"expect/step{step}/loss_q{k + 1}", [loss])
        return y, subset

    def standard_normal(*arguments, **options):
        noise = draw_noise(*arguments, **options)
        keep(f"in/step{step}/{noises.pop(0)}", noise)
        return noise

    agent.sample_data, agent.get_redq_q_target_no_grad = sample_data, target
    normal._standard_normal = standard_normal


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    from redq.algos.redq_sac import REDQSACAgent

    torch.manual_seed(1)
    np.random.seed(1)
    agent = REDQSACAgent("Hopper-v2", O, A, 1.0, torch.device("cpu"), hidden_sizes=(WIDTH, WIDTH),
                         replay_size=100, batch_size=BATCH, lr=1e-3, alpha=1.0, start_steps=0,
                         utd_ratio=STEPS, num_Q=CRITICS, num_min=SUBSET, policy_update_delay=DELAY)
    agent.target_entropy = 1.5 * A
    for i in range(100):
        agent.store_data(np.random.uniform(-1, 1, O), np.random.uniform(-1, 1, A),
                         np.random.uniform(-1, 1), np.random.uniform(-1, 1, O), i % 7 == 0)
    keep_networks(agent, "in/init")
    keep("in/init/log_alpha", agent.log_alpha.detach())
    listen(agent)
    agent.train(Silent())
    keep(f"expect/step{step}/alpha", [agent.alpha])
    keep_networks(agent, "expect/final")
    metadata = {
        "algorithm": "redq", "observation_size": O, "action_size": A, "hidden_size": WIDTH,
        "batch_size": BATCH, "steps": STEPS, "discount": agent.gamma,
        "target_rate": round(1 - agent.polyak, 12), "learning_rate": agent.lr, "critics": CRITICS,
        "subset": SUBSET, "policy_delay": DELAY, "entropy_target": agent.target_entropy / A,
        "source": f"github.com/watchernyu/REDQ {sys.argv[2]}, PyTorch {torch.__version__}",
    }
    write("redq_small.safetensors", metadata)


if __name__ == "__main__":
    main()
