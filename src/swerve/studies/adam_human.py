"""Adam 2007, section 5: a person at the wheel against the planner, on the same road from the same start.

The person's drive is any recording of a car: of the studio's race room, of a simulator, or of a scripted
driver. The planner drives the track from where the recording begins, among the other cars that it holds: they
do what they did then, whoever drives, and the planner sees of them what they have done so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.recording import Recording
from swerve.core.show.figures import ACCENT, INK, ROAD, SECOND, figure, plain_map, scale_bar
from swerve.race import Entry, Setting, Track, drive, load_track, load_tree
from swerve.race.car import FRAME, CarParameters
from swerve.race.course import progress_of
from swerve.race.driven import motion_figures, steering_figures
from swerve.race.takes import Take
from swerve.race.touch import touching
from swerve.race.traffic import FAR, Traffic

from .report import Conclusion, Report

LONGEST = 3600.0  # [s]
PARTS = 6  # of the road, whose times are told


def run(
    out: Path,
    seed: int,
    trials: int | None,
    take: Path | None = None,
    track: str | None = None,
    body: int | None = None,
) -> Report:
    """Compare the recording `take` with the planner on `track`, by default the one that the recording names.
    `body` is the number of the car in it, by default the first; `trials` is of no use here.
    """
    if take is None:
        raise BadInput("--take", None, "names the recording of a person's drive")
    recording = Recording.read(take)
    person = Take.from_recording(recording, body)
    name = track or str(recording.meta.get("scene", ""))
    require(bool(name), "--track", track, "names the track: the recording does not")
    try:
        place = load_track(name)
    except BadInput as error:
        raise (
            error if track else BadInput("--track", name, f"names the file of the road: {error.why}")
        ) from None
    traffic = _traffic(recording, body)
    car = _car(recording.meta)
    planner = "auto" if car is None else "line"
    setting, entry = Setting(cars=0, seconds=LONGEST, planner=planner), Entry(car, start=_start(person))
    if traffic.cars:  # what they will do is known to the planner no more than it was to the person
        setting = replace(
            setting, planner="line", rivals="reacting", seconds=min(LONGEST, 3 * person.dt * person.frames)
        )
    ours = drive(place, load_tree("large"), setting, seed, traffic=traffic, entry=entry)
    crash = np.zeros(len(ours.states), dtype=bool)
    crash[-1] = ours.crashed
    rows = [
        _row("person", place, person.states, person.controls, person.dt, person.contact),
        _row("planner", place, ours.states, ours.controls, ours.tree.dt, crash),
    ]
    theirs, mine = rows
    parts = _parts(place, person, ours.states, ours.tree.dt)
    found = [
        Conclusion(
            "The planner is quicker than a person",
            bool(mine["finished"] and not (theirs["finished"] and theirs["seconds"] <= mine["seconds"])),
            f"{_told(mine)} against {_told(theirs)}",
        ),
        Conclusion(
            "A person touches walls or cars, the planner does not",
            bool(theirs["touches"] > 0 and mine["touches"] == 0),
            f"{theirs['touches']} contacts against {mine['touches']}",
        ),
        Conclusion(
            "A person's control is less smooth", *_smoother(theirs["reversals/s"], mine["reversals/s"])
        ),
    ]
    picture = _picture(out / "adam-human.png", place, person.states, ours.states)
    gained = "; ".join(f"{a:.0f} to {b:.0f} m: {g:+.2f} s" for a, b, g in parts)
    note = f"What the person loses to the planner by stretches of the road: {gained}."
    return Report("adam-human", "A person and the planner", rows, found, [note], [picture])


def _car(meta: Mapping[str, Any]) -> CarParameters | None:
    """The car that was driven, if a recording's `meta` tells and it is not the thesis's."""
    told = meta.get("car")
    names = {item.name for item in fields(CarParameters)}
    if not isinstance(told, dict) or set(told) != names:
        return None
    if not all(isinstance(value, int | float) for value in told.values()):
        raise BadInput("--take, car", told, "must be numbers")
    car = CarParameters(**{name: float(value) for name, value in told.items()})
    return None if car == CarParameters() else car


def _start(person: Take) -> np.ndarray:
    """Where the person set off; a car that rolls slowly is taken to stand."""
    state = person.states[0].copy()
    if np.hypot(*state[3:5]) < 1.0:
        state[3:] = 0.0
    return state


def _traffic(recording: Recording, body: int | None) -> Traffic:
    """The other cars of a recording, frame by frame of ours, far away where it does not hold them."""
    bodies = list(recording.bodies())
    mine = min(number for number, _, _ in bodies) if body is None else body
    others = [rows for number, kind, rows in bodies if number != mine and kind in ("car", "traffic")]
    last = float(recording.times[-1] - recording.times[0])
    t = recording.times[0] + FRAME * np.arange(int(last / FRAME) + 1)
    poses = np.full((len(others), len(t) + 1, 3), FAR)
    for k, rows in enumerate(others):
        there = (t >= rows["t"][0] - 1e-6) & (t <= rows["t"][-1] + 1e-6)
        columns = rows["x"], rows["y"], np.unwrap(rows["heading"])
        known = np.stack([np.interp(t, rows["t"], column) for column in columns], axis=-1)
        poses[k, :-1] = np.where(there[:, None], known, [FAR, FAR, 0.0])
    poses[:, -1, 2] = 0.0  # the recording is over: nobody is in the way any more
    return Traffic(poses)


def _row(
    who: str, track: Track, states: np.ndarray, controls: np.ndarray, dt: float, contact: np.ndarray
) -> dict[str, Any]:
    along = progress_of(track, states)
    over = np.flatnonzero(along >= track.finish)
    last = int(over[0]) if len(over) else len(states) - 1
    states = states[: last + 1]
    touches = touching(states[:, :3], track.walls) | contact[: last + 1]
    hands = steering_figures(controls[:last], dt) if controls.size else {}
    moved = motion_figures(states, dt)
    return {
        "driver": who,
        "finished": bool(len(over)),
        "seconds": last * dt,
        "metres": moved["distance"],
        "top speed": moved["max_speed"],
        "sideslip [°]": moved["max_sideslip_deg"],
        "skids [s]": moved["skid_seconds"],
        "touches": int((np.diff(touches.astype(int)) > 0).sum() + touches[0]),
        "reversals/s": hands.get("steer_reversals_per_second"),
        "steer rate": hands.get("steer_rate_max"),
    }


def _parts(track: Track, person: Take, ours: np.ndarray, dt: float) -> list[tuple[float, float, float]]:
    """Stretches (from, to) [m] that both drove, and the seconds that the person lost in each."""
    theirs, mine = (np.maximum.accumulate(progress_of(track, s)) for s in (person.states, ours))
    end = min(theirs[-1], mine[-1], track.finish)
    marks = np.linspace(max(theirs[0], mine[0]), end, PARTS + 1)
    passed = [np.interp(marks, a, step * np.arange(len(a))) for a, step in ((theirs, person.dt), (mine, dt))]
    lost = np.diff(passed[0]) - np.diff(passed[1])
    return [(float(a), float(b), float(g)) for a, b, g in zip(marks[:-1], marks[1:], lost, strict=True)]


def _smoother(theirs: float | None, mine: float) -> tuple[bool, str]:
    if theirs is None:
        return False, "the recording does not tell the steering"
    return theirs > mine, f"{theirs:.2f} reversals of the wheel a second against {mine:.2f}"


def _told(row: dict[str, Any]) -> str:
    return f"{row['seconds']:.1f} s" if row["finished"] else f"not finished in {row['seconds']:.1f} s"


def _picture(path: Path, track: Track, person: np.ndarray, ours: np.ndarray) -> Path:
    """Both ways over the road, and both speeds along it."""
    with figure(path, (12, 5.5), 1, 2) as (road, speed):
        right, left = track.edges
        if track.closed:
            right, left = np.vstack([right, right[:1]]), np.vstack([left, left[:1]])
        road.fill(*np.vstack([right, left[::-1]]).T, color=ROAD, lw=0)
        for edge in (right, left):
            road.plot(*edge.T, color=INK, lw=0.7)
        for states, colour, name in ((person, ACCENT, "person"), (ours, SECOND, "planner")):
            road.plot(*states[:, :2].T, color=colour, lw=1.4, label=name)
            along = progress_of(track, states)
            speed.plot(along, np.hypot(*states[:, 3:5].T), color=colour, lw=1.4, label=name)
        speed.set_xlabel("along the road [m]")
        speed.set_ylabel("speed [m/s]")
        speed.legend()
        plain_map(road)
        scale_bar(road, 50.0 if track.length < 1500 else 200.0)
    return path
