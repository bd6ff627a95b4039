"""What was driven: states, controls and times of a drive, as a plan and as figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swerve.core.geometry import wrap
from swerve.core.library import MotionLibrary
from swerve.core.plan import Plan, Status

from .car import CONTROL_UNITS, CONTROLS, FRAME, HEIGHT, LENGTH, STATE
from .course import progress_of
from .moves import outline_of
from .track import Track
from .traffic import Traffic

SKID = np.radians(15.0)  # sideslip that counts as a skid
CALM = np.radians(1.0)  # of steering that turns back is no reversal
SECTORS = 3  # of a lap, or of an open track


@dataclass
class Drive:
    """What happened: states (n, 6) a frame, controls (n − 1, 3), the clips that were played, and times."""

    track: Track
    tree: MotionLibrary
    traffic: Traffic
    states: np.ndarray
    controls: np.ndarray
    clips: np.ndarray
    finished: bool
    crashed: bool
    seconds: float  # to the finish line, or as long as it lasted
    plan_ms: np.ndarray
    nodes_kept: int
    nodes_expanded: int
    nodes_generated: int
    bound: float | None = None  # [s] quasi-steady, where a course was driven
    deviation: float = 0.0  # [m] furthest beside where the car meant to be on its line
    line: str | None = None  # "own" or "given", where a line was driven
    tried: dict[str, float] = field(default_factory=dict)  # [s] of its rehearsals, by line

    @property
    def driver(self) -> str:
        """The tree whose clips were played, or `line`."""
        return self.tree.name if self.line is None else "line"

    def plan(self) -> Plan:
        """The motion that was chosen, with the driver's inputs where the tree's clips have them."""
        status = Status.SOLVED if self.finished else Status.STUCK if self.crashed else Status.LIMIT
        times = self.tree.dt * np.arange(len(self.states))
        length, width = outline_of(self.tree)
        meta = {
            "wing": "race",
            "scene": self.track.name,
            "kind": "car",
            "size": (length, width, HEIGHT),
            "units": CONTROL_UNITS,
        }
        return Plan(
            status, times, self.states, STATE, self.controls, CONTROLS, self.seconds, self.figures(), meta
        )

    def figures(self) -> dict[str, Any]:
        """The numbers that describe the drive."""
        ms = self.plan_ms if len(self.plan_ms) else np.zeros(1)
        return {
            "finished": self.finished,
            "crashed": self.crashed,
            "time": self.seconds,
            "frames": len(self.states) - 1,
            "nodes_expanded": self.nodes_expanded,
            "nodes_generated": self.nodes_generated,
            "nodes_kept": self.nodes_kept,
            "replans": len(self.plan_ms),
            "plan_ms_p50": float(np.percentile(ms, 50)),
            "plan_ms_p99": float(np.percentile(ms, 99)),
            **motion_figures(self.states, self.tree.dt),
        }

    @property
    def from_the_line(self) -> bool:
        """Whether the first lap is a whole one; the only one of an open track is."""
        return not self.track.closed or float(progress_of(self.track, self.states[:1])[0]) < LENGTH

    @property
    def steered(self) -> bool:
        """Whether what was driven has a wheel, and it is known how it was turned."""
        told = len(self.clips) == 0 or any(clip.controls.size for clip in self.tree.clips)
        return told and "outline" not in self.tree.meta

    def lap_figures(self, laps: int = 1) -> dict[str, Any]:
        """What a driver's trainer asks for: times of laps and sectors, and how calm the hands were."""
        along = progress_of(self.track, self.states)
        goal = self.track.finish * (laps if self.track.closed else 1)
        marks = along[0] + (goal - along[0]) * np.arange(1, SECTORS * laps + 1) / (SECTORS * laps)
        if self.track.closed:
            marks = self.track.finish * np.arange(1, SECTORS * laps + 1) / SECTORS
            marks = marks[marks > along[0]]
        passed = [self.tree.dt * float(np.argmax(along >= m)) for m in marks if (along >= m).any()]
        splits = np.diff([0.0, *passed]).round(6).tolist()
        begun = splits if self.from_the_line else splits[len(marks) % SECTORS or SECTORS :]
        return {
            "sectors": splits,
            "lap_seconds": [sum(lap) for lap in zip(*[iter(begun)] * SECTORS, strict=False)],
            **(steering_figures(self.controls, self.tree.dt) if self.steered else NO_WHEEL),
        }


NO_WHEEL = {"steer_rate_max": None, "steer_reversals_per_second": None}


def steering_figures(controls: np.ndarray, dt: float = FRAME) -> dict[str, float]:
    """Of controls (n, 3): how fast the wheel turned at most [rad/s], seams included, and how often a second
    it turned back by more than `CALM`.
    """
    if len(controls) < 2:
        return {"steer_rate_max": 0.0, "steer_reversals_per_second": 0.0}
    steer = controls[:, 0]
    turns, way, last = 0, 0.0, steer[0]
    for angle in steer[1:]:
        if abs(angle - last) < CALM and way * (angle - last) <= 0.0:
            continue
        turns += way * (angle - last) < 0.0
        way, last = angle - last, angle
    return {
        "steer_rate_max": float(np.abs(np.diff(steer)).max() / dt),
        "steer_reversals_per_second": turns / (len(steer) * dt),
    }


def motion_figures(states: np.ndarray, dt: float = FRAME) -> dict[str, float]:
    """Way, top speed and sliding of a car's states (n, 6), `dt` seconds apart."""
    slip = sideslip(states)
    return {
        "distance": float(np.hypot(*np.diff(states[:, :2], axis=0).T).sum()),
        "max_speed": float(np.hypot(states[:, 3], states[:, 4]).max()),
        "max_sideslip_deg": float(np.degrees(slip.max())),
        "skid_seconds": float((slip > SKID).sum() * dt),
    }


def sideslip(states: np.ndarray) -> np.ndarray:
    """Angle (n,) between where the car points and where it goes [rad], 0 at walking pace."""
    course = np.arctan2(states[:, 4], states[:, 3])
    slip = np.abs(wrap(course - states[:, 2]))
    slow = np.hypot(states[:, 3], states[:, 4]) < 3.0
    return np.where(slow, 0.0, slip)
