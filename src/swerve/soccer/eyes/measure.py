"""How well the eyes see, against the truth.

A robot counts where its top lies wholly in some picture, a ball where some camera sees at least half of it
and it is not in the air. What is seen further than 100 mm from every such body of its name is a wrong
identity, or a ball that is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from swerve.core.errors import require
from swerve.core.geometry import wrap
from swerve.core.progress import track
from swerve.core.seeding import generator
from swerve.core.sweep import sweep

from .camera import Camera
from .detect import Detection
from .follow import Following
from .pattern import ROBOT_HEIGHT
from .render import Sheet
from .scene import Disturbance, Scene, light_of, random_scene
from .stand import Look, Rig, Stand, build_stand, look

EDGE = 24.0  # [pixels] from a picture's rim within which a robot's top may be cut
FAR = 0.1  # [m] beyond which it is not the same body
IN_FLIGHT = 0.04  # [m] of height above which a ball is not judged: one camera cannot tell how high it is
FRAMES_A_TASK = 25


@dataclass
class Tally:
    """What was seen over many frames: errors of robots [m], [rad] and of the ball [m], and counts."""

    place: list[float] = field(default_factory=list)
    angle: list[float] = field(default_factory=list)
    ball: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    robots: int = 0
    missed: int = 0
    wrong: int = 0
    balls: int = 0
    balls_missed: int = 0
    false_balls: int = 0
    frames: int = 0

    def add(self, stand: Stand, scene: Scene, seen: Look) -> None:
        """Judge one frame."""
        self.frames += 1
        self.seconds += seen.seconds.tolist()
        tops = np.column_stack([scene.pose[:, :2], np.full(len(scene.pose), ROBOT_HEIGHT)])
        visible = np.zeros(len(tops), dtype=bool)
        for view in stand.views:
            visible |= view.camera.sees(tops, EDGE)
        truth = {(int(t), int(n)): k for k, (t, n) in enumerate(zip(scene.team, scene.number, strict=True))}
        found = set()
        for key, pose in seen.sighting.robots.items():
            k = truth.get(key)
            if k is None or np.hypot(*(pose[:2] - scene.pose[k, :2])) > FAR:
                self.wrong += 1
                continue
            found.add(k)
            if visible[k]:
                self.place.append(float(np.hypot(*(pose[:2] - scene.pose[k, :2]))))
                self.angle.append(abs(float(wrap(pose[2] - scene.pose[k, 2]))))
        self.robots += int(visible.sum())
        self.missed += sum(1 for k in np.flatnonzero(visible) if k not in found)
        self._add_ball(scene, seen)

    def _add_ball(self, scene: Scene, seen: Look) -> None:
        share = np.nanmax(np.append(seen.seen, 0.0))
        at = seen.sighting.ball
        if scene.ball is not None and scene.ball[2] > IN_FLIGHT:
            return
        off = np.inf if at is None or scene.ball is None else float(np.hypot(*(at - scene.ball[:2])))
        if at is not None and off > FAR:
            self.false_balls += 1
        if share >= 0.5:
            self.balls += 1
            if off <= FAR:
                self.ball.append(off)
            else:
                self.balls_missed += 1

    def join(self, others: Iterable[Tally]) -> Tally:
        """Add what others counted."""
        for other in others:
            for name, value in vars(other).items():
                setattr(self, name, getattr(self, name) + value)
        return self

    def figures(self) -> dict[str, object]:
        """What `swerve see` prints. Places are of robots and balls together; `missed` is a share, of both."""
        both = np.array(self.place + self.ball)
        bodies = self.robots + self.balls
        return {
            "frames": self.frames,
            "pictures": len(self.seconds),
            "robots": self.robots,
            "balls": self.balls,
            "position_error_mm": _spread(1000 * both),
            "robot_error_mm": _spread(1000 * np.array(self.place)),
            "ball_error_mm": _spread(1000 * np.array(self.ball)),
            "angle_error_deg": _spread(np.degrees(self.angle)),
            "missed": (self.missed + self.balls_missed) / bodies if bodies else None,
            "missed_robots": self.missed,
            "missed_balls": self.balls_missed,
            "wrong_identity": self.wrong,
            "false_balls": self.false_balls,
            "ms_per_frame": 1000 * float(np.median(self.seconds)) if self.seconds else None,
        }


def _spread(values: np.ndarray) -> dict[str, float] | None:
    if not len(values):
        return None
    median, p99 = np.percentile(values, [50, 99])
    return {"median": float(median), "p99": float(p99), "max": float(np.max(values))}


def look_at(
    stand: Stand,
    scene: Scene,
    disturbance: Disturbance,
    seed: int,
    frame: int,
    sheets: Sequence[Sheet] = (),
) -> Look:
    """One frame under its own light and noise; with `sheets` only what tells of bodies is painted, see
    `look`."""
    random = generator(seed, "eyes frame", frame)
    return look(stand, scene, light_of(disturbance, random), random, sheets)


def synthetic_scene(stand: Stand, seed: int, frame: int, robots: int) -> Scene:
    return random_scene(stand.pitch, generator(seed, "eyes scene", frame), robots)


def synthetic(
    field_name: str,
    frames: int,
    disturbance: Disturbance = Disturbance(),
    seed: int = 0,
    robots: int = 6,
    workers: int | None = None,
    cameras: Rig = (),
) -> Tally:
    """See that many random scenes, through `cameras` or such as hang above such a field; identities from all
    sixteen."""
    starts = list(range(0, frames, FRAMES_A_TASK))
    tasks = [(start, min(start + FRAMES_A_TASK, frames)) for start in starts]
    work = partial(_some_scenes, field_name, disturbance, seed, robots, cameras)
    return Tally().join(sweep(work, tasks, "seeing", workers))


def _some_scenes(
    field_name: str, disturbance: Disturbance, seed: int, robots: int, cameras: Rig, frames: tuple[int, int]
) -> Tally:
    stand, tally = build_stand(field_name, disturbance, seed, cameras), Tally()
    for frame in range(*frames):
        scene = synthetic_scene(stand, seed, frame, robots)
        tally.add(stand, scene, look_at(stand, scene, disturbance, seed, frame))
    return tally


def recorded(
    field_name: str,
    scenes: Sequence[tuple[float, Scene]],
    disturbance: Disturbance = Disturbance(),
    seed: int = 0,
    watch: Callable[[int, float, Sequence[Detection], Sequence[Camera]], None] = lambda *_: None,
    cameras: Rig = (),
) -> tuple[Tally, Tally]:
    """See the scenes of a recording, in order: what the eyes see, and what the tracker behind them believes.
    `watch` is told of every frame, its time, what each camera saw, and the cameras."""
    require(len(scenes) > 0, "recording", len(scenes), "has no frames")
    stand = build_stand(field_name, disturbance, seed, cameras)
    seen, believed = Tally(), Tally()
    following = Following(scenes[0][1])
    for frame, (t, scene) in enumerate(track(scenes, "seeing")):
        now = look_at(stand, scene, disturbance, seed, frame)
        seen.add(stand, scene, now)
        watch(frame, t, now.detections, stand.eyes.cameras)
        believed.add(stand, scene, replace(now, sighting=following.update(t, now.sighting)))
    return seen, believed
