"""Agents: learning, going on, acting, valuing, saving; and what is said when something is wrong."""

import math
import os
import signal
import subprocess
import sys
import threading
import time

import gymnasium
import numpy as np
import pytest

import wac
from conftest import Walk


def files_of(folder):
    return {name: open(os.path.join(folder, "checkpoint", name), "rb").read()
            for name in sorted(os.listdir(os.path.join(folder, "checkpoint")))}


def test_learns_acts_and_values(tmp_path, small):
    agent = wac.Agent("oe-wac", "riverswim", directory=tmp_path / "run", **small)
    rows = []
    assert agent.learn(140, callback=lambda now: rows.append(now) if now["is_row"] else None) is agent
    assert agent.env_steps == 140 and [row["epoch"] for row in rows] == [0, 1, 2]
    one = agent.predict([3.0])
    assert one.shape == (1,) and np.array_equal(agent.predict([[3.0], [4.0]])[0], one)
    assert not np.array_equal(agent.predict([3.0], deterministic=False), one)
    mean, std = agent.value([[3.0], [4.0]], [[0.1], [0.2]])
    assert mean.shape == std.shape == (2,) and (std > 0).all()
    assert agent.value([3.0], [0.1])[0] == mean[0]
    table = wac.read(tmp_path / "run")
    assert list(table["env_steps"]) == [40, 90, 140] and table["eval_return"].dtype == np.float64
    assert wac.settings(tmp_path / "run")["width"] == 16
    assert agent.evaluate(3)["episodes"] == 3
    assert "oe-wac on riverswim" in repr(agent)


def test_is_the_run_that_the_program_makes(tmp_path, small):
    agent = wac.Agent("sac", "lqg", directory=tmp_path / "here", **small)
    agent.learn(40 + 2 * 50)
    words = [f"--{name}={value}" for name, value in small.items()]
    program = [sys.executable, "-m", "wac", "train", "lqg", "--algorithm=sac", "--epochs=2",
               f"--out={tmp_path / 'there'}", *words]
    subprocess.run(program, check=True, capture_output=True)
    assert files_of(tmp_path / "here") == files_of(tmp_path / "there")


@pytest.mark.parametrize("env", ["lqg", "Pendulum-v1", Walk])
def test_parts_equal_the_whole(tmp_path, small, env):
    small |= dict(update_interval=7, path_limit=30)
    whole = wac.Agent("sac", env, directory=tmp_path / "whole", **small).learn(40 + 4 * 50)
    parts = wac.Agent("sac", env, directory=tmp_path / "parts", **small)
    for stop in (20, 30, 77, 10**6):
        parts.learn(40 + 4 * 50 - parts.env_steps,
                    callback=lambda now: now["env_steps"] < stop or now["is_row"])
    assert parts.env_steps == whole.env_steps == 240
    assert files_of(whole.directory) == files_of(parts.directory)


def test_keeps_maps_and_events(tmp_path, small):
    agent = wac.Agent("oe-wac", "riverswim", directory=tmp_path / "run", maps=True, tensorboard=True, **small)
    sizes = []
    for _ in range(2):
        agent.learn(40)
        sizes.append([(tmp_path / "run" / name).stat().st_size for name in ("maps.bin", "events.out.tfevents.wac")])
    assert all(after > before > 0 for before, after in zip(*sizes))


def test_saves_and_loads(tmp_path, small):
    agent = wac.Agent("me-wac", "Pendulum-v1", reward_min=-17, reward_max=0, **small).learn(90)
    assert agent.settings["path_limit"] == "25"
    saved = agent.save(tmp_path / "copy")
    loaded = wac.load(saved)
    seen = [0.1, 0.2, 3.0]
    assert np.array_equal(loaded.predict(seen), agent.predict(seen))
    assert loaded.learn(50).env_steps == 140
    assert agent.learn(50).env_steps == 140
    assert files_of(agent.directory) == files_of(saved)
    with pytest.raises(ValueError, match="no run"):
        wac.load(tmp_path / "nowhere")


def test_gone_with_the_agent(small):
    agent = wac.Agent("sac", "lqg", **small)
    folder = agent.directory
    assert os.path.isdir(folder)
    del agent
    assert not os.path.exists(folder)


def test_environments_without_a_spec(tmp_path, small):
    evaluated = dict(small)
    del small["evaluation_steps"]
    with pytest.warns(UserWarning, match="eval_env"):
        agent = wac.Agent("sac", Walk(), directory=tmp_path / "run", **small).learn(90)
    assert math.isnan(agent.history["eval_return"][-1])
    other = wac.Agent("sac", Walk(), eval_env=Walk(), **evaluated).learn(90)
    assert not math.isnan(other.history["eval_return"][-1])
    agent.close()
    with pytest.raises(ValueError, match="wac.load"):
        wac.load(tmp_path / "run")
    assert wac.load(tmp_path / "run", Walk).learn(50).env_steps == 140


def test_the_prior_is_asked_for_or_measured(tmp_path, small):
    with pytest.raises(ValueError, match=r"1000 random steps brought .* reward_min and reward_max"):
        wac.Agent("oe-wac", "Pendulum-v1", directory=tmp_path / "none", **small)
    assert not (tmp_path / "none").exists()
    agent = wac.Agent("oe-wac", "Pendulum-v1", reward_prior="measured", **small).learn(90)
    found = wac.settings(agent.directory)
    assert -16.3 <= found["reward_min"] < found["reward_max"] <= 0
    parts = wac.Agent("oe-wac", "Pendulum-v1", reward_prior="measured", **small)
    parts.learn(90, callback=lambda now: now["env_steps"] < 20)
    assert parts.learn(90 - parts.env_steps).env_steps == 90
    assert files_of(parts.directory) == files_of(agent.directory)


def test_settings_are_checked(small):
    with pytest.raises(ValueError, match='did you mean "learning_rate"'):
        wac.Agent("sac", "lqg", learnin_rate=1)
    with pytest.raises(ValueError, match="not read by sac"):
        wac.Agent("sac", "lqg", quantile=0.9)
    with pytest.raises(ValueError, match="unknown algorithm"):
        wac.Agent("ppo", "lqg")
    with pytest.raises(gymnasium.error.Error):
        wac.Agent("sac", "Pendulun-v1")
    with pytest.raises(TypeError):
        wac.Agent("sac", 7)
    with pytest.raises(ValueError, match="shape"):
        wac.Agent("sac", "lqg", **small).predict([1.0, 2.0])


@pytest.mark.parametrize("fault, kind, words", [
    (RuntimeError("the wheel came off"), RuntimeError, "the wheel came off"),
    (lambda self, o, r: (o * np.nan, r, False, False, {}), FloatingPointError, "observation 0 is"),
    (lambda self, o, r: (o, math.nan, False, False, {}), FloatingPointError, "the reward is"),
    (lambda self, o, r: (o[:1], r, False, False, {}), ValueError, r"shape \(1,\)"),
    (lambda self, o, r: (o[0], r, False, False, {}), ValueError, "shape"),
    (lambda self, o, r: ("here", r, False, False, {}), ValueError, "type str"),
    (lambda self, o, r: (o, "much", False, False, {}), ValueError, "no number"),
    (lambda self, o, r: (o, r, False, {}), ValueError, "returned 4"),
    (lambda self, o, r: None, ValueError, "a NoneType"),
    (lambda self, o, r: self.close() or self.step(np.zeros(1, np.float32)), AssertionError, None),
])
def test_faults_of_environments(tmp_path, small, fault, kind, words):
    env = Walk(fault, at=100)
    agent = wac.Agent("sac", env, eval_env=Walk(), directory=tmp_path / "run", **small)
    with pytest.raises(kind, match=words):
        agent.learn(200)
    env.fault = None
    env.closed = False
    assert agent.learn(190 - agent.env_steps).env_steps >= 190
    other = wac.Agent("sac", Walk, directory=tmp_path / "other", **small).learn(190)
    assert files_of(agent.directory) == files_of(other.directory)


def test_exceptions_of_callbacks_stop_and_save(small):
    agent = wac.Agent("sac", "lqg", **small)

    def fail(now):
        if now["env_steps"] >= 60:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        agent.learn(200, callback=fail)
    assert 40 <= agent.env_steps < 200
    agent.learn(200 - agent.env_steps)


def test_interrupts_stop_and_save(small):
    agent = wac.Agent("sac", Walk, **small)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        agent.learn(10**8)
    assert time.monotonic() - start < 20
    before = agent.env_steps
    assert before > 0 and agent.learn(50).env_steps >= before + 50
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_interpreter_is_free_meanwhile(small):
    agent = wac.Agent("sac", "lqg", **small)
    worker = threading.Thread(target=agent.learn, args=(10**8,),
                              kwargs=dict(callback=lambda now: not done.is_set()))
    done = threading.Event()
    worker.start()
    ticks = 0
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        ticks += 1
        time.sleep(0.001)
    with pytest.raises((RuntimeError, ValueError), match="learning"):
        agent.predict([0.0])
    done.set()
    worker.join()
    assert ticks > 50
    agent.predict([0.0])


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_is_told(small):
    agent = wac.Agent("sac", "lqg", **small).learn(90)
    child = os.fork()
    if child == 0:
        try:
            agent.predict([0.0])
        except RuntimeError as error:
            os._exit(0 if "after a fork" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert agent.learn(50).env_steps == 140
