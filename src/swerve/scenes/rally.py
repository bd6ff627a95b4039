"""Rally: the sliding car round a hilly circuit, guided by terrain's line of least time.

    world = build(seed=1)
    while not finished(world):
        world.step()
    figures(world)["lap_time"], figures(world)["lap_time_least_bend"]

The same car with the same driver also drives the line of least bend, in a world of its own. Both lines keep
the same room to the edges, and both have the best speeds of one vehicle, which stands for the car: its limits
lie within what the car did in trials (`race.envelope`), by `MARGIN`. Of those that do, the one is taken
with which the line of least bend is quickest. A lap is a flying one, timed from line to line.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from swerve.core.provenance import provenance
from swerve.core.world import World
from swerve.race import LineDriver
from swerve.race.body import SlidingCar
from swerve.race.car import MAX_DRIVE, MAX_STEER, WIDTH, CarParameters
from swerve.race.envelope import Envelope, measure
from swerve.terrain import Vehicle
from swerve.terrain.lap import Lap

from .rally_course import Course

MARGIN = 0.9  # of what the car can do is asked of it
EDGE = 1.0  # [m] kept between the side of the car and the edge
ROOM = WIDTH + 2 * EDGE  # [m] that a line needs
RUN_UP = 60.0  # [m] before the line, at the speed of the lap
SIDES = np.arange(7.0, 14.1, 0.5)  # [m/s²] of side force that the vehicle may be given
SECONDS = 150.0  # [s] at most
DRAWN, DRAWN_EDGE = 4, 2  # of points, one that is drawn
PIECE = 10  # points of edges along a piece of road


class LapWorld(World):
    """One car that drives a lap on a course; `lap` is what it was told, `driver` who drives it."""

    def __init__(self, seed: int, course: Course, lap: Lap, other: Lap):
        super().__init__(dt=0.1, walls=course.walls, meta=_scenery(seed, course, other))
        self.seed, self.course, self.lap = seed, course, lap
        body = SlidingCar(ground=course.ground)
        way = lap.way("rally line")
        self.driver = LineDriver(way, body)
        begin, _ = way.locate(course.way.place(0.0)[None, :2])
        cars = body.start(1)
        cars.restore(self.driver.rolling(begin - RUN_UP))
        self.add(cars, self.driver, "car", walls=True)
        self.rows: list[tuple[float, ...]] = []  # time, progress, off the line, sideslip, lightness
        self._progress = -RUN_UP

    def step(self) -> None:
        super().step()
        motion, course = self.members[0].motion, self.course
        station, _ = course.way.locate(np.stack([motion.x, motion.y], axis=-1), np.array([self._progress]))
        ahead = float(station[0]) - self._progress
        self._progress += ahead - course.way.length * round(ahead / course.way.length)
        off = float(self.driver.offset[0])
        self.rows.append((self.time, self._progress, off, float(motion.extras["slip"][0]), self._lightness()))

    def lap_time(self) -> float | None:
        """[s] from line to line, both passings interpolated; None before the second."""
        t, s = np.array(self.rows)[:, :2].T if self.rows else np.zeros((2, 1))
        length = self.course.way.length
        if s[-1] < length:
            return None
        begin, end = (_passing(t, s, line) for line in (0.0, length))
        return end - begin

    def _lightness(self) -> float:
        """Share of the car's weight that a crest takes off it: −v²·(bend of the ground along the way)/g."""
        m = self.members[0].motion
        span = 0.5 / max(float(m.speed[0]), 1.0)
        slopes = [self.course.ground(m.x + k * span * m.vx, m.y + k * span * m.vy)[1:] for k in (-1.0, 1.0)]
        rises = [float(gx[0] * m.vx[0] + gy[0] * m.vy[0]) for gx, gy in slopes]
        return -(rises[1] - rises[0]) / (2 * span) / CarParameters().gravity


def build(seed: int = 0) -> World:
    """The circuit of this seed, with a car before the line that is told the line of least time."""
    course, fastest, least_bend = _lines(seed)
    return LapWorld(seed, course, fastest, least_bend)


def finished(world: World) -> bool:
    return isinstance(world, LapWorld) and world.lap_time() is not None


def figures(world: World) -> dict[str, Any]:
    """Lap times [s] driven and predicted, with terrain's line and with that of least bend, and how."""
    assert isinstance(world, LapWorld)
    other = _least_bend_drive(world.seed)
    time, plain = world.lap_time(), other.lap_time()
    return {
        "lap_time": time,
        "lap_time_least_bend": plain,
        "gain": 1.0 - time / plain if time and plain else None,
        "predicted": world.lap.profile.time,
        "predicted_least_bend": other.lap.profile.time,
        "contacts_least_bend": len(other.contacts),
        "length": world.course.way.length,
        "climb": float(np.ptp(world.course.way.z)),
        **_drive(world),
        **{f"{name}_least_bend": value for name, value in _drive(other).items()},
    }


def _drive(world: LapWorld) -> dict[str, float]:
    """How the lap was driven: error from the line, sideslip, lightness over crests."""
    _, _, off, slip, light = np.array(world.rows).T
    return {
        "line_error": float(np.abs(off).mean()),
        "max_line_error": float(np.abs(off).max()),
        "max_sideslip_deg": float(np.degrees(np.abs(slip).max())),
        "crest_lightness": float(light.max()),
    }


@cache
def _lines(seed: int) -> tuple[Course, Lap, Lap]:
    """The course and its lines of least time and of least bend, both with the same vehicle and room."""
    course = Course.drawn(seed)
    trials = measure()
    vehicles = [stand_in(trials, side) for side in SIDES]
    line = course.circuit.least_bend_line(vehicles[0], ROOM).line
    times = [course.circuit.profile(line, vehicle).time for vehicle in vehicles]
    best = vehicles[int(np.argmin(times))]
    return course, course.circuit.fastest_line(best, ROOM), course.circuit.least_bend_line(best, ROOM)


@cache
def _least_bend_drive(seed: int) -> LapWorld:
    """The lap along the line of least bend, driven."""
    course, fastest, least_bend = _lines(seed)
    world = LapWorld(seed, course, least_bend, fastest)
    while not finished(world) and world.time < SECONDS:
        world.step()
    return world


def stand_in(trials: Envelope, side: float, margin: float = MARGIN) -> Vehicle:
    """The vehicle of terrain with `side` [m/s²] of grip that asks of the car no more than `margin` of what it
    did in trials: at every speed the drive is the largest E with which all of

        f ≤ E,   f² + q² ≤ side²

    lies within the side and forward accelerations q, f that were held, shrunk by the margin both ways.
    """
    p = CarParameters()
    q = np.linspace(0.0, side, 200)
    circle = np.sqrt(np.maximum(side**2 - q**2, 0.0))
    curve = []
    for number, speed in enumerate(trials.speed):
        held = np.nan_to_num(trials.drive_at(number, q / margin), nan=-np.inf)
        have = np.maximum(margin * (held + p.drag * speed**2 / p.mass), 0.0)
        # where the circle would ask for more than there is, the drive must not exceed what there is
        curve.append(
            (float(speed), p.mass * float(have[circle > have].min(initial=p.drive_gain * MAX_DRIVE)))
        )
    return Vehicle(
        mass=p.mass,
        engine_force=max(force for _, force in curve),
        brake_force=margin * p.drive_gain * MAX_DRIVE,
        friction=side / p.gravity,
        half_length=0.5 * (p.front_axle + p.rear_axle),
        height_to_half_width=0.0,
        max_steer=MAX_STEER,
        drag=p.drag,
        top_speed=margin * trials.top_speed,
        force_curve=tuple(curve),
        gravity=p.gravity,
    )


def _passing(t: np.ndarray, s: np.ndarray, line: float) -> float:
    k = int(np.argmax(s >= line))
    return float(t[k - 1] + (line - s[k - 1]) / (s[k] - s[k - 1]) * (t[k] - t[k - 1]))


def _scenery(seed: int, course: Course, other: Lap) -> dict[str, Any]:
    """What a recording says of the place: the road and its walls over the hills, and the line that is not
    driven in it."""
    right, left = (_on_hills(course, edge[::DRAWN_EDGE]) for edge in course.track.edges)
    shapes = [("wall", right), ("wall", left), ("path", _on_hills(course, other.line[::DRAWN, :2]))]
    lines = [{"role": role, "points": points.round(2).tolist()} for role, points in shapes]
    pieces = [slice(k, k + PIECE + 1) for k in range(0, len(right) - 1, PIECE)]
    rings = [np.vstack([right[piece], left[piece][::-1]]) for piece in pieces]
    areas = [{"role": "road", "points": ring.round(2).tolist()} for ring in rings]
    return {**provenance("rally", seed), "ego": 0, "areas": areas, "lines": lines}


def _on_hills(course: Course, line: np.ndarray) -> np.ndarray:
    """A closed line (n, 2) with its heights: (n + 1, 3)."""
    ring = np.vstack([line, line[:1]])
    return np.column_stack([ring, course.ground(*ring.T)[0]])
