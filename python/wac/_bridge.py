"""Environments of Gymnasium as the library sees them.

An adapter has arrays that it shares with the library and two methods that fill them: what to do
stands in ``action``, what came of it in ``observation`` and ``result`` (reward, terminated, truncated,
begins). ``begins``: this was no step but the start of an episode. See python/extension/guest.c.
"""

from __future__ import annotations

import functools
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

PREFIX = "gym:"

REWARD, TERMINATED, TRUNCATED, BEGINS = range(4)


def check_spaces(observations: spaces.Space, actions: spaces.Space) -> None:
    """Refuse spaces that no network here can take, with the wrapper that helps."""
    if isinstance(observations, spaces.Box) and len(observations.shape) == 3:
        raise ValueError(
            f"observations are images {observations.shape}, and these networks take up to 512 numbers; "
            "make few of them: gymnasium.wrappers.FlattenObservation(gymnasium.wrappers."
            "ResizeObservation(gymnasium.wrappers.GrayscaleObservation(env), (16, 16)))"
        )
    if not isinstance(observations, spaces.Box) or len(observations.shape) != 1:
        raise ValueError(
            f"observations are a {observations}, and must be a Box with one dimension; wrap the "
            "environment: gymnasium.wrappers.FlattenObservation(env)"
        )
    if not isinstance(actions, spaces.Box) or len(actions.shape) != 1:
        raise ValueError(
            f"actions are a {actions}, and must be a Box with one dimension: the algorithms here are "
            "for continuous control; say what a number means: gymnasium.wrappers.TransformAction(env, "
            "function, gymnasium.spaces.Box(-1, 1, (1,)))"
        )
    if not actions.is_bounded():
        raise ValueError(
            f"actions are a {actions}, without bounds; give them some: gymnasium.wrappers."
            "TransformAction(env, lambda action: action, gymnasium.spaces.Box(low, high))"
        )


class _Arrays:
    """What an adapter shares with the library."""

    replays = False

    def __init__(self, observations: spaces.Space, actions: spaces.Space) -> None:
        check_spaces(observations, actions)
        self.observation_low, self.observation_high = _bounds(observations)
        self.action_low, self.action_high = _bounds(actions)
        self.observation = np.zeros(observations.shape)
        self.action = np.zeros(actions.shape)
        self.result = np.zeros(4)

    def look(self, observation: Any) -> None:
        """Take in an observation, if it is one."""
        try:
            if np.shape(observation) != self.observation.shape:
                raise ValueError
            self.observation[:] = observation
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the environment gave an observation of type {type(observation).__name__} and shape "
                f"{np.shape(observation)}, and its space says {self.observation.shape} numbers"
            ) from error

    def close(self) -> None:
        """The library is done with it."""


def _bounds(box: spaces.Box) -> tuple[np.ndarray, np.ndarray]:
    return np.array(box.low, np.float64), np.array(box.high, np.float64)


class Adapter(_Arrays):
    """One environment. The same seed and actions lead to the same place: so a run goes on."""

    replays = True

    def __init__(self, env: gymnasium.Env, owned: bool = False) -> None:
        super().__init__(env.observation_space, env.action_space)
        self.env = env
        self.owned = owned
        self._shape = env.observation_space.shape
        self._type = env.action_space.dtype

    def reset(self, seed: int) -> None:
        """Begin an episode."""
        answer = self.env.reset(seed=seed)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise ValueError("reset must return two things, observation and info; this environment "
                             f"returned {_describe(answer)}, as those of the old Gym do")
        self.look(answer[0])

    def step(self) -> None:
        """Do what stands in the action."""
        answer = self.env.step(self.action.astype(self._type))
        try:
            observation, reward, terminated, truncated, _ = answer
        except (TypeError, ValueError):
            raise ValueError("step must return five things, observation, reward, terminated, truncated "
                             f"and info; this environment returned {_describe(answer)}") from None
        if observation.__class__ is np.ndarray and observation.shape == self._shape:
            self.observation[:] = observation
        else:
            self.look(observation)
        result = self.result
        try:
            result[REWARD] = reward
        except (TypeError, ValueError):
            raise ValueError(f"the environment gave a reward that is no number: {reward!r}") from None
        result[TERMINATED] = bool(terminated)
        result[TRUNCATED] = bool(truncated)

    def close(self) -> None:
        """Close the environment, if it was made for this."""
        if self.owned:
            self.env.close()


def _describe(answer: Any) -> str:
    return f"{len(answer)}" if isinstance(answer, tuple) else f"a {type(answer).__name__}"


class Group:
    """Environments that step together; each has a seat, a world of the library.

    The library sends every seat its action, then asks each for what came of it: the first to be asked
    has them all step. Who resets whom at an end depends on the mode. Disabled: the seat alone, by a
    mask. Same step: the environment has done so already, and tells what it saw last apart. Next step:
    it will with the next step, which is none then.
    """

    def __init__(self, env: VectorEnv) -> None:
        check_spaces(env.single_observation_space, env.single_action_space)
        self.env = env
        self.mode = AutoresetMode(env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP))
        self.turn = 0
        self.actions = np.zeros((env.num_envs, *env.single_action_space.shape))
        self.seats = [Seat(self, number) for number in range(env.num_envs)]

    def reset(self, seed: int) -> None:
        """Begin all episodes anew."""
        observations, _ = self.env.reset(seed=seed)
        for seat in self.seats:
            seat.look(observations[seat.number])
            seat.start = seat.observation.copy()
            seat.over = seat.pending = False

    def reset_one(self, number: int, seed: int) -> Any:
        """Begin the episode of one anew, where it does not do so itself."""
        mask = np.zeros(self.env.num_envs, bool)
        mask[number] = True
        seeds = [seed if chosen else None for chosen in mask]
        observations, _ = self.env.reset(seed=seeds, options={"reset_mask": mask})
        return observations[number]

    def step(self) -> None:
        """One step of all."""
        actions = self.actions.astype(self.env.single_action_space.dtype)
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        last = infos.get("final_obs", infos.get("final_observation"))
        for seat in self.seats:
            i = seat.number
            over = bool(terminated[i] or truncated[i])
            seat.result[:] = (rewards[i], terminated[i], truncated[i], seat.pending)
            if over and self.mode is AutoresetMode.SAME_STEP:
                seat.look(last[i])
                seat.start = np.array(observations[i], np.float64)
            else:
                seat.look(observations[i])
            seat.pending = False
            seat.over = over
        self.turn += 1


class Seat(_Arrays):
    """One of several environments that step together."""

    def __init__(self, group: Group, number: int) -> None:
        super().__init__(group.env.single_observation_space, group.env.single_action_space)
        self.group = group
        self.number = number
        self.turn = 0
        self.action = group.actions[number]
        self.start: np.ndarray | None = None  # of an episode that has begun by itself
        self.over = False  # the episode is, and nobody has been told of the next
        self.pending = False  # the next step is none: the episode begins with it

    def reset(self, seed: int) -> None:
        """Begin an episode."""
        mode = self.group.mode
        if self.over and mode is AutoresetMode.NEXT_STEP:
            self.pending = True  # until then it sees what it saw
        elif self.over and mode is AutoresetMode.DISABLED:
            self.look(self.group.reset_one(self.number, seed))
        else:
            if self.start is None:
                self.group.reset(seed)
            self.observation[:] = self.start
            self.start = None
        self.over = False

    def step(self) -> None:
        """What the last step of all brought."""
        if self.turn == self.group.turn:
            self.group.step()
        self.turn = self.group.turn


def make_named(name: str) -> Adapter:
    """An environment by the name that the library has for it, "gym:NAME"."""
    return Adapter(gymnasium.make(name.removeprefix(PREFIX), disable_env_checker=True), owned=True)


def describe(env: gymnasium.Env | VectorEnv) -> dict[str, str]:
    """What settings an environment asks for: how long an episode lasts, and how it is seen."""
    single = getattr(env, "single_observation_space", env.observation_space)
    spec = env.spec if has_spec(env) else None
    known = {}
    if spec is not None and spec.max_episode_steps:
        known["path_limit"] = str(spec.max_episode_steps)
    elif isinstance(env, VectorEnv):
        known["path_limit"] = str(10**8)  # it knows itself when to end
    if isinstance(single, spaces.Box) and not single.is_bounded():
        known["normalisation"] = "running"
    return known


def has_spec(env: gymnasium.Env | VectorEnv) -> bool:
    """Whether it can be made again."""
    try:
        return env.spec is not None
    except Exception:  # wrappers that do not keep what they were made with say so by raising
        return False


@functools.lru_cache(maxsize=64)
def _preset(name: str) -> tuple[tuple[str, str], ...]:
    env = gymnasium.make(name.removeprefix(PREFIX), disable_env_checker=True)
    known = describe(env)
    env.close()
    return tuple(known.items())


def preset(name: str) -> dict[str, str]:
    """The same of one that has a name."""
    return dict(_preset(name))
