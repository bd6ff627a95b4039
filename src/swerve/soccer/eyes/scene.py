"""What is on the field at one moment, and under which light cameras look at it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from .pattern import BALL_RADIUS, ROBOT_RADIUS
from .pitch import Pitch

FASTEST_ROBOT, FASTEST_SPIN, FASTEST_BALL = 3.0, 6.0, 6.0  # [m/s], [rad/s], [m/s] of random scenes
BLANK, ORANGE, YELLOW, BLUE, PINK, GREEN, CARPET, WHITE, DARK = range(9)
DRIFTS = ("both", "lamps", "paints")
COLOURS = ("nothing", "orange", "yellow", "blue", "pink", "green", "carpet", "white", "dark")
MARKERS = (ORANGE, YELLOW, BLUE, PINK, GREEN)
PAINTS = np.array(  # share of red, green and blue light that they throw back
    [
        [0.20, 0.20, 0.22],  # what lies outside the carpet
        [0.95, 0.38, 0.08],
        [0.95, 0.85, 0.12],
        [0.08, 0.28, 0.85],
        [0.95, 0.22, 0.72],
        [0.32, 0.95, 0.30],
        [0.15, 0.38, 0.19],
        [0.88, 0.88, 0.85],
        [0.06, 0.06, 0.07],
    ]
)


@dataclass(frozen=True)
class Scene:
    """Robots (n, …) with `pose` x, y, heading, `velocity` per second, `team` 0 blue or 1 yellow and `number`;
    `ball` and its velocity (3,), None where there is none. Metres, at the middle of the exposure."""

    pose: np.ndarray
    velocity: np.ndarray
    team: np.ndarray
    number: np.ndarray
    ball: np.ndarray | None = None
    ball_velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class Disturbance:
    """What makes seeing hard. Shares are of full brightness; 0 everywhere is a perfect camera."""

    noise: float = 2.5  # [levels of 255] of the darkest pixel; twice that in the brightest
    exposure: float = 0.005  # [s] during which bodies move on
    uneven: float = 0.15  # how much light falls off between lamps
    vignette: float = 0.30  # how much is lost in the corners of a picture
    flicker: float = 0.03  # of all light from frame to frame
    drift: float = 0.08  # of each channel of each paint at most
    drift_of: str = "both"  # whose: 0.7 of it the lamps', 0.3 the paints', or all of it `lamps` or `paints`
    shadow: float = 0.4  # of the carpet's light that a robot takes where no lamp shines past it
    glare: float = 0.25  # that the carpet throws back like a mirror, in the worst spot of a picture
    blur: float = 1.4  # [pixels] that light of a point spreads over

    def scaled(self, factor: float) -> Disturbance:
        """All of them that many times as strong; the lens stays the same."""
        names = ("noise", "exposure", "uneven", "vignette", "flicker", "drift", "glare")
        values = {name: factor * getattr(self, name) for name in names}
        return replace(self, **values, shadow=min(factor * self.shadow, 1.0))


@dataclass(frozen=True)
class Light:
    """The light of one frame: `gains` (9, 3) on each channel of each paint."""

    gains: np.ndarray


def light_of(disturbance: Disturbance, random: np.random.Generator) -> Light:
    """One frame's: the lamps' colour and every paint's own are off by up to `drift` together; what is off
    alone is so by the whole of it, up or down, channel by channel."""
    if disturbance.drift_of == "both":
        off = random.uniform(-0.7, 0.7, 3) + random.uniform(-0.3, 0.3, (len(PAINTS), 3))
    else:
        rows = len(PAINTS) if disturbance.drift_of == "paints" else 1
        off = random.choice([-1.0, 1.0], (rows, 3)) + np.zeros((len(PAINTS), 3))
    flicker = 1 + disturbance.flicker * random.uniform(-1, 1)
    return Light(flicker * (1 + disturbance.drift * off))


def random_scene(
    pitch: Pitch, random: np.random.Generator, robots: int = 6, numbers: int = 16, hidden: float = 0.1
) -> Scene:
    """Robots anywhere, in clusters now and then, each number at most once a team. The ball lies anywhere,
    with a chance of `hidden` close beside a robot, where some cameras cannot see it."""
    half = np.array([pitch.length, pitch.width]) / 2
    places: list[np.ndarray] = []
    while len(places) < 2 * robots:
        near = bool(places) and random.random() < 0.4
        if near:
            away, turn = 2 * ROBOT_RADIUS + random.exponential(0.03), random.uniform(0, 2 * np.pi)
            try_it = places[random.integers(len(places))] + away * np.array([np.cos(turn), np.sin(turn)])
        else:
            try_it = random.uniform(-half, half)
        inside = (np.abs(try_it) <= half).all()
        if inside and all(np.hypot(*(try_it - other)) >= 2 * ROBOT_RADIUS for other in places):
            places.append(try_it)
    n = 2 * robots
    heading = random.uniform(-np.pi, np.pi, n)
    speed, way = FASTEST_ROBOT * random.random(n) ** 2, random.uniform(-np.pi, np.pi, n)
    velocity = np.column_stack(
        [speed * np.cos(way), speed * np.sin(way), FASTEST_SPIN * random.uniform(-1, 1, n)]
    )
    number = np.concatenate([random.permutation(numbers)[:robots] for _ in range(2)])
    ball, ball_velocity = random_ball(half, np.array(places), random, hidden)
    return Scene(
        np.column_stack([places, heading]), velocity, np.repeat([0, 1], robots), number, ball, ball_velocity
    )


def random_ball(
    half: np.ndarray, robots: np.ndarray, random: np.random.Generator, hidden: float
) -> tuple[np.ndarray, np.ndarray]:
    """A ball outside every robot."""
    while True:
        if random.random() < hidden:
            turn, away = random.uniform(-np.pi, np.pi), ROBOT_RADIUS + BALL_RADIUS + random.uniform(0, 0.03)
            place = robots[random.integers(len(robots))] + away * np.array([np.cos(turn), np.sin(turn)])
        else:
            place = random.uniform(-half, half)
        if np.hypot(*(robots - place).T).min() >= ROBOT_RADIUS + BALL_RADIUS - 1e-9:
            break
    speed, way = FASTEST_BALL * random.random() ** 2, random.uniform(-np.pi, np.pi)
    return np.append(place, BALL_RADIUS), speed * np.array([np.cos(way), np.sin(way), 0.0])
