"""The same updates in PyTorch: SAC, OE-WAC and ME-WAC at their fastest there.

`check` replays a recording (docs/verify.md) and fails if anything is off; `main` times rounds for
compare.py: each line on stdin asks for one, each line on stdout is its updates per second.
"""
import argparse
import itertools
import math
import sys
import time

import torch

from recording import Recording

LOG_STD_RANGE = (-20.0, 2.0)


class Group:
    """Equal networks of two hidden ReLU layers, one by one or stacked for batched products."""

    def __init__(self, members, inputs, width, outputs, stacked, trained=True):
        sizes = [(inputs, width), (width, width), (width, outputs)]
        limit = [width**-0.5, width**-0.5, 3e-3]
        nets = [
            [
                t
                for (i, o), r in zip(sizes, limit)
                for t in (torch.empty(o, i).uniform_(-r, r), torch.full((o,), 0.1))
            ]
            for _ in range(members)
        ]
        self.stacked = stacked
        self.nets = nets if not stacked else None
        self.stack = [torch.stack(t) for t in zip(*nets)] if stacked else None
        for t in self.params():
            t.requires_grad_(trained)

    def params(self):
        return self.stack if self.stacked else list(itertools.chain(*self.nets))

    def view(self, member, index):
        """One tensor of one network, to read or to overwrite."""
        return (self.stack[index][member] if self.stacked else self.nets[member][index]).detach()

    def copy_from(self, other):
        with torch.no_grad():
            for mine, theirs in zip(self.params(), other.params()):
                mine.copy_(theirs)

    def __call__(self, x, member=None):
        """[rows, inputs] -> [members, rows, outputs]; with `member`, of that one alone."""
        if self.stacked:
            w0, b0, w1, b1, w2, b2 = (
                self.stack if member is None else [t[member : member + 1] for t in self.stack]
            )
            x = x.expand(w0.shape[0], -1, -1)
            x = torch.baddbmm(b0.unsqueeze(1), x, w0.transpose(1, 2)).relu_()
            x = torch.baddbmm(b1.unsqueeze(1), x, w1.transpose(1, 2)).relu_()
            return torch.baddbmm(b2.unsqueeze(1), x, w2.transpose(1, 2))
        outputs = []
        for w0, b0, w1, b1, w2, b2 in self.nets if member is None else [self.nets[member]]:
            h = torch.addmm(b0, x, w0.t()).relu_()
            h = torch.addmm(b1, h, w1.t()).relu_()
            outputs.append(torch.addmm(b2, h, w2.t()))
        return torch.stack(outputs)


def sample(heads, noise):
    """tanh-Gaussian actions and their log-probabilities from [.., 2A] means and log-stds."""
    mean, log_std = heads.chunk(2, -1)
    log_std = log_std.clamp(*LOG_STD_RANGE)
    action = torch.tanh(mean + log_std.exp() * noise)
    log_prob = -0.5 * noise * noise - log_std - 0.5 * math.log(2 * math.pi)
    log_prob = log_prob - torch.log(1 - action * action + 1e-6)
    return action, log_prob.sum(-1)


class Peer:
    def __init__(self, algorithm, observations, actions, width, settings, stacked, foreach):
        self.wac = algorithm in ("oe-wac", "me-wac")
        self.optimistic = algorithm == "oe-wac"
        self.actions = actions
        self.settings = settings
        policies, critic = (2 if self.wac else 1), observations + actions
        self.policies = Group(policies, observations, width, 2 * actions, stacked)
        self.means = Group(2, critic, width, 1, stacked)
        self.target_means = Group(2, critic, width, 1, stacked, trained=False)
        self.target_means.copy_from(self.means)
        groups = [{"params": self.means.params(), "lr": settings["learning_rate"]}]
        self.trained, self.targets = list(self.means.params()), list(self.target_means.params())
        if self.wac:
            reach = settings["reward_max"] - settings["reward_min"]
            self.sigma_max = reach / (1 - settings["discount"]) / math.sqrt(12)
            self.kappa = math.sqrt(2) * torch.erfinv(
                torch.tensor(2 * settings["quantile"] - 1, dtype=torch.float64)
            ).item()
            self.stds = Group(2, critic, width, 1, stacked)
            with torch.no_grad():
                for member in range(2):
                    self.stds.view(member, 5).fill_(math.log(self.sigma_max))
            self.target_stds = Group(2, critic, width, 1, stacked, trained=False)
            self.old_stds = Group(2, critic, width, 1, stacked, trained=False)
            self.target_stds.copy_from(self.stds)
            self.old_stds.copy_from(self.stds)
            groups.append({"params": self.stds.params(), "lr": settings["std_learning_rate"]})
            self.trained += self.stds.params()
            self.targets += self.target_stds.params()
        self.log_alpha = torch.zeros(policies)
        rate = settings["learning_rate"]
        self.critic_adam = torch.optim.Adam(groups, foreach=foreach)
        self.policy_adam = torch.optim.Adam(self.policies.params(), lr=rate, foreach=foreach)
        self.alpha_adam = torch.optim.Adam([self.log_alpha], lr=rate)

    def targets_of(self, s, reward, terminal, noise, alpha):
        """Targets of means and stds (None without) at the next state."""
        heads = self.policies(s, 0 if self.optimistic or not self.wac else 1)[0]
        action, log_prob = sample(heads, noise)
        pair = torch.cat([s, action], 1)
        mean = self.target_means(pair).squeeze(-1)
        keep = self.settings["discount"] * (1 - terminal)
        if not self.wac:
            return reward + keep * (mean.min(0).values - alpha[0] * log_prob), None
        std = self.target_stds(pair).squeeze(-1).exp()
        best = (mean + self.kappa * std).argmin(0, keepdim=True)
        mean, std = mean.gather(0, best)[0], std.gather(0, best)[0]
        mean_target = reward + keep * (mean - alpha[1] * log_prob)
        return mean_target, (keep * std).clamp(0, self.sigma_max)

    def update(self, s, a, reward, s_next, terminal, noise, next_noise, synthetic):
        """noise [policies, B, A], next_noise [B, A], synthetic [M, O + A] or None."""
        rows, wac = s.shape[0], self.wac
        action, log_prob = sample(self.policies(s), noise)
        self.log_alpha.grad = -(log_prob.detach().mean(1) - self.actions)
        self.alpha_adam.step()
        alpha = self.log_alpha.exp()
        with torch.no_grad():
            mean_target, std_target = self.targets_of(s_next, reward, terminal, next_noise, alpha)

        pairs = torch.cat([s, a], 1)
        losses = {"mean": (self.means(pairs).squeeze(-1) - mean_target).square().mean(1)}
        total = losses["mean"].sum()
        if wac:
            std = self.stds(torch.cat([pairs, synthetic])).squeeze(-1).exp()
            losses["std"] = (std[:, :rows] - std_target).square().mean(1)
            with torch.no_grad():
                old = self.old_stds(synthetic).squeeze(-1).exp().clamp(0, self.sigma_max)
            losses["reg"] = (std[:, rows:] - old).square().mean(1)
            total = total + losses["std"].sum() + self.settings["lambda"] * losses["reg"].sum()
        self.step(total, self.trained, self.critic_adam)

        # the target policy climbs the means, the behaviour policy the upper bound
        objective = (alpha * log_prob.mean(1)).sum()
        for policy in range(len(action)):
            pair = torch.cat([s, action[policy]], 1)
            value = self.means(pair).squeeze(-1)
            if wac and policy == 0:
                value = value + self.kappa * self.stds(pair).squeeze(-1).exp()
            objective = objective - value.min(0).values.mean()
        self.step(objective, self.policies.params(), self.policy_adam)

        with torch.no_grad():
            rate = self.settings["target_rate"]
            torch._foreach_mul_(self.targets, 1 - rate)
            torch._foreach_add_(self.targets, self.trained, alpha=rate)
        return losses, alpha

    @staticmethod
    def step(loss, params, adam):
        # only what is asked for: no gradients of critics while a policy learns
        for param, grad in zip(params, torch.autograd.grad(loss, params)):
            param.grad = grad
        adam.step()


# --- the recording ---------------------------------------------------------------------------


def nets_of(peer):
    """Group and member of every network in a recording, by name, and whether it learns."""
    policies, critics = ["policy"], ["q1", "q2"]
    if peer.wac:
        policies, critics = ["behaviour_policy", "target_policy"], ["mean1", "mean2"]
    groups = [(peer.policies, policies, True), (peer.means, critics, True)]
    groups.append((peer.target_means, [f"target_{name}" for name in critics], False))
    if peer.wac:
        groups.append((peer.stds, ["std1", "std2"], True))
        groups.append((peer.target_stds, ["target_std1", "target_std2"], False))
        groups.append((peer.old_stds, ["old_std1", "old_std2"], False))
    return [
        (group, member, name, learns)
        for group, names, learns in groups
        for member, name in enumerate(names)
    ]


def check(path, stacked, foreach):
    """The largest miss of a recording, in tolerances of docs/verify.md (1: just within)."""
    tape = Recording(path)
    peer = Peer(
        tape.algorithm,
        tape.observations,
        tape.actions,
        tape.width,
        tape.settings,
        stacked,
        foreach,
    )
    for group, member, name, _ in nets_of(peer):
        for index, value in enumerate(tape.net("in/init", name)):
            group.view(member, index).copy_(value)
    peer.log_alpha.copy_(tape.log_alphas())
    for step in range(tape.steps):
        given = lambda *names: tape.given(step, *names)
        noise, synthetic = [given("noise_policy")], None
        if peer.wac:
            noise.append(given("noise_target_policy"))
            synthetic = given("synthetic_observations", "synthetic_actions")
        losses, alpha = peer.update(
            given("observations"),
            given("actions"),
            given("rewards").squeeze(1),
            given("next_observations"),
            given("terminals").squeeze(1),
            torch.stack(noise),
            given("noise_next"),
            synthetic,
        )
        tape.compare_step(step, alpha, *losses.values())
    for group, member, name, learns in nets_of(peer):
        tape.compare_net(name, [group.view(member, index) for index in range(6)], learns)
    return tape.worst()[1]


# --- rounds ----------------------------------------------------------------------------------

POINT = {
    "discount": 0.99,
    "target_rate": 0.005,
    "learning_rate": 1e-3,
    "std_learning_rate": 1e-3,
    "quantile": 0.95,
    "lambda": 0.6,
    "reward_min": -0.5,
    "reward_max": 0.5,
}
OBSERVATIONS, ACTIONS, WIDTH, BATCH, RHO, TRANSITIONS = 4, 2, 256, 256, 0.6, 100000


def draw(peer, replay):
    """A batch, noise and synthetic pairs, as an update of ours draws them."""
    o, a, wac = OBSERVATIONS, ACTIONS, peer.wac
    rows = replay.index_select(0, torch.randint(len(replay), (BATCH,)))
    s, action, reward, s_next, terminal = rows.split([o, a, 1, o, 1], 1)
    noise = torch.randn((2 if wac else 1, BATCH, a))
    synthetic = torch.empty(round(RHO * BATCH), o + a).uniform_(-1, 1) if wac else None
    return (
        s,
        action,
        reward.squeeze(1),
        s_next,
        terminal.squeeze(1),
        noise,
        torch.randn(BATCH, a),
        synthetic,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("algorithm", choices=["sac", "oe-wac", "me-wac"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--stacked", action="store_true")
    parser.add_argument("--foreach", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--check", metavar="FILE", action="append", default=[])
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.set_num_interop_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    if arguments.compile:
        Group.__call__ = torch.compile(Group.__call__)
        globals()["sample"] = torch.compile(sample)
    for path in arguments.check:
        miss = check(path, arguments.stacked, arguments.foreach)
        if not miss <= 1:
            sys.exit(f"{path}: PyTorch's update misses the recording by {miss:.3g} tolerances")
    peer = Peer(
        arguments.algorithm,
        OBSERVATIONS,
        ACTIONS,
        WIDTH,
        POINT,
        arguments.stacked,
        arguments.foreach,
    )
    replay = torch.empty(TRANSITIONS, 2 * OBSERVATIONS + ACTIONS + 2).uniform_(-1, 1)
    replay[:, OBSERVATIONS + ACTIONS] *= 0.5
    replay[:, -1] = (torch.rand(TRANSITIONS) < 1 / 300).float()
    for _ in range(10):
        peer.update(*draw(peer, replay))
    print(f"ready {torch.__version__}", flush=True)
    for _ in sys.stdin:
        count, start = 0, time.perf_counter()
        while time.perf_counter() - start < arguments.seconds:
            peer.update(*draw(peer, replay))
            count += 1
        print(count / (time.perf_counter() - start), flush=True)


if __name__ == "__main__":
    main()
