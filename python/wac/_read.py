"""Reading runs: tables and settings as Python knows them."""

from __future__ import annotations

import os

import numpy as np

from . import _wac

Setting = bool | int | float | str


def _value(text: str) -> Setting:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def text_of(value: Setting) -> str:
    """A setting as the command line has it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value.item() if hasattr(value, "item") else value)


def read(run: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """The table of a run, progress.csv: a column of float64 for each name, a row an epoch.

    What has no meaning is NaN. ``pandas.DataFrame(wac.read("runs/first"))`` makes a data frame of it.
    """
    columns = _wac.history(os.fspath(run))
    return {name: np.frombuffer(column) for name, column in columns.items()}


def settings(run: str | os.PathLike[str]) -> dict[str, Setting]:
    """Every setting of a run, and the name of its environment."""
    environment, texts = _wac.config(os.fspath(run))
    return {"environment": environment} | {name: _value(text) for name, text in texts.items()}
