"""Environments of Gymnasium: what of them goes into replay, spaces, vectors in every mode."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import wac
from conftest import Walk, records_of


def check_records(records, limit):
    """Records are observation (2), action, reward, next (2), terminal. A step moves the clock of the walk by one and its place as far as its action says, also where an
    episode ends; what is terminal is at the goal, and what was cut is not terminal."""
    before, action, reward, after, terminal = (records[:, :2], records[:, 2], records[:, 3],
                                               records[:, 4:6], records[:, 6])
    assert np.allclose(after[:, 1] - before[:, 1], 0.01, atol=1e-6)
    assert np.allclose(after[:, 0], np.clip(before[:, 0] + 0.4 * action, -1, 1), atol=1e-5)
    assert np.allclose(after[:, 0], reward, atol=1e-6)
    assert np.array_equal(terminal == 1, after[:, 0] >= 1)
    clock = np.round(after[:, 1] * 100)
    assert clock.max() == limit
    assert (terminal[clock == limit] == 0).any() and terminal.any()
    starts = np.round(before[:, 1] * 100) == 0
    assert starts.sum() > 10 and (np.abs(before[starts, 0]) < 0.1 + 1e-6).all()


def settings(small, **others):
    return {**small, "initial_steps": 400, "explore_steps": 200, "path_limit": 10**6, **others}


def test_a_single_environment(small):
    agent = wac.Agent("sac", lambda: Walk(limit=12), **settings(small)).learn(800)
    records = records_of(agent)
    assert len(records) == 800
    check_records(records, 12)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_vector_environments(small, kind, mode):
    many = kind([lambda: Walk(limit=12)] * 3, autoreset_mode=mode)
    agent = wac.Agent("sac", many, eval_env=Walk(), **settings(small)).learn(800)
    assert agent.settings["worlds"] == "3"
    records = records_of(agent)
    assert len(records) == agent.env_steps == 800
    check_records(records, 12)
    # the same once more: seeds come from the run alone
    again = wac.Agent("sac", kind([lambda: Walk(limit=12)] * 3, autoreset_mode=mode), eval_env=Walk(),
                      **settings(small)).learn(800)
    assert np.array_equal(records, records_of(again))
    many.close()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_vector_environments_go_on(small, mode):
    many = SyncVectorEnv([lambda: Walk(limit=12)] * 3, autoreset_mode=mode)
    agent = wac.Agent("sac", many, eval_env=Walk(), **settings(small))
    for stop in (100, 450, 10**6):
        agent.learn(800 - agent.env_steps, callback=lambda now: now["env_steps"] < stop or now["is_row"])
    records = records_of(agent)
    assert len(records) == agent.env_steps == 800
    check_records(records, 12)


def test_a_vector_environment_that_was_closed(small):
    many = AsyncVectorEnv([lambda: Walk(limit=12)] * 2)
    agent = wac.Agent("sac", many, eval_env=Walk(), **settings(small))
    many.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        agent.learn(800)


def test_several_worlds_of_one_kind(small):
    agent = wac.Agent("sac", lambda: Walk(limit=12), worlds=4, **settings(small)).learn(800)
    check_records(records_of(agent), 12)
    with pytest.raises(ValueError, match="a function that makes"):
        wac.Agent("sac", Walk(), eval_env=Walk(), worlds=2, **settings(small))
    with pytest.raises(ValueError, match="worlds follows"):
        wac.Agent("sac", SyncVectorEnv([Walk] * 2), worlds=3)


class Spaces(gymnasium.Env):
    def __init__(self, observations, actions=spaces.Box(-1, 1, (1,))):
        self.observation_space, self.action_space = observations, actions


@pytest.mark.parametrize("env, words", [
    (Spaces(spaces.Dict(a=spaces.Box(0, 1, (2,)))), "FlattenObservation"),
    (Spaces(spaces.Discrete(3)), "FlattenObservation"),
    (Spaces(spaces.Box(0, 255, (64, 64, 3), np.uint8)), "GrayscaleObservation"),
    (Spaces(spaces.Box(0, 1, (2, 2))), "FlattenObservation"),
    (Spaces(spaces.Box(0, 1, (2,)), spaces.Discrete(3)), "TransformAction"),
    (Spaces(spaces.Box(0, 1, (2,)), spaces.Box(-np.inf, np.inf, (1,))), "without bounds"),
    (Spaces(spaces.Box(0, 1, (600,))), "512"),
])
def test_spaces_that_are_refused(env, words):
    with pytest.raises(ValueError, match=words):
        wac.Agent("sac", env, eval_env=env)


def test_observations_without_bounds(small):
    class Open(Walk):
        observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float32)

    assert wac.Agent("sac", Open, **small).learn(90).settings["normalisation"] == "running"
    with pytest.raises(ValueError, match="normalisation to running"):
        wac.Agent("sac", Open, normalisation="bounds", **small)
