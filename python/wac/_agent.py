"""Agents: learning, acting, valuing; each has a run of the library under it, a folder of plain files."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv

from . import _wac
from ._bridge import PREFIX, Adapter, Group, Seat, describe, has_spec, make_named, preset
from ._read import Setting, read, text_of
from ._worlds import name_of

Progress = dict[str, Any]
Callback = Callable[[Progress], bool | None]
MOST_EPOCHS = 10**6  # that a run can have
Environment = str | gymnasium.Env | VectorEnv | Callable[[], gymnasium.Env]

_wac.set_bridge(make_named, preset)


class _Maker:
    """Hands the library the adapters of its worlds: those to explore, then that of evaluations."""

    def __init__(self, env: Environment, eval_env: gymnasium.Env | None, worlds: int) -> None:
        self.env = env
        self.eval_env = eval_env
        self.worlds = worlds
        self.made = 0

    def __call__(self) -> Adapter | Seat:
        number, self.made = self.made, (self.made + 1) % (self.worlds + 1)
        if number == self.worlds:
            return self._evaluation()
        if isinstance(self.env, VectorEnv):
            if number == 0:
                self.group = Group(self.env)
            return self.group.seats[number]
        if number == 0 and isinstance(self.env, gymnasium.Env):
            return Adapter(self.env)
        return self._another()

    def can_make(self) -> bool:
        return not isinstance(self.env, (gymnasium.Env, VectorEnv)) or has_spec(self.env)

    def _another(self) -> Adapter:
        if not isinstance(self.env, (gymnasium.Env, VectorEnv)):
            return Adapter(self.env(), owned=True)
        if not has_spec(self.env):
            raise ValueError("several worlds take a function that makes an environment, or a vector "
                             "environment: this one does not say how it was made")
        return Adapter(gymnasium.make(self.env.spec), owned=True)

    def _evaluation(self) -> Adapter:
        if self.eval_env is not None:
            return Adapter(self.eval_env)
        if self.can_make():
            return self._another()
        return Adapter(self.env)  # there are no evaluations beside it


def _is_plain(env: gymnasium.Env) -> bool:
    """Whether an environment is what gymnasium.make makes of its name alone."""
    try:
        return env.spec is not None and env.spec == gymnasium.make(env.spec.id).spec
    except Exception:
        return False


def _name(env: Environment) -> str:
    """What the library calls it: by a name that the program knows, too, if it has one."""
    if isinstance(env, gymnasium.Env) and _is_plain(env):
        return PREFIX + env.spec.id
    inner = env.unwrapped if isinstance(env, (gymnasium.Env, VectorEnv)) else env
    name = getattr(inner, "__name__", type(inner).__name__)
    return "python:" + ("".join(c if c.isascii() and c.isalnum() else "-" for c in name) or "env")


class Agent:
    """An agent that learns in an environment.

    ``algorithm`` is "oe-wac", "me-wac", "sac", "oac", "redq", "sunrise", "maxinfosac", "sac-rnd", "top",
    "bro" or "simba". ``env`` is the name of an environment of the library ("point-4-sparse") or of Gymnasium ("Pendulum-v1"), an environment, a vector environment
    (all its environments feed the agent), or a function that makes an environment. ``eval_env`` is
    where evaluations are played; without it, an environment like the first.

    ``directory`` is the folder of the run, new or empty, which every command of the program takes, too;
    without it a temporary one, which goes with the agent unless :meth:`save` copies it. ``threads``
    share the work; results do not depend on their number. ``device`` is "cpu" or "cuda". ``maps`` keeps
    a map of every epoch for ``wac watch`` and movies, ``tensorboard`` writes event files, too. Every
    other keyword is a setting of the library, as ``learning_rate=1e-3`` (docs/settings.md).
    """

    def __init__(
        self,
        algorithm: str,
        env: Environment,
        *,
        directory: str | os.PathLike[str] | None = None,
        eval_env: gymnasium.Env | None = None,
        threads: int = 1,
        device: str = "cpu",
        maps: bool = False,
        tensorboard: bool = False,
        **settings: Setting,
    ) -> None:
        texts = {name: text_of(value) for name, value in settings.items()}
        name, known, maker = _resolve(env, eval_env, texts)
        self._open(directory, maker, threads, device)
        self._start("create", maps=maps, tensorboard=tensorboard, environment=name, algorithm=algorithm,
                    settings=known | texts | {"epochs": "0"})

    def _open(self, directory: str | os.PathLike[str] | None, maker: _Maker | None, threads: int,
              device: str) -> None:
        if device not in ("cpu", "cuda"):
            raise ValueError(f'device must be "cpu" or "cuda", not {device!r}')
        self._temporary = None
        if directory is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="wac-")
            directory = os.path.join(self._temporary.name, "run")
        self._directory = os.fspath(directory)
        self._maker = maker
        self._how = {"threads": threads, "cuda": device == "cuda"}
        self._run: _wac.Run | None = None
        self._interrupted = False

    def _start(self, mode: str, **arguments: Any) -> None:
        if self._run is not None:
            self._run.close()
        if self._maker is not None:
            self._maker.made = 0
        self._run = _wac.Run(self._directory, self._maker, mode, **self._how, **arguments)

    @property
    def directory(self) -> str:
        """The folder of the run."""
        return self._directory

    @property
    def env_steps(self) -> int:
        """Steps of exploration so far."""
        return self._run.about()["env_steps"]

    @property
    def settings(self) -> dict[str, str]:
        """Every setting that the agent reads, as text."""
        return self._run.about()["settings"]

    @property
    def history(self) -> dict[str, np.ndarray]:
        """The table of the run so far; see :func:`wac.read`."""
        return read(self._directory)

    def learn(self, steps: int, callback: Callback | None = None, progress_bar: bool = False) -> Agent:
        """Explore and learn for so many more steps, rounded up to whole epochs (explore_steps).

        ``callback`` is called about ten times a second and after every row of the table with a dict of
        where the run stands (``is_row`` tells which); if it returns False the run stops and saves
        itself. So it does at Ctrl-C, before KeyboardInterrupt is raised; in both cases, and after an
        exception in the environment, ``learn`` goes on from the last checkpoint.
        """
        about = self._run.about()
        settings = about["settings"]
        each = max(1, int(settings["explore_steps"]))
        wanted = about["env_steps"] + steps - int(settings["initial_steps"])
        epochs = min(MOST_EPOCHS, max(1, about["epoch"], math.ceil(wanted / each)))
        try:
            self._start("resume", epochs=epochs)
        except Exception:
            with contextlib.suppress(Exception):
                self._start("open")  # it can still be looked at
            raise
        bar = _Bar(epochs) if progress_bar else None
        calls = [call for call in (bar, callback) if call]

        def progress(now: Progress) -> bool:
            return all([call(now) is not False for call in calls])

        try:
            with self._heed_interrupts():
                self._run.train(progress if calls else None)
        finally:
            if bar:
                bar.end()
        if self._interrupted:
            raise KeyboardInterrupt
        return self

    @contextlib.contextmanager
    def _heed_interrupts(self) -> Iterator[None]:
        """Ctrl-C stops the run, and not whatever Python code it is in."""
        self._interrupted = False
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: Any) -> None:
            if self._interrupted:
                raise KeyboardInterrupt
            self._interrupted = True
            self._run.stop()

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def predict(self, observation: Any, deterministic: bool = True) -> np.ndarray:
        """What the policy does for an observation, or for each row of several.

        By its mean; or, not ``deterministic``, by a sample.
        """
        about = self._run.about()
        seen, rows = _rows(observation, about["observation_size"], "observation")
        actions = np.empty((rows, about["action_size"]))
        self._run.act(seen, actions, False, not deterministic)
        return actions if np.ndim(observation) > 1 else actions[0]

    def value(self, observation: Any, action: Any) -> tuple[np.ndarray, np.ndarray]:
        """What the critics believe of doing this there: mean and deviation, a number for each row.

        The deviation is what WAC is unsure of; NaN for the others, which do not know.
        """
        about = self._run.about()
        seen, rows = _rows(observation, about["observation_size"], "observation")
        done, others = _rows(action, about["action_size"], "action")
        if rows != others:
            raise ValueError(f"there are {rows} observations and {others} actions")
        mean, std = np.empty(rows), np.empty(rows)
        self._run.value(seen, done, mean, std)
        return (mean, std) if np.ndim(observation) > 1 else (mean[0], std[0])

    def evaluate(self, episodes: int = 10, deterministic: bool = True, seed: int = 0) -> dict[str, Any]:
        """Play whole episodes: their number, steps, and mean, deviation and range of returns."""
        with self._heed_interrupts():
            return self._run.evaluate(episodes, seed, False, not deterministic)

    def save(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write a checkpoint of this moment, and copy the run to ``path``, a new folder, if there is one.

        Returns the folder. :func:`wac.load`, and ``wac train --resume``, go on with it.
        """
        self._run.save()
        if path is None:
            return self._directory
        return shutil.copytree(self._directory, os.fspath(path))

    def close(self) -> None:
        """Let go of the folder, so that others may train the run."""
        self._run.close()

    def __repr__(self) -> str:
        about = self._run.about()
        return (f"<wac.Agent {about['settings']['algorithm']} on {about['environment']}, "
                f"{about['env_steps']} steps, in {self._directory}>")


def load(directory: str | os.PathLike[str], env: Environment | None = None, *,
         eval_env: gymnasium.Env | None = None, threads: int = 1, device: str = "cpu") -> Agent:
    """An agent as the last checkpoint of a run left it, whoever trained it.

    ``env`` is needed where the run does not name its environment, since it was given as an object.
    Nothing is changed, and another process may be training the run, until the agent learns on.
    """
    agent = Agent.__new__(Agent)
    maker = None
    if env is not None:
        _, texts = _wac.config(os.fspath(directory))
        _, _, maker = _resolve(env, eval_env, {"worlds": texts["worlds"]})
    agent._open(directory, maker, threads, device)
    agent._start("open")
    return agent


def _resolve(env: Environment, eval_env: gymnasium.Env | None,
             texts: dict[str, str]) -> tuple[str, dict[str, str], _Maker | None]:
    """The library's name for an environment, the settings it asks for, and who makes its worlds."""
    if isinstance(env, str):
        if _wac.has(env):
            if eval_env is None:
                return env, {}, None
            raise ValueError(f"{env} is an environment of the library: it evaluates by itself")
        name = env.removeprefix(PREFIX)
        if name not in gymnasium.registry:
            gymnasium.spec(name)  # raises, and suggests the nearest
        if eval_env is None:
            return PREFIX + name, {}, None
        env = gymnasium.make(name)
    own = name_of(env) if isinstance(env, gymnasium.Env) and eval_env is None else None
    if own is not None:
        return own[0], own[1], None
    if not isinstance(env, (gymnasium.Env, VectorEnv)) and not callable(env):
        raise TypeError(f"env must be a name, an environment of Gymnasium, or a function that makes "
                        f"one, not {type(env).__name__}")
    shown = env if isinstance(env, (gymnasium.Env, VectorEnv)) else env()
    known = describe(shown)
    if shown is not env:
        shown.close()
    if isinstance(env, VectorEnv):
        known["worlds"] = str(env.num_envs)
        if texts.get("worlds", known["worlds"]) != known["worlds"]:
            raise ValueError(f"worlds follows from the vector environment: it has {env.num_envs}")
    maker = _Maker(env, eval_env, int(float((known | texts).get("worlds", 1))))
    if eval_env is None and not maker.can_make():
        if "evaluation_steps" not in texts:
            warnings.warn("this environment cannot be made a second time, so there are no evaluations; "
                          "pass an eval_env, or a function that makes one", stacklevel=3)
        known["evaluation_steps"] = "0"
    return _name(env), known, maker


def _rows(array: Any, size: int, what: str) -> tuple[np.ndarray, int]:
    rows = np.ascontiguousarray(array, np.float64)
    if rows.ndim not in (1, 2) or rows.shape[-1] != size:
        raise ValueError(f"{what} has shape {rows.shape}, and must have {size} numbers in a row")
    return rows, 1 if rows.ndim == 1 else len(rows)


class _Bar:
    """One line that tells how far it is."""

    CELLS = 30

    def __init__(self, epochs: int) -> None:
        self.epochs = epochs

    def __call__(self, now: Progress) -> None:
        due = max(1, now["epoch_updates_due"])
        share = min(1.0, (now["epoch"] + now["epoch_updates"] / due) / max(1, self.epochs))
        full = round(share * self.CELLS)
        best = "" if math.isnan(now["eval_return"]) else f", return {now['eval_return']:.4g}"
        sys.stderr.write(f"\r[{'#' * full}{'.' * (self.CELLS - full)}] {share:4.0%} "
                         f"{now['env_steps']} steps, {now['seconds']:.0f} s{best}\033[K")
        sys.stderr.flush()

    def end(self) -> None:
        sys.stderr.write("\n")
