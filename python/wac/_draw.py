"""Pictures of the library's worlds: discs, strokes and boxes on a grid of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._wac import BOX, CAPSULE, SPHERE

WIDTH, HEIGHT = 480, 360
PAPER, WALL, GROUND = (255, 255, 255), (64, 64, 72), (236, 236, 236)
COLOURS = ((64, 64, 72), (0, 114, 178), (213, 94, 0))


class _Canvas:
    """A window of the world, and the pixels that show it."""

    def __init__(self, left: float, right: float, bottom: float, top: float) -> None:
        scale = max((right - left) / WIDTH, (top - bottom) / HEIGHT)
        middle = ((left + right) / 2, (bottom + top) / 2)
        self.x = middle[0] + (np.arange(WIDTH) + 0.5 - WIDTH / 2) * scale
        self.y = (middle[1] - (np.arange(HEIGHT) + 0.5 - HEIGHT / 2) * scale)[:, None]
        self.scale = scale
        self.pixels = np.full((HEIGHT, WIDTH, 3), PAPER, np.uint8)

    def fill(self, distance: np.ndarray, colour: tuple[int, int, int]) -> None:
        """Where the distance to a shape is not above 0; edges are smooth."""
        cover = np.clip(0.5 - distance / self.scale, 0, 1)[..., None]
        self.pixels[:] = np.round(self.pixels * (1 - cover) + np.array(colour) * cover)

    def stroke(self, start: Any, end: Any, radius: float, colour: tuple[int, int, int]) -> None:
        """From one point to another, round at its ends; a disc where they are one."""
        x, y = self.x - start[0], self.y - start[1]
        dx, dy = end[0] - start[0], end[1] - start[1]
        along = np.clip((x * dx + y * dy) / max(dx * dx + dy * dy, 1e-12), 0, 1)
        self.fill(np.hypot(x - along * dx, y - along * dy) - max(radius, self.scale), colour)

    def box(self, centre: Any, size: Any, axes: Any, colour: tuple[int, int, int]) -> None:
        """Seen from above, along its own axes."""
        x, y = self.x - centre[0], self.y - centre[1]
        across = np.abs(x * axes[0] + y * axes[3]) - size[0]
        up = np.abs(x * axes[1] + y * axes[4]) - size[1]
        self.fill(np.maximum(across, up), colour)


def draw(name: str, shapes: list[tuple[Any, ...]], observation: np.ndarray,
         reach: tuple[float, float]) -> np.ndarray:
    """A picture of a world: a maze from above, a body from the side, else a mark on a line."""
    if name.startswith("point"):
        return _maze(shapes)
    if name == "reacher-hard":
        return _body(shapes, 1, 0.3)
    return _body(shapes, 2, 0.5 if name == "ball-in-cup" else 1.0) if shapes else _line(observation, *reach)


def _maze(shapes: list[tuple[Any, ...]]) -> np.ndarray:
    walls = [shape for shape in shapes if shape[0] == BOX and shape[1] and shape[2]]
    reach = [(c[0] + s * size[0], c[1] + s * size[1]) for _, _, _, _, size, c, _ in walls
             for s in (-1, 1)]
    xs, ys = zip(*reach)
    canvas = _Canvas(min(xs), max(xs), min(ys), max(ys))
    for _, _, _, _, size, centre, axes in walls:
        canvas.box(centre, size, axes, WALL)
    for kind, fixed, _, _, size, centre, _ in shapes:
        if kind == SPHERE and not fixed:
            canvas.stroke(centre, centre, size[0], COLOURS[2])
    return canvas.pixels


def _body(shapes: list[tuple[Any, ...]], up: int, height: float) -> np.ndarray:
    """From the side (up is z, 2) or from above (y, 1), at least so many metres of it."""
    parts = [shape for shape in shapes if not shape[1] and shape[0] in (CAPSULE, SPHERE, BOX)]
    place = parts[0][5][0] if up == 2 else 0.0
    top = 1.55 * max(height, max(centre[up] + size[0] for _, _, _, _, size, centre, _ in parts))
    canvas = _Canvas(place - 1.4 * top, place + 1.4 * top, -0.2 * top if up == 2 else -top, top)
    if up == 2:
        canvas.fill(np.broadcast_to(canvas.y, (HEIGHT, WIDTH)), GROUND)
    for limb in (2, 0, 1):  # one leg behind the trunk, one before it
        for kind, _, _, own, size, centre, axes in parts:
            if min(own, 2) != limb:
                continue
            # a capsule lies along its z, a box along its x
            half, along, radius = {CAPSULE: (size[1], 2, size[0]), BOX: (size[0], 0, size[2])}.get(
                kind, (0.0, 0, size[0]))
            ends = [(centre[0] + s * half * axes[along], centre[up] + s * half * axes[3 * up + along])
                    for s in (-1, 1)]
            canvas.stroke(*ends, radius, COLOURS[limb])
    return canvas.pixels


def _line(observation: np.ndarray, low: float, high: float) -> np.ndarray:
    reach = high - low
    canvas = _Canvas(low - 0.05 * reach, high + 0.05 * reach, -0.4 * reach, 0.4 * reach)
    canvas.stroke((low, 0), (high, 0), 0.004 * reach, GROUND)
    for end in (low, high):
        canvas.stroke((end, -0.05 * reach), (end, 0.05 * reach), 0.004 * reach, WALL)
    place = (float(observation[0]), 0.0)
    canvas.stroke(place, place, 0.025 * reach, COLOURS[1])
    return canvas.pixels
