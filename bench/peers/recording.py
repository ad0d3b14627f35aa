"""Recorded updates (docs/verify.md): reading them, and how far another's results are off."""

import json
import math
import struct

import torch

SETTINGS = ["discount", "target_rate", "learning_rate"]
WAC_SETTINGS = ["std_learning_rate", "quantile", "lambda", "reward_min", "reward_max"]


class Recording:
    """`misses`: by name, in tolerances (1: just within), whatever was compared."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        (size,) = struct.unpack("<Q", data[:8])
        header = json.loads(data[8 : 8 + size])
        self.metadata, self.tensors, self.misses = header.pop("__metadata__", {}), {}, {}
        for name, entry in header.items():
            first, end = entry["data_offsets"]
            numbers = bytearray(data[8 + size + first : 8 + size + end])
            numbers = torch.frombuffer(numbers, dtype=torch.float32)
            self.tensors[name] = numbers.reshape(entry["shape"])
        self.algorithm, self.steps = self.metadata["algorithm"], int(self.metadata["steps"])
        self.wac = self.algorithm not in ("sac", "oac")
        names = SETTINGS + (WAC_SETTINGS if self.wac else [])
        self.settings = {name: float(self.metadata[name]) for name in names}
        sizes = ("observation_size", "action_size", "hidden_size", "batch_size")
        self.observations, self.actions, self.width, self.batch = (
            int(self.metadata[name]) for name in sizes
        )

    def given(self, step, *names):
        """Inputs of an update, beside each other."""
        return torch.cat([self.tensors[f"in/step{step}/{name}"] for name in names], 1)

    def net(self, folder, name):
        """The six tensors of a network; a policy's two heads joined."""
        last = ["mean", "log_std"] if "policy" in name else ["out"]
        return [
            torch.cat([self.tensors[f"{folder}/{name}/{layer}/{kind}"] for layer in layers])
            for layers in (["hidden0"], ["hidden1"], last)
            for kind in ("weight", "bias")
        ]

    def log_alphas(self):
        names = ["log_alpha", "log_target_alpha"] if self.wac else ["log_alpha"]
        return torch.cat([self.tensors[f"in/init/{name}"] for name in names])

    def compare_step(self, step, alphas, means, stds=(), regs=()):
        """Entropy weights, and losses of every critic."""
        results = dict(zip(["alpha", "target_alpha"], alphas))
        names = {"loss_mean" if self.wac else "loss_q": means, "loss_std": stds, "reg_std": regs}
        for name, losses in names.items():
            results.update({f"{name}{k + 1}": loss for k, loss in enumerate(losses)})
        for name, value in results.items():
            name = f"step{step}/{name}"
            wanted = self.tensors[f"expect/{name}"].item()
            tolerance = max(1e-3 * abs(wanted), 1e-6)
            self.misses[name] = abs(value.item() - wanted) / tolerance

    def compare_net(self, name, values, trained):
        """Six tensors after the last update: the change of what learns, else every number."""
        both = zip(self.net("in/init", name), self.net("expect/final", name))
        for index, (before, wanted) in enumerate(both):
            miss = values[index].cpu() - wanted
            if trained:
                miss = miss.norm() / (0.02 * (wanted - before).norm())
            else:
                miss = miss.abs().max() / 1e-5
            self.misses[f"{name}/{index}"] = miss.item()

    def worst(self):
        """Name and size of the largest miss."""
        size = lambda name: math.inf if math.isnan(self.misses[name]) else self.misses[name]
        name = max(self.misses, key=size)
        return name, size(name)
