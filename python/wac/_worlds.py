"""The worlds of the library as environments of Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

from . import _wac
from ._draw import draw

# those whose observations may leave the bounds from which an agent of the library sees them
_OPEN = ["lqg", "halfcheetah", "hopper", "walker2d", *_wac.tasks.split("|")]
_TITLES = {"lqg": "LQG", "riverswim": "RiverSwim", "halfcheetah": "HalfCheetah", "walker2d": "Walker2d",
           "mountaincar": "MountainCar"}


class World(gymnasium.Env):
    """A world of the library, in its own units; settings are those of ``wac config NAME``.

    ``reset(seed=n)`` starts the random numbers that a run of seed n has for its world, so that the same
    actions lead to the same bits.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(self, name: str, render_mode: str | None = None, **settings: Any) -> None:
        from ._read import text_of

        self.name = name
        self.settings = {key: text_of(value) for key, value in settings.items()}
        self.render_mode = render_mode
        self._world = _wac.World(name, self.settings)
        low, high, action_low, action_high = map(np.frombuffer, self._world.bounds())
        is_open = name in _OPEN or name.removesuffix("-sparse") in _OPEN
        self.observation_space = spaces.Box(-np.inf if is_open else low, np.inf if is_open else high,
                                            low.shape, np.float64)
        self._reach = float(low[0]), float(high[0])
        self.action_space = spaces.Box(action_low, action_high, dtype=np.float64)
        self._observation = np.zeros(len(low))
        self._seeded = False

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self._world.seed(seed if seed is not None else int(self.np_random.integers(2**62)))
            self._seeded = True
        self._world.reset(self._observation)
        return self._observation.copy(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One step, with an action that is cut to its bounds."""
        done = np.ascontiguousarray(action, np.float64)
        reward, terminated, truncated, success = self._world.step(done, self._observation)
        return self._observation.copy(), reward, terminated, truncated, {"is_success": success}

    def render(self) -> np.ndarray | None:
        """A picture of this moment: height, width, red, green and blue."""
        if self.render_mode is None:
            gymnasium.logger.warn('render needs render_mode="rgb_array"')
            return None
        return draw(self.name, self._world.shapes(), self._observation, self._reach)


def _title(name: str) -> str:
    base = name.removesuffix("-sparse")
    return _TITLES.get(base, base.title().replace("Pointmaze", "PointMaze")) + name[len(base):].title()


def register() -> None:
    """Make the worlds known to Gymnasium, as "wac/Point-4-Sparse-v0"; but not those for tables."""
    finite = _wac.finite.split("|")
    names = [name for name, _ in _wac.environments() if ":" not in name and name not in finite]
    for name in names + _wac.sparse.split("|"):
        known = f"wac/{_title(name)}-v0"
        if known not in gymnasium.registry:
            gymnasium.register(known, entry_point="wac:World", kwargs={"name": name},
                               max_episode_steps=int(_wac.settings(name)["path_limit"]))


def name_of(env: gymnasium.Env) -> tuple[str, dict[str, str]] | None:
    """The library's own name and settings of such an environment, if nobody has wrapped it."""
    limit = {}
    while isinstance(env, (TimeLimit, OrderEnforcing, PassiveEnvChecker)):
        if isinstance(env, TimeLimit):
            limit = {"path_limit": str(env._max_episode_steps)}
        env = env.env
    return (env.name, env.settings | limit) if type(env) is World else None
