"""A course: the line that a car is going to drive on a track, at which speeds, and how it is held there.

The line is the least bent one between the edges, as far from them as the car's slip in each bend needs, or
one that is given, if that is quicker; its speeds are those that the car holds (`pace`). Then the whole course
is rehearsed with the car's own physics, and mended until nothing is touched: where the rehearsal comes too
close to a wall, the line moves away and the car goes slower. A road that can be driven at all is driven.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.ndimage import minimum_filter1d

from swerve.core.geometry import outlines
from swerve.core.way import Way

from .bound import at_rest, fitting_line, yardstick
from .car import FRAME, LENGTH, WIDTH, CarParameters
from .drawn_line import Line, given_line, least_bent
from .line_hold import Hold, hold, locate, rehearse
from .pace import Limits, cornering, limits, speeds_along
from .touch import leaving
from .track import Track

MARGIN = 0.25  # [m] kept from the walls
SPEED_USED = 0.97  # share of the side force and the brakes that is planned with
# shares of that side force and those brakes that are tried out, the surest first: a car that slides into a
# corner loses more speed than its brakes take, and holds more than a steady turn for a moment
PUSHES = ((1.0, 1.0), (1.2, 2.2), (1.3, 2.2), (1.4, 3.0))
MENDS = 40  # rehearsals at most of the first of them
PUSHED = 10  # of each of the others
HOPE = 0.1  # share by which a rehearsal may be slower than the best so far and still be mended
LESS = 0.93  # of the speed, where a rehearsal touched
LONGEST = 3600.0  # [s] of a rehearsal
ALONG = np.radians(60.0)  # from the road or a line within which a car faces along it
OTHER_WAY = 20.0  # [m] by which a line may be further off that leads where the car points
BEFORE, BEHIND = 25.0, 6.0  # [m] around a touch that are driven slower


@dataclass(frozen=True)
class Course:
    """`way` from the start to behind the finish, with speeds; `hold` tells how to drive it; `index` (m,)
    where its points are among those of the track; `bound` [s] the quasi-steady bound of a flying lap of a
    closed track, of the whole of an open one (`bound.bound_of`).

    Of the rehearsal: `states` (n + 1, 6), `controls` (n, 3), `points` (n + 1,) of the way, and in which
    frames (n + 1,) the car was `close` to a wall, `touches` of them.
    """

    track: Track
    parameters: CarParameters
    way: Way
    hold: Hold
    index: np.ndarray
    bound: float
    states: np.ndarray
    controls: np.ndarray
    points: np.ndarray
    touches: int
    close: np.ndarray
    seconds: float  # to the finish; infinite where the rehearsal did not get there
    line: str = "own"  # or "given"
    tried: dict[str, float] = field(default_factory=dict)  # [s] of rehearsals, by line

    @property
    def along(self) -> np.ndarray:
        """Progress (m,) [m] of the points of the way, within a lap."""
        known = np.append(self.track.s, self.track.length)
        return np.interp(self.index, np.arange(len(known)), known)

    def point_at(self, progress: float) -> float:
        """The point of the way `progress` metres along the track, laps counted; the last but one at most."""
        along = self.along
        if self.track.closed:
            along = np.unwrap(along, period=self.track.length)
            along = along - self.track.length * np.round(along[0] / self.track.length)
        return min(float(np.searchsorted(along, progress)), len(along) - 2.0)

    def better_than(self, other: Course) -> bool:
        return (self.touches, self.seconds) < (other.touches, other.seconds)


@dataclass(frozen=True)
class _Task:
    """What a course is planned for; `power` is that of its lines (`least_bend`), `given` (n,) one of them."""

    track: Track
    car: CarParameters
    state: np.ndarray
    laps: int
    margin: float
    caution: float
    calm: float
    bound: float
    power: float
    given: np.ndarray | None = None


def plan_course(
    track: Track,
    parameters: CarParameters | None = None,
    start: np.ndarray | None = None,
    laps: int = 1,
    margin: float = MARGIN,
    caution: float = 0.0,
    line: np.ndarray | None = None,
    mends: int = MENDS,
    calm: float = 1.0,
) -> Course:
    """The course from `start`, a state (6,), by default at rest at the beginning of the track.

    `caution` is the share of the car's grip and brakes that is not counted on; hands are `calm` times as
    slow. Of a `line` (k, 2) from elsewhere and the least bent one the quicker is taken, as rehearsed.
    """
    car = parameters or CarParameters()
    state = at_rest(track) if start is None else np.asarray(start, dtype=np.float64)
    bound, power = yardstick(track, car, state, line)
    task = _Task(track, car, state, laps, margin, caution, calm, bound, power)
    courses = {"own": _quickest(task, mends)}
    if line is not None:
        courses["given"] = _quickest(replace(task, given=given_line(line, track)), mends)
    name, best = "own", courses["own"]
    if line is not None and courses["given"].better_than(best):
        name, best = "given", courses["given"]
    return replace(best, line=name, tried={name: course.seconds for name, course in courses.items()})


def _quickest(task: _Task, mends: int) -> Course:
    """The quickest course along one line, pushed as hard as it touches nothing."""
    used = limits(task.car).slower(SPEED_USED * (1.0 - task.caution))
    drawn, out = fitting_line(task.track, task.car, used, task.margin, task.given, task.power)
    best: Course | None = None
    for side, brake in PUSHES if task.caution == 0.0 else PUSHES[:1]:
        pushed = replace(used, lateral=side * used.lateral, brake=brake * used.brake)
        tries = max(1, mends) if best is None or best.touches else PUSHED
        for course in _mended(task, drawn, pushed, out):
            tries -= 1
            if best is None or course.better_than(best):
                best = course
            if tries == 0 or (best.touches == 0 and course.seconds > (1.0 + HOPE) * best.seconds - 1e-9):
                break
    assert best is not None
    return best


def _mended(task: _Task, line: Line, used: Limits, keep: np.ndarray) -> Iterator[Course]:
    """One rehearsal after the other, each mended where the last one touched, until one touches nothing."""
    ease, out = np.ones(len(task.track.centre)), keep.copy()
    while True:
        course = _made(task, line, used, ease)
        yield course
        if course.touches == 0:
            return
        _mend(course, out, ease, task.margin)
        line = least_bent(task.track, out, task.given, task.power)


def _made(task: _Task, line: Line, used: Limits, ease: np.ndarray) -> Course:
    """The course on a line, rehearsed."""
    track, car, state, laps, margin = task.track, task.car, task.state, task.laps, task.margin
    m = len(line.points)
    first = _beside(line, state)
    count = laps * m + 80 if track.closed else m - first
    rows = (first + np.arange(count)) % m
    index = line.index[rows]
    n = len(track.centre)
    points = line.points[rows]
    known = [*track.centre.T, *track.normal.T, track.right, track.left, minimum_filter1d(ease, 3)]
    period = n if track.closed else None
    beside = np.column_stack([np.interp(index, np.arange(n), values, period=period) for values in known])
    offset = ((points - beside[:, :2]) * beside[:, 2:4]).sum(axis=1)
    keep = WIDTH / 2 + 2 * margin
    right, left = np.maximum(0.0, beside[:, 4] + offset - keep), np.maximum(0.0, beside[:, 5] - offset - keep)
    way = Way(points, right, left, np.zeros(count), False, track.name)
    spacing = way.length / (count - 1)
    start = float(np.hypot(*state[3:5]))
    top = cornering(np.abs(way.curvature), used) * beside[:, 6]
    speed = speeds_along(way.curvature, spacing, used, False, start, top)
    way = replace(way, speed=speed)
    held = hold(way, car, task.calm)
    states, controls, at = rehearsal(held, state, car)
    close = leaving(track, states[:, :3], margin)
    over = np.flatnonzero(progress_of(track, states) >= laps * track.finish)
    seconds = np.inf
    if len(over):
        close[over[0] + 1 :] = False
        seconds = float(over[0] * FRAME)
    return Course(
        track, car, way, held, index, task.bound, states, controls, at, int(close.sum()), close, seconds
    )


def _beside(line: Line, state: np.ndarray) -> int:
    """The point of a line nearest to a car (6,), of those that lead where it points."""
    ahead = np.roll(line.points, -1, axis=0) - np.roll(line.points, 1, axis=0)
    along = ahead @ [np.cos(state[2]), np.sin(state[2])] >= np.cos(ALONG) * np.hypot(*ahead.T)
    apart = np.hypot(*(line.points - state[:2]).T)
    return int(np.argmin(np.where(along, apart, apart + OTHER_WAY)))


def progress_of(track: Track, states: np.ndarray) -> np.ndarray:
    """Metres along the track (n,), laps counted from the first state (n, 6) on, which is within half a lap of
    the beginning.
    """
    along = track.progress_in_turn(states[:, :2])[0]
    if not track.closed:
        return along
    along = np.unwrap(along, period=track.length)
    return along - track.length * np.round(along[0] / track.length)


def rehearsal(held: Hold, state: np.ndarray, car: CarParameters) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """States (n + 1, 6), controls (n, 3) and points (n + 1,) of a drive along a whole line."""
    most = int(LONGEST / FRAME)
    states, controls, points = np.empty((most + 1, 6)), np.empty((most, 3)), np.empty(most + 1)
    at, aside = locate(state[0], state[1], held.table, 0.0)
    table, slow = held.table, held.slow
    driven = rehearse(state, 0.0, at, aside, 0.0, 1.0, table, slow, car.packed(), states, controls, points)
    return states[: driven + 1].copy(), controls[:driven].copy(), points[: driven + 1].copy()


def _mend(course: Course, out: np.ndarray, ease: np.ndarray, margin: float) -> None:
    """Where the rehearsal touched, keep further from that side and go slower; in place."""
    track = course.track
    n = len(track.centre)
    frames = np.flatnonzero(course.close)
    corners = outlines(course.states[frames, :3], LENGTH + 2 * margin, WIDTH + 2 * margin)
    along = np.repeat(track.progress_in_turn(course.states[:, :2])[0][frames], 4)
    station, offset = track.progress(corners.reshape(-1, 2), along)
    k = np.clip((station / (track.s[1] - track.s[0])).round().astype(int), 0, n - 1)
    beyond = np.stack([-offset - track.right[k], offset - track.left[k]], axis=-1).reshape(len(frames), 4, 2)
    beyond = beyond.max(axis=1)
    middle = np.round(
        course.index[np.minimum(course.points[frames].astype(int), len(course.index) - 1)]
    ).astype(int)
    spacing = track.s[1] - track.s[0]
    before, behind = round(BEFORE / spacing), round(BEHIND / spacing)
    slow, away = np.zeros(n, bool), np.zeros((n, 2))
    for at, over in zip(middle, beyond, strict=True):
        near = np.arange(at - before, at + behind + 1)
        near = near % n if track.closed else near[(near >= 0) & (near < n)]
        slow[near] = True
        near = np.arange(at - 4, at + 5)
        near = near % n if track.closed else near[(near >= 0) & (near < n)]
        away[near] = np.maximum(away[near], np.clip(over, 0.0, 1.0)[None])
    ease[slow] *= LESS
    out += np.where(away > 0.0, away * 0.7 + 0.05, 0.0)
