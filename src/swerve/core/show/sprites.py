"""How bodies look from above, as polygons in the body's own frame: x ahead, y left, metres."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .figures import INK
from .frames import BRAKE, EMERGENCY, LEFT, RIGHT
from .view import Body

RED, AMBER, BLUE = "#ff1f2e", "#ff9d00", "#1f6bff"  # brake lights, indicators, emergency lights

_SHARE = {"person": 0.6, "disc": 0.6, "cycle": 0.8}  # of the least size, for what is small beside a car


@dataclass(frozen=True)
class Part:
    """Polygons of one colour: `outlines` (n, v, 2) belong to `bodies` (n,), indices into the view.

    A part with `when` is shown only while one of those flags is set.
    """

    bodies: np.ndarray
    outlines: np.ndarray
    fill: str
    edge: str = ""
    alpha: float = 1.0
    when: int = 0


def sprites(bodies: Sequence[Body], least: float = 0.0) -> list[Part]:
    """Everything to paint for these bodies, from the ground up; small ones grow to `least` metres."""
    parts: list[Part] = []
    grown = [max(1.0, least * _SHARE.get(body.shape, 1.0) / max(body.length, body.width)) for body in bodies]

    def add(
        wanted: Sequence[str], outline: Callable[[Body], np.ndarray], fill: str = "", **style: object
    ) -> None:
        """One part for each colour among the bodies of the wanted shapes."""
        chosen = [i for i, body in enumerate(bodies) if body.shape in wanted]
        for colour in dict.fromkeys(fill or bodies[i].colour for i in chosen):
            mine = [i for i in chosen if (fill or bodies[i].colour) == colour]
            outlines = np.array([outline(bodies[i]) * grown[i] for i in mine])
            parts.append(Part(np.array(mine), outlines, colour, **style))  # type: ignore[arg-type]

    driving = ("vehicle", "box")
    add(("block",), lambda b: rounded(b.length, b.width, 0.06), edge=INK)
    add(("cube",), lambda b: rounded(b.length, b.width, 0.12), edge=INK)
    add(driving, lambda b: rounded(b.length, b.width, 0.24), edge=INK)
    add(("vehicle",), lambda b: _pane(b, 0.26, 0.43, 0.12, 0.35), fill=INK, alpha=0.72)
    add(("vehicle",), lambda b: _pane(b, -0.28, 0.34, -0.36, 0.40), fill=INK, alpha=0.5)
    add(
        ("box",),
        lambda b: b.length * np.array([[0.42, 0], [0.16, -0.3], [0.16, 0.3], [0.42, 0]]),
        fill="#ffffff",
    )
    add(("cycle",), lambda b: rounded(b.length, 0.14 * b.width, 0.4), fill=INK)
    add(("cycle",), lambda b: ellipse(0.36 * b.length, 0.84 * b.width, -0.05 * b.length))
    add(("person",), lambda b: ellipse(0.62 * max(b.length, b.width), max(b.length, b.width)), edge=INK)
    add(("disc",), lambda b: ellipse(b.length, b.length), edge=INK)
    for side in (-1, 1):
        add(driving, partial(_lamp, x=-0.49, y=0.32 * side, length=0.05, width=0.28), fill=RED, when=BRAKE)
        for x in (0.42, -0.44):
            corner = partial(_lamp, x=x, y=0.46 * side, length=0.08, width=0.2)
            add(driving, corner, fill=AMBER, when=LEFT if side > 0 else RIGHT)
        add(driving, partial(_lamp, x=0, y=0.22 * side, length=0.08, width=0.3), fill=BLUE, when=EMERGENCY)
    return parts


def rounded(length: float, width: float, share: float) -> np.ndarray:
    """A closed box with corners rounded by a share of its shorter side; (21, 2)."""
    radius = share * min(length, width)
    turn = np.linspace(0, np.pi / 2, 5)
    corners = [
        np.column_stack([np.cos(turn + quarter), np.sin(turn + quarter)]) * radius
        + np.array([sx * (length / 2 - radius), sy * (width / 2 - radius)])
        for quarter, sx, sy in ((0, 1, 1), (np.pi / 2, -1, 1), (np.pi, -1, -1), (1.5 * np.pi, 1, -1))
    ]
    return np.vstack([*corners, corners[0][:1]])


def ellipse(length: float, width: float, ahead: float = 0.0) -> np.ndarray:
    """(25, 2), closed."""
    turn = np.linspace(0, 2 * np.pi, 25)
    return np.column_stack([ahead + np.cos(turn) * length / 2, np.sin(turn) * width / 2])


def _pane(body: Body, front: float, front_half: float, back: float, back_half: float) -> np.ndarray:
    size = np.array([body.length, body.width])
    return size * np.array(
        [
            [front, -front_half],
            [back, -back_half],
            [back, back_half],
            [front, front_half],
            [front, -front_half],
        ]
    )


def _lamp(body: Body, x: float, y: float, length: float, width: float) -> np.ndarray:
    size = np.array([body.length, body.width])
    box = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1], [1, 1]]) * [length / 2, width / 2]
    return size * (box + np.array([x, y]))
