"""Writes sunrise_small.safetensors: updates of SUNRISE by its authors' program, as docs/verify.md has them.

usage: sunrise.py FOLDER_OF_SUNRISE COMMIT

FOLDER_OF_SUNRISE is a copy of github.com/pokaxpoka/sunrise at that commit; PyTorch and NumPy from anywhere.
The program runs as it is; what it draws is read off on the way. It is of the days of PyTorch 0.4.1, which let
weights move between a loss and its gradient; PyTorch forbids that now. Critics move there before their
policy has its gradient, so here their steps wait for it. Its target entropy is so high that the entropy weights
rise, which shows in a few steps of Adam that it is not the usual one.
"""
import sys
import types
import warnings

import numpy as np
import torch
from torch.distributions import normal

from recorder import keep, keep_layers, tensors, write

O, A, WIDTH, BATCH, STEPS, MEMBERS, TEMPERATURE, OPTIMISM, EXPLORED = 3, 2, 16, 8, 4, 3, 20.0, 5.0, 6
step = -1


def keep_networks(trainer, folder):
    networks = {}
    for i in range(MEMBERS):
        networks |= {f"policy{i + 1}": trainer.policy[i],
                     f"q{2 * i + 1}": trainer.qf1[i], f"q{2 * i + 2}": trainer.qf2[i],
                     f"target_q{2 * i + 1}": trainer.target_qf1[i],
                     f"target_q{2 * i + 2}": trainer.target_qf2[i]}
    for name, net in networks.items():
        layers = {"hidden0": net.fc0, "hidden1": net.fc1}
        if name.startswith("policy"):
            layers |= {"mean": net.last_fc, "log_std": net.last_fc_log_std}
        else:
            layers["out"] = net.last_fc
        keep_layers(f"{folder}/{name}", layers)


class Waiting(torch.optim.Adam):
    """Adam for the program: a critic's step, and what it moves by, waits for that of its policy."""
    waiting = []

    def step(self):
        group = self.param_groups[0]["params"]
        if group[0].shape == (WIDTH, O + A):
            Waiting.waiting.append((self, [parameter.grad.clone() for parameter in group]))
            return
        super().step()
        if group[0].shape == (WIDTH, O):
            for optimizer, gradients in Waiting.waiting:
                for parameter, gradient in zip(optimizer.param_groups[0]["params"], gradients):
                    parameter.grad = gradient
                super(Waiting, optimizer).step()
            Waiting.waiting.clear()


def listen(trainer):
    """Read off each update: noise, losses before its step, entropy weights after."""
    draw, criterion, noises, losses, weight = normal.Normal.sample, trainer.qf_criterion, [], [], {}
    correct = trainer.corrective_feedback

    def sample(self, *arguments):
        noise = draw(self, *arguments)
        name = noises.pop(0)
        if name:
            tensors.setdefault(name, []).append(np.asarray(noise, dtype=np.float32))
        return noise

    def feedback(obs, update_type):
        spreads = correct(obs, update_type)
        if update_type == 1:
            weight["factor"] = torch.sigmoid(-spreads[0] * TEMPERATURE) + 0.5
        return spreads

    def error(prediction, target):
        squares = criterion(prediction, target)
        losses.append(squares.detach() * weight["factor"])
        return squares

    def update(batch):
        global step
        step += 1
        noises[:] = [None] * MEMBERS + [f"in/step{step}/noise_weight"] * MEMBERS
        noises.extend([f"in/step{step}/noise_policy", f"in/step{step}/noise_next"] * MEMBERS)
        losses.clear()
        for name, values in batch.items():
            keep(f"in/step{step}/{name}", values.T if name == "masks" else values)
        trainer.train_from_torch(batch)
        assert not noises and not Waiting.waiting
        for k, squares in enumerate(losses):
            mask = batch["masks"][:, k // 2].reshape(-1, 1)
            keep(f"expect/step{step}/loss_q{k + 1}", [(squares * mask).sum() / (mask.sum() + 1)])
        for i in range(MEMBERS):
            keep(f"expect/step{step}/alpha{i + 1}", trainer.log_alpha[i].detach().exp())

    normal.Normal.sample, trainer.qf_criterion, trainer.corrective_feedback = sample, error, feedback
    return update, noises


class World:
    """One whose states were drawn before, for their rollouts: it tells what was done there."""

    def __init__(self, states):
        self.states, self.done = states, []

    def reset(self):
        return self.states[0]

    def step(self, action):
        self.done.append(action)
        at = len(self.done)
        return self.states[at % len(self.states)], 0.0, at == len(self.states), {}


def explore(trainer, noises, rollouts, deterministic):
    states = np.random.uniform(-1, 1, (EXPLORED, O)).astype(np.float32)
    keep("in/explore/observations", states)
    keep("in/explore/optimism", [OPTIMISM])
    noises[:] = ["in/explore/noise"] * (MEMBERS * EXPLORED)
    world = World(states)
    rollouts.ensemble_ucb_rollout(world, trainer.policy, trainer.qf1, trainer.qf2, OPTIMISM, 1, MEMBERS,
                                  max_path_length=EXPLORED)
    keep("expect/explore/actions", world.done)
    world = World(states)
    rollouts.ensemble_eval_rollout(world, [deterministic(policy) for policy in trainer.policy], MEMBERS,
                                   max_path_length=EXPLORED)
    keep("expect/evaluate/actions", world.done)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1] + "/OpenAIGym_SAC")
    for name in ("dateutil", "dateutil.tz", "gtimer", "gym", "gym.spaces"):  # of no use here
        sys.modules[name] = types.ModuleType(name)
    sys.modules["gym.spaces"].Discrete = sys.modules["gym.spaces"].Box = object
    warnings.simplefilter("ignore")
    from rlkit.samplers import rollout_functions
    from rlkit.torch.networks import FlattenMlp
    from rlkit.torch.sac.neurips20_sac_ensemble import NeurIPS20SACEnsembleTrainer
    from rlkit.torch.sac.policies import MakeDeterministic, TanhGaussianPolicy

    torch.manual_seed(1)
    np.random.seed(1)
    critics = [[FlattenMlp(input_size=O + A, output_size=1, hidden_sizes=[WIDTH] * 2, init_w=0.3)
                for _ in range(MEMBERS)] for _ in range(4)]
    policies = [TanhGaussianPolicy(obs_dim=O, action_dim=A, hidden_sizes=[WIDTH] * 2, init_w=0.3)
                for _ in range(MEMBERS)]
    trainer = NeurIPS20SACEnsembleTrainer(
        None, policies, *critics, num_ensemble=MEMBERS, feedback_type=1, temperature=TEMPERATURE,
        temperature_act=0, expl_gamma=0, log_dir="", policy_lr=1e-3, qf_lr=1e-3, soft_target_tau=5e-3,
        optimizer_class=Waiting, target_entropy=1.5 * A)
    trainer._need_to_update_eval_statistics = False
    keep_networks(trainer, "in/init")
    keep("in/init/log_alpha", [log_alpha.item() for log_alpha in trainer.log_alpha])
    update, noises = listen(trainer)
    for k in range(STEPS):
        masks = np.random.uniform(size=(BATCH, MEMBERS)) < 0.5
        masks[masks.sum(1) == 0, k % MEMBERS] = True
        batch = {"observations": np.random.uniform(-1, 1, (BATCH, O)),
                 "actions": np.random.uniform(-1, 1, (BATCH, A)),
                 "rewards": np.random.uniform(-1, 1, (BATCH, 1)),
                 "next_observations": np.random.uniform(-1, 1, (BATCH, O)),
                 "terminals": np.arange(BATCH).reshape(-1, 1) % 7 == k, "masks": masks}
        update({name: torch.tensor(values, dtype=torch.float32) for name, values in batch.items()})
    keep_networks(trainer, "expect/final")
    explore(trainer, noises, rollout_functions, MakeDeterministic)
    metadata = {
        "algorithm": "sunrise", "observation_size": O, "action_size": A, "hidden_size": WIDTH,
        "batch_size": BATCH, "steps": STEPS, "discount": trainer.discount,
        "target_rate": trainer.soft_target_tau, "learning_rate": 1e-3, "members": MEMBERS,
        "backup_temperature": TEMPERATURE, "entropy_target": trainer.target_entropy / A,
        "source": f"github.com/pokaxpoka/sunrise {sys.argv[2]}, PyTorch {torch.__version__}",
    }
    write("sunrise_small.safetensors", metadata)


if __name__ == "__main__":
    main()
