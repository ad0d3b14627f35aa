"""Agents that explore where they are uncertain: Wasserstein Actor-Critic, SAC, OAC, REDQ, SUNRISE,
MaxInfoSAC, SAC with random network distillation, TOP, BRO and SimBa.

>>> import wac
>>> agent = wac.Agent("me-wac", "Pendulum-v1", reward_min=-17, reward_max=0)
>>> agent.learn(10_000, progress_bar=True)
>>> action = agent.predict(observation)
>>> mean, std = agent.value(observation, action)

The worlds of the library are environments of Gymnasium, once this package is imported:
``gymnasium.make("wac/Point-4-Sparse-v0")``.
"""

import glob as _glob
import importlib.util as _util
import os as _os


def _show_mujoco() -> None:
    """The library looks for MuJoCo where its own package has it."""
    package = _util.find_spec("mujoco")
    places = package.submodule_search_locations if package else None
    for place in places or ():
        for library in _glob.glob(_os.path.join(place, "libmujoco.so.*")):
            _os.environ.setdefault("WAC_MUJOCO", library)


_show_mujoco()

from ._agent import Agent, load  # noqa: E402
from ._read import read, settings  # noqa: E402
from ._wac import version as __version__  # noqa: E402
from ._worlds import World, register as _register  # noqa: E402

_register()

__all__ = ["Agent", "World", "load", "read", "settings", "__version__"]
