"""Rides as recordings: one row a rider a frame, leaning as it leaned, and its limbs where there are any."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swerve.core import attitude
from swerve.core.bodies import Parts
from swerve.core.motion import Motion
from swerve.core.recorder import Recorder
from swerve.core.recording import Recording
from swerve.core.steered import Steerable, SteeredBodies

from .bodies.examine import Manoeuvre
from .bodies.outline import HEIGHT, WIDTH, kind_of
from .bodies.rider import Rider
from .maps.trials import DECIDE
from .steering.follow import Followed
from .steering.herded import Herded
from .steering.seen import Seen

CAR_WIDTH, CAR_HEIGHT = 1.8, 1.4  # [m]
MOST_ROWS = 1_000_000  # in a recording; longer ones keep fewer frames
PARTS_A_RIDER = 64  # identities that are kept for the parts of one rider


def record_frames(
    t: np.ndarray,
    pose: np.ndarray,
    velocity: np.ndarray,
    roll: np.ndarray,
    seen: Seen,
    body: str,
    radius: float,
    meta: dict[str, Any],
    in_full: np.ndarray | None = None,
    contact: np.ndarray | None = None,
) -> Recording:
    """Frames `t` (f,) of riders: `pose` (f, n, 3), `velocity` (f, n, 2) in the world, `roll` (f, n).

    What is `seen` besides goes into columns of its own: a car does not lean, it has a slip. `in_full` (f, n)
    is 1 for those in full physics, `contact` (f, n) for those that touch something.
    """
    frames, n = roll.shape
    rows = roll.size + sum(len(part.parent) for part in seen.parts if part is not None)
    car = body == "car"
    kind = "car" if car else kind_of(body)
    size = (2 * radius, CAR_WIDTH, CAR_HEIGHT) if car else (2 * radius, WIDTH, HEIGHT)
    recorder = Recorder()
    for k in range(0, frames, -(-rows // MOST_ROWS)):
        x, y, yaw = pose[k].T
        columns: dict[str, Any] = {
            "id": np.arange(n),
            "kind": kind,
            "x": x,
            "y": y,
            "yaw": yaw,
            "vx": velocity[k, :, 0],
            "vy": velocity[k, :, 1],
            **dict(zip(("length", "width", "height"), size, strict=True)),
        }
        columns |= {"z": seen.z[k], "roll": roll[k]} | ({} if car else {"roll_angle": roll[k]})
        for name, values in (("steer", seen.steer), ("slip", seen.slip), ("in_full", in_full)):
            if values is not None and not np.isnan(values[k]).all():
                columns[name] = values[k]
        if contact is not None:
            columns["contact"] = contact[k]
        recorder.add(t[k], columns)
        if seen.parts and (limbs := seen.parts[k]) is not None and len(limbs.parent):
            recorder.add(t[k], part_rows(limbs, n))
    return Recording(recorder.recording().columns, meta)


def size_of(body: Steerable) -> dict[str, Any]:
    """What a plan's picture needs of a body: its kind and size."""
    return {"kind": body.kind, "size": body.outline}


def part_rows(limbs: Parts, riders: int) -> dict[str, Any]:
    """Limbs and machines as rows of a frame; ids follow those of the riders."""
    motion = limbs.motion
    count = np.zeros(riders, dtype=np.int64)
    number = np.empty(len(limbs.parent), dtype=np.int64)
    for k, rider in enumerate(limbs.parent):
        number[k] = count[rider]
        count[rider] += 1
    wheel = np.array(["wheel" in name for name in limbs.names])
    turn = attitude.columns(attitude.quaternion(motion.yaw, motion.pitch, motion.roll))
    return {
        "id": riders + PARTS_A_RIDER * limbs.parent + number,
        "kind": np.where(wheel, "wheel", "segment").astype(object),
        **{name: getattr(motion, name) for name in ("x", "y", "z", "vx", "vy", "vz")},
        **turn,
        **dict(zip(("length", "width", "height"), limbs.outline.T, strict=True)),
        "parent": limbs.parent,
        "part": limbs.names,
    }


def record_paths(done: Followed, body: str, radius: float, meta: dict[str, Any]) -> Recording:
    """Riders on their ways; the ways are drawn as lines."""
    lines = [way.line() for way in {way.name: way for way in done.ways}.values()]
    frames = (done.t, done.pose, done.velocity, done.roll, done.seen)
    return record_frames(*frames, body, radius, {**meta, "lines": lines})


def record_herd(done: Herded, body: str, radius: float, meta: dict[str, Any]) -> Recording:
    """Riders of a herd; where some are in full physics and some not, `in_full` says who."""
    frames = (done.frame_times, done.pose, done.velocity, done.roll, done.seen)
    mixed = bool(done.level.any())
    level = done.level.astype(float) if mixed else None
    return record_frames(*frames, body, radius, meta, level, done.contact)


@dataclass
class Film:
    """Frames of a ride, one every 0.1 s, for a recording of its own."""

    frames: list[tuple[Motion, Parts | None]] = field(default_factory=list)

    def note(self, ride: SteeredBodies) -> None:
        self.frames.append((ride.motion(), ride.parts()))

    def recording(self, body: str, radius: float, meta: dict[str, Any]) -> Recording:
        motions, parts = zip(*self.frames, strict=True)

        def column(name: str) -> np.ndarray:
            return np.array([getattr(motion, name) for motion in motions])

        steer, slip = (np.array([m.extra(name, np.nan) for m in motions]) for name in ("steer", "slip"))
        seen = Seen(column("z"), steer, slip, parts)
        pose = np.dstack([column("x"), column("y"), column("yaw")])
        velocity = np.dstack([column("vx"), column("vy")])
        t = DECIDE * np.arange(len(motions))
        return record_frames(t, pose, velocity, column("roll"), seen, body, radius, meta)


def record_manoeuvre(rider: Rider, done: Manoeuvre, meta: dict[str, Any]) -> Recording:
    """A rider that was examined in a turn, with its limbs and machine."""
    x, y, z, vx, vy, yaw, roll, steer = (
        done.column(name)[:, None] for name in ("x", "y", "z", "vx", "vy", "yaw", "roll", "steer")
    )
    seen = Seen(z, -steer, np.full_like(z, np.nan), done.parts)
    t = done.column("t") - done.column("t")[0]
    frames = (t, np.dstack([x, y, yaw]), np.dstack([vx, vy]), roll, seen)
    return record_frames(*frames, rider.name, rider.radius, {**meta, "turn": done.command})
