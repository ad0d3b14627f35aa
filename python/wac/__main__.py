"""The program within Python: ``python -m wac train Pendulum-v1``.

It is the same program as ``wac``, and its commands are described by ``python -m wac help``. Names of
environments that Gymnasium knows stand for themselves, with or without ``gym:`` before them.
"""

import sys

import gymnasium

from wac import _wac  # the package registers its environments


def _name(word: str) -> str:
    return "gym:" + word if word in gymnasium.registry and not _wac.has(word) else word


def main() -> None:
    """Run the program with the words of the command line, and leave with its exit status."""

    words = [word if word.startswith("-") else _name(word) for word in sys.argv[1:]]
    status = _wac.main(["python -m wac", *words])
    sys.stdout.flush()
    sys.exit(status)


if __name__ == "__main__":
    main()
