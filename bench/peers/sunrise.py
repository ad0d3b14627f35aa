#!/usr/bin/python3
"""Updates per second of ours and of SUNRISE as its authors have published it, side by side.

usage: sunrise.py BUILD_DIRECTORY FOLDER_OF_SUNRISE

Sizes of HalfCheetah (17 observations, 6 actions), width 256, batches of 256, 5 members; one thread each, on
the same processor, rounds in turns. Their program is run as it is (github.com/pokaxpoka/sunrise), but for
one thing: it lets critics move between a policy's loss and its gradient, as the PyTorch of its days did, so
its Adam moves weights without telling.
"""
import sys
import types
import warnings

from compare import beside_authors

O, A, WIDTH, BATCH, MEMBERS = 17, 6, 256, 256, 5


def answer(folder):
    sys.path.insert(0, folder + "/OpenAIGym_SAC")
    for name in ("dateutil", "dateutil.tz", "gtimer", "gym", "gym.spaces"):  # of no use here
        sys.modules[name] = types.ModuleType(name)
    sys.modules["gym.spaces"].Discrete = sys.modules["gym.spaces"].Box = object
    warnings.simplefilter("ignore")
    import numpy as np
    import torch
    from rlkit.data_management.simple_replay_buffer import EnsembleSimpleReplayBuffer
    from rlkit.torch.networks import FlattenMlp
    from rlkit.torch.sac.neurips20_sac_ensemble import NeurIPS20SACEnsembleTrainer
    from rlkit.torch.sac.policies import TanhGaussianPolicy

    class Adam(torch.optim.Adam):
        def step(self):
            weights = tuple(self.param_groups[0]["params"])
            with torch.autograd._unsafe_preserve_version_counter(weights):
                super().step()

    torch.set_num_threads(1)
    critics = [[FlattenMlp(input_size=O + A, output_size=1, hidden_sizes=[WIDTH] * 2)
                for _ in range(MEMBERS)] for _ in range(4)]
    policies = [TanhGaussianPolicy(obs_dim=O, action_dim=A, hidden_sizes=[WIDTH] * 2)
                for _ in range(MEMBERS)]
    trainer = NeurIPS20SACEnsembleTrainer(
        None, policies, *critics, num_ensemble=MEMBERS, feedback_type=1, temperature=20.0,
        temperature_act=0, expl_gamma=0, log_dir="", policy_lr=3e-4, qf_lr=3e-4, soft_target_tau=5e-3,
        optimizer_class=Adam, target_entropy=-A)
    trainer._need_to_update_eval_statistics = False
    replay = EnsembleSimpleReplayBuffer(10000, O, A, {}, MEMBERS, "")
    draw = np.random.default_rng(1)
    for _ in range(10000):
        replay.add_sample(draw.uniform(-1, 1, O), draw.uniform(-1, 1, A), draw.uniform(-1, 1),
                          draw.uniform(-1, 1, O), False, draw.uniform(size=MEMBERS) < 0.5, {})

    def update():
        trainer.train(replay.random_batch(BATCH))
        return 1

    update()
    return update


if __name__ == "__main__":
    beside_authors(__file__, "sunrise", answer)
