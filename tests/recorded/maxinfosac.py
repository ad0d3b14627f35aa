"""Writes maxinfosac_small.safetensors: updates of MaxInfoSAC by its authors' program, as docs/verify.md has them.

usage: maxinfosac.py FOLDER_OF_MAXINFORL_TORCH COMMIT

FOLDER_OF_MAXINFORL_TORCH is a copy of github.com/sukhijab/maxinforl_torch at that commit; PyTorch, NumPy and
Stable-Baselines3 from anywhere. The program runs as it is; what it draws is read off on the way. An update is one
call of its `train`, as in its experiments; the batch that it draws for its normalisers is the one that it draws for
the update, too. The slow policy and both weights begin with other numbers than the usual ones, so that none can be
mistaken for another.
"""
import sys

import gymnasium
import numpy as np
import torch
from stable_baselines3.common.logger import configure
from torch.distributions import normal

from recorder import keep, keep_layers, tensors, write

O, A, WIDTH, BATCH, STEPS, MODELS = 3, 2, 16, 8, 4, 3
RATE, MODEL_RATE = 1e-3, 2e-3
step = -1


class Space(gymnasium.Env):
    """Only its sizes are asked for."""
    observation_space = gymnasium.spaces.Box(-1, 1, (O,), np.float32)
    action_space = gymnasium.spaces.Box(-1, 1, (A,), np.float32)

    def reset(self, seed=None, options=None):
        return np.zeros(O, np.float32), {}


def keep_networks(agent, folder):
    for name, actor in {"policy": agent.actor, "slow_policy": agent.actor_target}.items():
        keep_layers(f"{folder}/{name}", {"hidden0": actor.latent_pi[0], "hidden1": actor.latent_pi[2],
                                          "mean": actor.mu, "log_std": actor.log_std})
    for prefix, critic in {"": agent.critic, "target_": agent.critic_target}.items():
        for k, net in enumerate(critic.q_networks):
            keep_layers(f"{folder}/{prefix}q{k + 1}", {"hidden0": net[0], "hidden1": net[2], "out": net[4]})
    for k, model in enumerate(agent.ensemble_model.models):
        keep_layers(f"{folder}/model{k + 1}",
                     {"hidden0": model.feat[0][0], "hidden1": model.feat[1][0], "out": model.feat[2]})


def listen(agent, module):
    """Read off each update: batch and noise; losses before its steps."""
    draw_batch, draw_noise, model_loss = agent.replay_buffer.sample, normal._standard_normal, agent.ensemble_model.loss
    noises, seen = [], {}

    def sample(size, env=None):
        if not noises:  # the first of the two of an update
            noises[:] = ["noise_policy", "noise_slow_policy", "noise_next"]
            seen["batch"] = draw_batch(size, env=env)
            for name, values in seen["batch"]._asdict().items():
                if values is not None:
                    shape = values.reshape(-1) if name in ("rewards", "dones") else values
                    keep(f"in/step{step}/" + name.replace("dones", "terminals"), shape)
            seen["critic"] = 0
        return seen["batch"]

    def standard_normal(*arguments, **options):
        noise = draw_noise(*arguments, **options)
        keep(f"in/step{step}/{noises.pop(0)}", noise)
        return noise

    class Functional:
        @staticmethod
        def mse_loss(values, target):
            loss = torch.nn.functional.mse_loss(values, target)
            seen["critic"] += 1
            keep(f"expect/step{step}/loss_q{seen['critic']}", [loss.item()])
            return loss

    def loss(prediction, target):
        for k in range(MODELS):
            errors = [(prediction[key][..., k] - target[key]).square().mean().item() for key in target]
            keep(f"expect/step{step}/loss_model{k + 1}", [np.mean(errors)])
        return model_loss(prediction=prediction, target=target)

    agent.replay_buffer.sample, agent.ensemble_model.loss = sample, loss
    normal._standard_normal, module.F = standard_normal, Functional


def main():
    global step
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    from maxinforl_torch.commons import maxinfo_sac

    torch.manual_seed(1)
    draw = np.random.default_rng(1)
    models = {"num_heads": MODELS, "features": (WIDTH, WIDTH), "learn_std": False,
              "optimizer_kwargs": {"lr": MODEL_RATE, "weight_decay": 0.0}}
    agent = maxinfo_sac.MaxInfoSAC(models, policy="MlpPolicy", env=Space(), learning_rate=RATE, buffer_size=100,
                                   batch_size=BATCH, ent_coef="auto_0.3", init_dyn_entropy_scale=0.5, device="cpu",
                                   policy_kwargs={"net_arch": [WIDTH, WIDTH]}, seed=1)
    agent.set_logger(configure(None, []))
    for i in range(100):
        agent.replay_buffer.add(draw.uniform(-1, 1, (1, O)), draw.uniform(-1, 1, (1, O)), draw.uniform(-1, 1, (1, A)),
                                draw.uniform(-1, 1, 1), np.array([i % 7 == 0]), [{}])
    with torch.no_grad():
        for weights in agent.actor_target.parameters():
            weights += 0.1 * torch.randn(weights.shape)
    keep_networks(agent, "in/init")
    keep("in/init/log_alpha", agent.log_ent_coef)
    keep("in/init/log_bonus_weight", agent.log_dyn_entropy_scale)
    listen(agent, maxinfo_sac)
    for step in range(STEPS):
        agent.train(1, BATCH)
        keep(f"expect/step{step}/alpha", agent.log_ent_coef.exp())
        keep(f"expect/step{step}/bonus_weight", agent.log_dyn_entropy_scale.exp())
    keep_networks(agent, "expect/final")
    metadata = {
        "algorithm": "maxinfosac", "observation_size": O, "action_size": A, "hidden_size": WIDTH,
        "batch_size": BATCH, "steps": STEPS, "discount": agent.gamma, "target_rate": agent.tau,
        "learning_rate": RATE, "models": MODELS, "model_learning_rate": MODEL_RATE,
        "entropy_target": agent.target_entropy / A,
        "source": f"github.com/sukhijab/maxinforl_torch {sys.argv[2]}, PyTorch {torch.__version__}",
    }
    write("maxinfosac_small.safetensors", metadata)


if __name__ == "__main__":
    main()
