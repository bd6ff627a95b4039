"""Simple solids for files that other programs open: triangles in a box of 1 × 1 × 1 around the origin.

x is forward, y left, z up; a body's size stretches them. Each solid is a list of (role, triangles (m, 3, 3));
the role is `paint` for the body's own colour, or glass, dark, skin or light.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Solid = list[tuple[str, np.ndarray]]
_QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])


def solid(shape: str) -> Solid:
    """The solid of a shape of `looks`; what is not known is a box."""
    return _SOLIDS.get(shape, _box)()


def hexahedron(corners: np.ndarray) -> np.ndarray:
    """Triangles (12, 3, 3) of eight corners, numbered by their bits x, y, z (x is 4)."""
    quads = corners[_QUADS]
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def block(
    low: tuple[float, float, float], high: tuple[float, float, float], taper: float = 0.0
) -> np.ndarray:
    """A box between two corners; with `taper` its top is drawn in along x by that much at either end."""
    bits = np.array([[k >> 2 & 1, k >> 1 & 1, k & 1] for k in range(8)])
    corners = np.where(bits == 1, high, low).astype(float)
    corners[:, 0] += np.where(bits[:, 2] == 1, np.where(bits[:, 0] == 1, -taper, taper), 0.0)
    return hexahedron(corners)


def cylinder(radius: float, low: float, high: float, axis: int = 2, sides: int = 16) -> np.ndarray:
    """Triangles of a cylinder about an axis."""
    angle = np.linspace(0, 2 * np.pi, sides + 1)
    c, s = radius * np.cos(angle), radius * np.sin(angle)
    rings = [np.column_stack([c, s, np.full(sides + 1, h)]) for h in (low, high)]
    a, b = rings[0][:-1], rings[0][1:]
    d, e = rings[1][:-1], rings[1][1:]
    middle = [np.broadcast_to([0.0, 0.0, h], a.shape) for h in (low, high)]
    faces = [(a, b, e), (a, e, d), (middle[0], b, a), (middle[1], d, e)]
    made = np.concatenate([np.stack(face, axis=1) for face in faces])
    return np.roll(made, axis + 1, axis=2)


def ball(middle: tuple[float, float, float], radii: tuple[float, float, float], fine: int = 10) -> np.ndarray:
    """Triangles of an ellipsoid."""
    up, around = np.linspace(-np.pi / 2, np.pi / 2, fine + 1), np.linspace(0, 2 * np.pi, 2 * fine + 1)
    grid = np.stack(
        [
            np.cos(up)[:, None] * np.cos(around),
            np.cos(up)[:, None] * np.sin(around),
            np.broadcast_to(np.sin(up)[:, None], (fine + 1, 2 * fine + 1)),
        ],
        axis=-1,
    ) * radii + np.array(middle)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    made = [np.stack(face, axis=2).reshape(-1, 3, 3) for face in ((a, b, c), (a, c, d))]
    triangles = np.concatenate(made)
    return triangles[np.linalg.norm(normals(triangles, unit=False), axis=1) > 1e-9]


def normals(triangles: np.ndarray, unit: bool = True) -> np.ndarray:
    """(m, 3) of triangles (m, 3, 3)."""
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    if not unit:
        return across
    size = np.linalg.norm(across, axis=1, keepdims=True)
    return np.where(size > 0, across / np.where(size > 0, size, 1.0), [0.0, 0.0, 1.0])


def _box() -> Solid:
    return [("paint", block((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)))]


def _vehicle() -> Solid:
    hull = block((-0.5, -0.5, -0.33), (0.5, 0.5, 0.12), 0.015)
    cabin = block((-0.36, -0.44, 0.12), (0.22, 0.44, 0.47), 0.1)
    roof = block((-0.26, -0.44, 0.47), (0.12, 0.44, 0.5))
    under = block((-0.42, -0.46, -0.5), (0.42, 0.46, -0.33))
    lamps = [block((0.49, y - 0.09, -0.1), (0.5, y + 0.09, 0.02)) for y in (-0.36, 0.36)]
    return [
        ("paint", np.concatenate([hull, roof])), ("glass", cabin), ("dark", under),
        ("light", np.concatenate(lamps)),
    ]  # fmt: skip


def _person() -> Solid:
    body = ball((0.0, 0.0, -0.12), (0.42, 0.5, 0.38))
    return [("paint", body), ("skin", ball((0.0, 0.0, 0.38), (0.26, 0.22, 0.12)))]


def _cycle() -> Solid:
    wheels = [cylinder(0.2, -0.03, 0.03, axis=1, sides=20) + np.array([x, 0.0, -0.3]) for x in (-0.3, 0.3)]
    for wheel in wheels:
        wheel[:, :, 2] = (wheel[:, :, 2] + 0.3) * 0.9 - 0.32
    rider = ball((-0.05, 0.0, 0.18), (0.16, 0.32, 0.2))
    return [
        ("dark", np.concatenate([*wheels, block((-0.3, -0.04, -0.2), (0.3, 0.04, -0.1))])),
        ("paint", rider),
        ("skin", ball((0.05, 0.0, 0.42), (0.07, 0.16, 0.08))),
    ]


_SOLIDS: dict[str, Callable[[], Solid]] = {
    "vehicle": _vehicle,
    "person": _person,
    "cycle": _cycle,
    "disc": lambda: [("paint", ball((0.0, 0.0, 0.0), (0.5, 0.5, 0.5), 12))],
    "head": lambda: [("paint", ball((0.0, 0.0, 0.0), (0.5, 0.5, 0.5), 8))],
    "wheel": lambda: [("paint", cylinder(0.5, -0.5, 0.5, axis=1, sides=24))],
    "limb": lambda: [("paint", ball((0.0, 0.0, 0.0), (0.5, 0.5, 0.5), 6))],
    "light": _box,
}
