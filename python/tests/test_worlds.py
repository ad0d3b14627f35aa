"""The worlds of the library as environments of Gymnasium."""


import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import wac
from conftest import records_of
from wac import _wac

NAMES = sorted(name for name in gymnasium.registry if name.startswith("wac/"))


def available(name):
    try:
        gymnasium.make(name).close()
        return True
    except ValueError as error:
        assert "MuJoCo" in str(error)
        return False


def test_all_are_registered():
    finite = _wac.finite.split("|")
    own = [name for name, _ in _wac.environments() if ":" not in name and name not in finite]
    assert len(NAMES) == len(own) + 7
    assert {"wac/Point-4-v0", "wac/Point-4-Sparse-v0", "wac/LQG-v0", "wac/RiverSwim-v0",
            "wac/HalfCheetah-v0", "wac/Hopper-v0", "wac/Walker2d-v0", "wac/HalfCheetah-Sparse-v0",
            "wac/MountainCar-v0", "wac/Cartpole-Sparse-Cost-v0", "wac/PointMaze-U-v0"} <= set(NAMES)


@pytest.mark.filterwarnings("ignore:.*(symmetric and normalized|infinity):UserWarning")
@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_check_env(name):
    if not available(name):
        pytest.skip("no MuJoCo")
    check_env(gymnasium.make(name, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_pictures(name):
    if not available(name):
        pytest.skip("no MuJoCo")
    env = gymnasium.make(name, render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    for _ in range(20):
        env.step(env.action_space.high)
    assert first.shape == (360, 480, 3) and first.dtype == np.uint8
    assert (first != 255).any() and (env.render() != first).any()


@pytest.mark.parametrize("name, own", [("wac/LQG-v0", "lqg"), ("wac/RiverSwim-v0", "riverswim"),
                                       ("wac/Point-2-Sparse-v0", "point-2-sparse"),
                                       ("wac/HalfCheetah-v0", "halfcheetah"),
                                       ("wac/MountainCar-v0", "mountaincar"),
                                       ("wac/Hopper-Sparse-v0", "hopper-sparse"),
                                       ("wac/Ball-In-Cup-v0", "ball-in-cup")])
def test_same_bits_as_the_run(name, own):
    """The observations and rewards that a run of the library remembers are those of the environment
    under the same seed and actions."""
    if not available(name):
        pytest.skip("no MuJoCo")
    small = dict(width=16, batch_size=16, initial_steps=120, explore_steps=40, updates=1, seed=7,
                 evaluation_steps=0, normalisation="running", path_limit=50)
    run = wac.Agent("sac", own, **small).learn(120)
    records = records_of(run)
    env = gymnasium.make(name, max_episode_steps=50)
    size, acts = env.observation_space.shape[0], env.action_space.shape[0]
    low, high = env.action_space.low, env.action_space.high
    seen, _ = env.reset(seed=7)
    for record in records[:120]:
        assert np.array_equal(seen.astype(np.float32), record[:size])
        action = (low + high) / 2 + record[size:size + acts].astype(np.float64) * ((high - low) / 2)
        seen, reward, terminated, truncated, _ = env.step(action)
        assert np.float32(reward) == record[size + acts]
        assert np.array_equal(seen.astype(np.float32), record[size + acts + 1:-1])
        assert terminated == record[-1]
        if terminated or truncated:
            seen, _ = env.reset()


def test_agents_use_them_directly(small):
    env = gymnasium.make("wac/LQG-v0", noise_std=0.25)
    agent = wac.Agent("sac", env, **small)
    assert agent.settings["noise_std"] == "0.25" and "on lqg" in repr(agent)
    wrapped = gymnasium.wrappers.RescaleAction(env, -1, 1)
    assert "on lqg" not in repr(wac.Agent("sac", wrapped, **small))


def test_unknown_settings_are_refused():
    with pytest.raises(ValueError, match="noise_std"):
        gymnasium.make("wac/LQG-v0", noise_sdt=1)
