"""What the tests share: small settings, and environments with faults to order."""

import json
import os
import struct

import gymnasium
import numpy as np
import pytest

SMALL = dict(width=16, batch_size=16, initial_steps=40, explore_steps=50, updates=10, evaluation_steps=60,
             path_limit=25, replay_capacity=1000)


class Walk(gymnasium.Env):
    """Along a line from 0; the goal is at 1. Each step tells how it went, and may go wrong."""

    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-2, 2, (1,), np.float32)

    def __init__(self, fault=None, at=10**9, limit=None):
        self.fault, self.at, self.limit = fault, at, limit
        self.steps = self.calls = 0
        self.closed = False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = float(self.np_random.uniform(-0.1, 0.1))
        self.steps = 0
        return self._see(), {}

    def _see(self):
        return np.array([self.x, self.steps / 100], np.float32)

    def step(self, action):
        assert action.dtype == np.float32 and action.shape == (1,) and abs(action[0]) <= 2
        assert not self.closed
        self.calls += 1
        self.steps += 1
        self.x = float(np.clip(self.x + 0.2 * action[0], -1, 1))
        observation, reward = self._see(), self.x
        if self.calls >= self.at:
            if isinstance(self.fault, Exception):
                raise self.fault
            if callable(self.fault):
                return self.fault(self, observation, reward)
        return observation, reward, self.x >= 1, self.limit == self.steps, {}

    def close(self):
        self.closed = True


def records_of(agent):
    """The transitions of an agent's replay, a row each."""
    with open(os.path.join(agent.save(), "checkpoint", "replay.safetensors"), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        about = header["replay/records"]
        records = np.frombuffer(file.read()[slice(*about["data_offsets"])], np.float32)
    return records.reshape(about["shape"])


@pytest.fixture
def small():
    return dict(SMALL)
