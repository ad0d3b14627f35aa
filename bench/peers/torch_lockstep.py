#!/usr/bin/env python3
"""Many runs in lockstep on one GPU, in PyTorch, at their fastest there: SAC, OE-WAC and ME-WAC.

The peer of our own CUDA kernels; OAC learns as SAC does. R runs are R seats of one set of arrays:
each has weights, replay, noise, rates and constants of its own. What makes it fast:

- Networks of a kind are one stack of batched products, member by member: [members·R, out, in].
  Any range of members is then one contiguous block; all four target critics are one product.
- Gradients are written out, so that an update is three plain functions, `look` (up to the errors
  of critics), `teach` (critics, targets) and `climb` (policies). torch.compile sees each as a whole
  and joins biases, ReLU, masks, heads and sums with their neighbours; Adam, targets and the copies
  of weights in low precision are one pass. They are three so that weights change in place, and
  errors are known before the way back. Biases stay out of baddbmm, which would copy them first.
- Heads have few outputs and are sums inside those passes: the last hidden layer is never stored
  after its ReLU. Inputs carry a one for the first bias and are padded to a multiple of 8.
- Everything random is drawn on the device, and a few updates are captured in one CUDA graph.

usage: torch_lockstep.py --algorithm oe-wac --runs 64,256 --precision mixed
       torch_lockstep.py --check FILE... [--eager] [--device cpu]     (recordings: docs/verify.md)

Each number of runs gives a line of JSON on stdout; progress goes to stderr.
"""

import argparse
import collections
import json
import math
import os
import statistics
import sys
import time
import traceback

import torch

from recording import Recording
from torch_updates import LOG_STD_RANGE, POINT, sample

MEANS = 2  # twin critics; in WAC as many stds behind them

Shape = collections.namedtuple("Shape", "observations actions width batch synthetic")


def log(text):
    print(text, file=sys.stderr, flush=True)


def padded(count):
    return (count + 7) // 8 * 8


def inputs_of(*parts):
    """Rows of observations (and actions), the one that carries the bias, and padding."""
    count, shape = sum(part.shape[-1] for part in parts), parts[0].shape[:-1]
    one, zeros = parts[0].new_ones(*shape, 1), parts[0].new_zeros(*shape, -(count + 1) % 8)
    return torch.cat([*parts, one, zeros], -1)


class Stack:
    """members·R networks of two hidden ReLU layers; network m of run r has the index m·R + r.

    The tensors: w0 [n, inputs, W] (bias in its last used row), w1 [n, W, W], and in `tail` [n, …]
    the second bias, the heads' weights [outputs, W] and biases. `used` is what products read."""

    def __init__(self, runs, members, inputs, width, outputs, limit, product):
        n, hidden = members * runs, width**-0.5
        self.runs, self.members, self.inputs = runs, members, inputs
        self.width, self.outputs = width, outputs
        w0 = torch.zeros(n, padded(inputs + 1), width)
        w0[:, :inputs].uniform_(-hidden, hidden)
        w0[:, inputs] = 0.1
        w1 = torch.empty(n, width, width).uniform_(-hidden, hidden)
        tail = torch.empty(n, width + outputs * width + outputs).uniform_(-limit, limit)
        tail[:, :width] = 0.1
        self.params = [w0, w1, tail]
        self.product = product
        self.refresh()

    def train(self):
        self.first = [torch.zeros_like(p) for p in self.params]
        self.second = [torch.zeros_like(p) for p in self.params]

    def copy(self, start, end):
        """A stack of its own with the same weights."""
        new = object.__new__(Stack)
        new.__dict__.update(self.__dict__, members=end - start)
        span = slice(start * self.runs, end * self.runs)
        new.params = [p[span].clone() for p in self.params]
        new.refresh()
        return new

    def refresh(self):
        # the very tensors where products are in single precision
        self.used = [p.to(self.product) for p in self.params[:2]]

    def tail(self, span):
        """Second bias [n, 1, W], heads [n, outputs, W] and their biases [n, 1, outputs]."""
        tail, w, k = self.params[2][span], self.width, self.outputs
        return tail[:, None, :w], tail[:, w : w + k * w].view(-1, k, w), tail[:, None, -k:]

    def forward(self, x, start=0, end=None):
        """Rows of each run, [R, rows, inputs], through some members: [n, rows, outputs], and what
        the way back needs."""
        end = self.members if end is None else end
        span = slice(start * self.runs, end * self.runs)
        bias, heads, head_bias = self.tail(span)
        x = x.to(self.product).repeat(end - start, 1, 1)
        h = torch.bmm(x, self.used[0][span]).relu()
        z = torch.bmm(h, self.used[1][span].mT)
        last = (z + bias).relu()
        out = [(last * heads[:, k, None]).sum(-1) for k in range(self.outputs)]
        return torch.stack(out, -1) + head_bias, (span, x, h, z)

    def backward_hidden(self, dout, kept):
        span, _, h, z = kept
        bias, heads, _ = self.tail(span)
        last = (z + bias).relu()
        dz = sum(dout[..., k, None] * heads[:, k, None] for k in range(self.outputs))
        low = torch.where(last > 0, dz, 0.0).to(self.product)
        dh = torch.where(h > 0, torch.bmm(low, self.used[1][span]), 0.0)
        return last, low, dh

    def gradient(self, dout, kept):
        """Of the parameters, [n, rows, outputs] -> as `params` of the members that went forward."""
        _, x, h, _ = kept
        last, low, dh = self.backward_hidden(dout, kept)
        heads = [(dout[..., k, None] * last).sum(1) for k in range(self.outputs)]
        tail = torch.cat([low.sum(1, dtype=torch.float32), *heads, dout.sum(1)], 1)
        return [torch.bmm(x.mT, dh), torch.bmm(low.mT, h), tail]

    def slope(self, dout, kept, actions):
        """Of the last inputs, the actions: [n, rows, A]."""
        dh = self.backward_hidden(dout, kept)[2].float()
        rows = self.params[0][kept[0], self.inputs - actions : self.inputs]
        return torch.stack([(dh * rows[:, j, None]).sum(-1) for j in range(actions)], -1)

    def adam(self, gradients, rates, roots, target=None, target_rate=None):
        """rates [n]: learning rate / (1 - β₁ᵗ); roots [n]: √(1 - β₂ᵗ). The targets follow."""
        for i, gradient in enumerate(gradients):
            p, m, v = self.params[i], self.first[i], self.second[i]
            shape = [-1] + [1] * (p.dim() - 1)
            gradient = gradient.float()
            m.lerp_(gradient, 0.1)
            v.mul_(0.999).add_(gradient * gradient * 0.001)
            p.sub_(rates.view(shape) * m / (v.sqrt() / roots.view(shape) + 1e-8))
            moved = [(self, p)]
            if target is not None:
                target.params[i].lerp_(p, target_rate.view(shape))
                moved.append((target, target.params[i]))
            for stack, weights in moved if i < 2 and self.product != torch.float32 else []:
                stack.used[i].copy_(weights)

    def load(self, index, net):
        """Six tensors of a recording into one network."""
        w0, b0, w1, b1, w2, b2 = net
        self.params[0][index, : self.inputs] = w0.t()
        self.params[0][index, self.inputs] = b0
        self.params[1][index] = w1
        self.params[2][index] = torch.cat([b1, w2.flatten(), b2])
        self.refresh()

    def net(self, index):
        w0, w1, tail = (p[index] for p in self.params)
        b1, w2, b2 = tail.split([self.width, self.outputs * self.width, self.outputs])
        n = self.inputs
        return [w0[:n].t(), w0[n], w1, b1, w2.view(self.outputs, self.width), b2]


class Lockstep:
    """R runs. `constants`: name -> R numbers (names as in POINT). Noise: [policies + 1, R, B, A]."""

    def __init__(self, algorithm, runs, shape, constants, precision):
        self.wac, self.next = algorithm in ("oe-wac", "me-wac"), int(algorithm == "me-wac")
        observations, actions, width, self.batch, self.synthetic = shape
        self.runs, self.observations, self.actions = runs, observations, actions
        self.policy_count, self.critic_count = (2, 2 * MEANS) if self.wac else (1, MEANS)
        product = torch.bfloat16 if precision == "mixed" else torch.float32
        policies, pair = self.policy_count, observations + actions
        c = {name: torch.tensor(values, dtype=torch.float64) for name, values in constants.items()}
        column = lambda values: values.float()[:, None]
        self.discount = column(c["discount"])
        self.target_rate = c["target_rate"].float().repeat(self.critic_count)
        self.policies = Stack(runs, policies, observations, width, 2 * actions, 1e-3, product)
        self.critics = Stack(runs, self.critic_count, pair, width, 1, 3e-3, product)
        rates = [c["learning_rate"]] * MEANS
        if self.wac:
            sigma_max = (c["reward_max"] - c["reward_min"]) / (1 - c["discount"]) / math.sqrt(12)
            self.sigma_max, self.weight = column(sigma_max), column(c["lambda"])
            self.kappa = column(math.sqrt(2) * torch.erfinv(2 * c["quantile"] - 1))
            self.critics.params[2][MEANS * runs :, -1] = sigma_max.log().float().repeat(MEANS)
            self.anchors = self.critics.copy(MEANS, 2 * MEANS)
            rates += [c["std_learning_rate"]] * MEANS
        self.targets = self.critics.copy(0, self.critic_count)
        self.policies.train()
        self.critics.train()
        self.log_alpha = torch.zeros(policies * runs)
        self.alpha_first, self.alpha_second = torch.zeros(2, policies * runs).unbind()
        # Adam's rates of this update; found ahead, or every weight would raise β to the power anew
        self.learning_rates = torch.cat([*rates, c["learning_rate"].repeat(policies)])
        self.powers = [torch.ones_like(self.learning_rates) for _ in range(2)]
        self.rates, self.roots = (torch.zeros(len(self.learning_rates)) for _ in range(2))
        self.tick()

    def tick(self):
        self.rates.copy_(self.learning_rates / (1 - self.powers[0].mul_(0.9)))
        self.roots.copy_((1 - self.powers[1].mul_(0.999)).sqrt())

    def fill_replay(self, transitions):
        """Of each transition: observation, action, next observation, reward, terminal."""
        o, a = self.observations, self.actions
        self.transitions = transitions
        self.replay = torch.empty(self.runs * transitions, 2 * o + a + 2).uniform_(-1, 1)
        self.replay[:, -2] *= 0.5
        self.replay[:, -1] = (torch.rand(len(self.replay)) < 1 / 300).float()
        self.base = torch.arange(self.runs)[:, None] * transitions

    def draw(self):
        device, runs = self.replay.device, self.runs
        index = torch.randint(self.transitions, (runs, self.batch), device=device) + self.base
        noise = torch.randn(self.policy_count + 1, runs, self.batch, self.actions, device=device)
        pairs = (runs, self.synthetic, self.observations + self.actions)
        synthetic = 2 * torch.rand(*pairs, device=device) - 1 if self.wac else None
        return self.replay[index], noise, synthetic

    def draw_and_look(self):
        return self.look(*self.draw())

    def look(self, rows, noise, synthetic):
        """Sample, tune the entropy, back up, and see how far off the critics are."""
        runs, batch, policies, wac = self.runs, self.batch, self.policy_count, self.wac
        o, a = self.observations, self.actions
        s, action, s_next, reward, terminal = rows.split([o, a, o, 1, 1], -1)
        s_input, noises = inputs_of(s), noise[:policies].flatten(0, 1)
        heads, kept = self.policies.forward(s_input)
        chosen, log_prob = sample(heads, noises)
        of_policies = slice(self.critic_count * runs, None)
        gradient = a - log_prob.mean(1)
        self.alpha_first.lerp_(gradient, 0.1)
        self.alpha_second.mul_(0.999).add_(gradient * gradient * 0.001)
        step = self.alpha_first / (self.alpha_second.sqrt() / self.roots[of_policies] + 1e-8)
        self.log_alpha.sub_(self.rates[of_policies] * step)
        alpha = self.log_alpha.exp()

        next_heads, _ = self.policies.forward(inputs_of(s_next), self.next, self.next + 1)
        next_action, next_log_prob = sample(next_heads, noise[policies])
        value, _ = self.targets.forward(inputs_of(s_next, next_action))
        value = value.view(-1, runs, batch)
        keep = self.discount * (1 - terminal[..., 0])
        entropy = alpha[-runs:, None] * next_log_prob  # of the target policy, or of the only one
        bound, std = value[:MEANS], value[MEANS:].exp()
        if wac:
            bound = bound + self.kappa * std
        first = bound[0] <= bound[1]
        mean_target = reward[..., 0] + keep * (torch.where(first, value[0], value[1]) - entropy)

        pairs = inputs_of(s, action)
        mean, mean_kept = self.critics.forward(pairs, 0, MEANS)
        error = mean.view(MEANS, runs, batch) - mean_target
        losses = [error.square().mean(-1)]
        lessons = [((error * (2 / batch)).view(-1, batch, 1), mean_kept[1:])]
        if wac:
            std_target = torch.minimum(keep * torch.where(first, std[0], std[1]), self.sigma_max)
            unseen = inputs_of(synthetic)
            old = self.anchors.forward(unseen)[0].view(MEANS, runs, -1).exp()
            wanted = [std_target.expand(MEANS, -1, -1), torch.minimum(old, self.sigma_max)]
            std, std_kept = self.critics.forward(torch.cat([pairs, unseen], 1), MEANS, 2 * MEANS)
            std = std.view(MEANS, runs, -1).exp()
            error = std - torch.cat(wanted, -1)
            losses += [part.square().mean(-1) for part in error.split([batch, self.synthetic], -1)]
            weight = (self.weight * (2 / self.synthetic)).expand(-1, self.synthetic)
            dout = error * std * torch.cat([torch.full_like(keep, 2 / batch), weight], -1)
            lessons.append((dout.view(MEANS * runs, -1, 1), std_kept[1:]))
        return losses, lessons, (s, noises, heads, kept[1:], chosen, alpha)

    def teach(self, lessons):
        """The critics' step, and their targets'."""
        gradients, half = [], MEANS * self.runs
        for i, (dout, kept) in enumerate(lessons):
            span = slice(i * half, (i + 1) * half)
            gradients.append(self.critics.gradient(dout, (span, *kept)))
        gradients = [torch.cat(parts) for parts in zip(*gradients)]
        rates, roots = self.rates[: len(self.target_rate)], self.roots[: len(self.target_rate)]
        self.critics.adam(gradients, rates, roots, self.targets, self.target_rate)

    def climb(self, s, noises, heads, kept, chosen, alpha):
        """The target policy climbs the means, the behaviour policy the upper bound."""
        runs, batch, policies, a = self.runs, self.batch, self.policy_count, self.actions
        acts = chosen.view(policies, runs, batch, a)
        pairs = torch.cat([inputs_of(s, act) for act in acts.unbind()], 1)
        mean, mean_kept = self.critics.forward(pairs, 0, MEANS)
        bound = mean.view(MEANS, runs, policies, batch)
        if self.wac:
            log_std, std_kept = self.critics.forward(pairs[:, :batch], MEANS, 2 * MEANS)
            spread = self.kappa * log_std.view(MEANS, runs, batch).exp()
            upper = bound[:, :, 0] + spread
            bound = torch.stack([upper, bound[:, :, 1]], 2)
        first = bound[0] <= bound[1]
        dmean = torch.stack([first, ~first]).float() * (-1 / batch)  # [means, R, policies, B]
        slope = self.critics.slope(dmean.view(MEANS * runs, -1, 1), mean_kept, a)
        slope = slope.view(MEANS, runs, policies, batch, a).sum(0).transpose(0, 1)
        if self.wac:
            dstd = (dmean[:, :, 0] * spread).view(MEANS * runs, batch, 1)
            more = self.critics.slope(dstd, std_kept, a).view(MEANS, runs, batch, a).sum(0)
            slope = torch.stack([slope[0] + more, slope[1]])
        dlog_prob = alpha[:, None, None] / batch
        rest = 1 - chosen * chosen
        du = slope.reshape(-1, batch, a) * rest + dlog_prob * 2 * chosen * rest / (rest + 1e-6)
        log_std = heads[..., a:]
        clamped = log_std.clamp(*LOG_STD_RANGE)
        dlog_std = du * clamped.exp() * noises - dlog_prob
        dlog_std = torch.where(clamped == log_std, dlog_std, 0.0)
        kept = (slice(0, policies * runs), *kept)
        gradients = self.policies.gradient(torch.cat([du, dlog_std], -1), kept)
        own = slice(self.critic_count * runs, None)
        self.policies.adam(gradients, self.rates[own], self.roots[own])
        self.tick()


# --- ways to run it --------------------------------------------------------------------------

# Options of torch.compile. Combined kernels do small passes side by side that need nothing of each
# other; whether that pays is for --fastest to find out.
WAYS = {
    "max-autotune": {"max_autotune": True},
    "max-autotune-combined": {"max_autotune": True, "combo_kernels": True},
    "default": {},
    "combined": {"combo_kernels": True},
    "eager": None,
}


def functions(way, precision, *parts):
    """The parts as they are, or compiled."""
    if WAYS[way] is None:
        return parts
    torch._dynamo.reset()
    options = dict(WAYS[way])
    if precision == "single" and "max_autotune" in options:
        # Triton has no tensor cores for full single precision: cuBLAS is ahead without a try
        options["max_autotune_gemm_backends"] = "ATEN"
    return [torch.compile(part, fullgraph=True, dynamic=False, options=options) for part in parts]


def repeating(way, agent, arguments):
    """A function that performs arguments.unroll updates."""
    parts = (agent.draw_and_look, agent.teach, agent.climb)
    look, teach, climb = functions(way, arguments.precision, *parts)

    def updates(count=arguments.unroll):
        for _ in range(count):
            _, lessons, sampled = look()
            teach(lessons)
            climb(*sampled)

    if arguments.device != "cuda":
        updates(2)
        return updates
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        updates(3)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        updates()
    return graph.replay


def seconds_of(repeat, count, device):
    """Seconds that `count` calls take, on the device's clock."""
    if device != "cuda":
        start = time.perf_counter()
        for _ in range(count):
            repeat()
        return time.perf_counter() - start
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    start.record()
    for _ in range(count):
        repeat()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1e3


def restart_without(way, runs, arguments):
    """A capture or kernel that failed leaves generator, allocator and device in any state: go on
    from these runs in a fresh process, which skips this way."""
    left = map(str, arguments.runs[arguments.runs.index(runs) :])
    more = ["--runs", ",".join(left), "--skip", ",".join([*arguments.skip, way])]
    os.execv(sys.executable, [sys.executable, *sys.argv, *more])


def prepare(agent, arguments):
    """The first way that works, or with --fastest the fastest: its name, the function, seconds of
    one call, seconds that compiling took."""
    best, ways = None, list(WAYS)
    ways = ways[ways.index(arguments.mode) if arguments.mode else 0 :]
    for way in [way for way in ways if way not in arguments.skip]:
        began = time.perf_counter()
        try:
            repeat = repeating(way, agent, arguments)
            compiled = time.perf_counter() - began
            seconds_of(repeat, 3, arguments.device)
            each = seconds_of(repeat, 5, arguments.device) / 5
        except Exception as failure:  # whatever a compiler may throw
            reasons = [line for line in str(failure).splitlines() if line and line[-1] != ":"]
            log(f"{way}: {type(failure).__name__}: {(reasons or [''])[0][:200]}")
            if arguments.verbose:
                traceback.print_exc()
            restart_without(way, agent.runs, arguments)
        update = each / arguments.unroll
        log(f"{way}: ready after {compiled:.1f} s, {update * 1e3:.3f} ms an update")
        if not best or each < best[2]:
            best = (way, repeat, each, compiled)
        if not arguments.fastest:
            break
    if not best:
        sys.exit("no way to run it works here")
    log(f"using {best[0]}" + (" in a CUDA graph" if arguments.device == "cuda" else ""))
    return best


def measure(runs, arguments):
    """Windows of one number of runs; a line of JSON at the end."""
    sizes = {name: getattr(arguments, name) for name in Shape._fields[:4]}
    shape = Shape(*sizes.values(), max(1, round(arguments.rho * arguments.batch)))
    constants = {name: [value] * runs for name, value in POINT.items()}
    # no default device while it runs: torch.compile would trace that at every call
    with torch.device(arguments.device):
        agent = Lockstep(arguments.algorithm, runs, shape, constants, arguments.precision)
        agent.fill_replay(arguments.transitions)
    way, repeat, each, compiled = prepare(agent, arguments)
    count = max(1, round(arguments.window / each))
    if arguments.updates:
        count = max(1, round(arguments.updates / arguments.unroll))
    line = {"algorithm": arguments.algorithm, "runs": runs, "precision": arguments.precision}

    def tell(**more):
        print(json.dumps({**line, **more}), flush=True)

    rates = []
    if arguments.turns:
        tell(ready=way, torch=torch.__version__)
    for window in range(arguments.windows or 9):
        if arguments.turns and not sys.stdin.readline():
            break
        seconds = seconds_of(repeat, count, arguments.device)
        rates.append(runs * count * arguments.unroll / seconds)
        if arguments.windows:
            tell(window=window, run_updates_per_second=rates[-1])
    if not torch.isfinite(agent.critics.params[1]).all():
        sys.exit("the weights are no longer finite")
    if rates:
        rates = rates * 2 if len(rates) == 1 else rates
        low, middle, high = statistics.quantiles(rates, n=4, method="inclusive")
        line.update(run_updates_per_second=middle, spread=[low, high], seconds_compile=compiled)
        tell(torch=torch.__version__, way=way, **sizes)


# --- the recording ---------------------------------------------------------------------------


def nets_of(agent):
    """Stack and member of every network in a recording, by name, and whether it learns."""
    policies, critics = ["policy"], ["q1", "q2"]
    if agent.wac:
        policies = ["behaviour_policy", "target_policy"]
        critics = ["mean1", "mean2", "std1", "std2"]
    nets = [(agent.policies, m, name, True) for m, name in enumerate(policies)]
    nets += [(agent.critics, m, name, True) for m, name in enumerate(critics)]
    nets += [(agent.targets, m, f"target_{name}", False) for m, name in enumerate(critics)]
    if agent.wac:
        nets += [(agent.anchors, m, f"old_std{m + 1}", False) for m in range(MEANS)]
    return nets


def check(path, runs, arguments):
    """Whether a recording is met within the tolerances of docs/verify.md. The middle run replays
    it; the others have weights, data and constants of their own."""
    tape, seat = Recording(path), runs // 2
    synthetic = len(tape.given(0, "synthetic_actions")) if tape.wac else 0
    shape = Shape(tape.observations, tape.actions, tape.width, tape.batch, synthetic)
    constants = {name: [value * 0.9] * runs for name, value in POINT.items()}
    for name, value in tape.settings.items():
        constants[name][seat] = value
    with torch.device(arguments.device):
        agent = Lockstep(tape.algorithm, runs, shape, constants, arguments.precision)
    for stack, member, name, _ in nets_of(agent):
        stack.load(member * runs + seat, tape.net("in/init", name))
    for member, value in enumerate(tape.log_alphas()):
        agent.log_alpha[member * runs + seat] = value.item()
    way = arguments.mode or "default"
    parts = (agent.look, agent.teach, agent.climb)
    look, teach, climb = functions(way, arguments.precision, *parts)

    def given(*names, like=torch.rand_like):
        mine = tape.given(step, *names).to(arguments.device)
        return torch.stack([mine if run == seat else like(mine) for run in range(runs)])

    batch = ["observations", "actions", "next_observations", "rewards", "terminals"]
    noises = ["noise_policy", "noise_target_policy"][: agent.policy_count] + ["noise_next"]
    pairs = ["synthetic_observations", "synthetic_actions"]
    for step in range(tape.steps):
        noise = torch.stack([given(name, like=torch.randn_like) for name in noises])
        losses, lessons, sampled = look(given(*batch), noise, given(*pairs) if tape.wac else None)
        teach(lessons)
        climb(*sampled)
        alphas = sampled[-1].view(-1, runs)[:, seat]
        tape.compare_step(step, alphas, *(loss[:, seat] for loss in losses))
    for stack, member, name, learns in nets_of(agent):
        tape.compare_net(name, stack.net(member * runs + seat), learns)
    (name, miss), count = tape.worst(), len(tape.misses)
    word = "ok" if miss <= 1 else "MISS"
    print(f"{path}: runs {runs}, {way}, {arguments.precision}: {count} compared, ", end="")
    print(f"{name} is off by {miss:.3g} tolerances, {word}", flush=True)
    return miss <= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithm", choices=["oe-wac", "me-wac", "sac"], default="oe-wac")
    numbers = lambda text: [int(number) for number in text.split(",")]
    parser.add_argument("--runs", type=numbers, default="64", help="numbers with commas")
    for name, value in [("width", 256), ("batch", 256), ("observations", 7), ("actions", 2)]:
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--rho", type=float, default=0.6, help="synthetic pairs: share of batch")
    parser.add_argument("--transitions", type=int, default=100000, help="in each replay")
    parser.add_argument("--precision", choices=["single", "tf32", "mixed"], default="single")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--mode", choices=list(WAYS), help="the first to try, then the rest")
    parser.add_argument("--skip", type=lambda text: text.split(","), default=[], metavar="MODES")
    parser.add_argument("--fastest", action="store_true", help="try all modes, keep the fastest")
    parser.add_argument("--eager", action="store_true", help="as --mode eager")
    parser.add_argument("--verbose", action="store_true", help="say all of why a mode fails")
    parser.add_argument("--unroll", type=int, default=8, help="updates in one CUDA graph")
    parser.add_argument("--updates", type=int, help="updates of each run in a window")
    parser.add_argument("--window", type=float, default=0.5, metavar="SECONDS")
    parser.add_argument("--windows", type=int, metavar="N", help="this many, with a line for each")
    parser.add_argument("--turns", action="store_true", help="when ready, one for each line on stdin")
    parser.add_argument("--check", nargs="+", metavar="FILE", help="replay recordings instead")
    arguments = parser.parse_args()
    if arguments.eager:
        arguments.mode = "eager"
    torch.set_grad_enabled(False)
    torch.set_float32_matmul_precision("high" if arguments.precision == "tf32" else "highest")
    torch.manual_seed(1)
    if arguments.check:
        results = [check(path, runs, arguments) for path in arguments.check for runs in (1, 3)]
        sys.exit(not all(results))
    for runs in arguments.runs:
        measure(runs, arguments)


if __name__ == "__main__":
    main()
