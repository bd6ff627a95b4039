"""Takes: recorded drives, from which clips are cut.

A take comes from a scripted driver, from arrays, or from a recording that a person at the wheel has made.
It is trimmed at hand-off points, moments at which one clip may follow another: given by hand, or found
where the car drives straight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from swerve.core.clips import Clip, body_velocity
from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary
from swerve.core.recording import Recording

from .car import CONTROLS, FRAME, HEIGHT, LENGTH, MAX_STEER_RATE, WIDTH
from .wheel import check_joins


@dataclass(frozen=True)
class Take:
    """`states` (n+1, 6) x, y, heading, vx, vy, yaw rate; `controls` (n, 3) steer, throttle, brake held during
    each frame, or empty where they are not known; `contact` (n+1,), whether the car touched something.
    """

    name: str
    states: np.ndarray
    controls: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    contact: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    dt: float = FRAME

    def __post_init__(self) -> None:
        states = np.asarray(self.states, dtype=np.float64)
        if states.ndim != 2 or states.shape[1] != 6 or len(states) < 2:
            raise BadInput(f"take {self.name}", states.shape, "states must be (frames + 1, 6)")
        if not np.isfinite(states).all():
            raise BadInput(f"take {self.name}", None, "holds a number that is not finite")
        controls = np.asarray(self.controls, dtype=np.float64)
        if controls.size and controls.shape != (len(states) - 1, 3):
            raise BadInput(f"take {self.name}", controls.shape, f"controls must be ({len(states) - 1}, 3)")
        contact = np.asarray(self.contact, dtype=bool)
        contact = contact if contact.size else np.zeros(len(states), dtype=bool)
        if contact.shape != (len(states),):
            raise BadInput(f"take {self.name}", contact.shape, f"contact must be ({len(states)},)")
        for name, value in (("states", states), ("controls", controls), ("contact", contact)):
            object.__setattr__(self, name, value)

    @property
    def frames(self) -> int:
        return len(self.states) - 1

    @property
    def velocity(self) -> np.ndarray:
        """Forward, leftward and yaw velocity (n+1, 3) in the car's frame."""
        return body_velocity(self.states)

    def clip(self, start: int, stop: int, name: str | None = None) -> Clip:
        """Frames `start` to `stop`, both included."""
        if not 0 <= start < stop <= self.frames:
            raise BadInput(f"take {self.name}", (start, stop), f"piece must lie within 0 and {self.frames}")
        controls = self.controls[start:stop] if self.controls.size else None
        name = name or f"{self.name} [{start}:{stop}]"
        return Clip.from_states(name, self.states[start : stop + 1], self.dt, controls)

    @classmethod
    def from_recording(cls, recording: Recording, body: int | None = None) -> Take:
        """The drive of one body of a recording; by default of the first.

        Columns `yaw_rate`, `steer`, `throttle` and `brake_input` are used where they exist. Without the
        first, yaw rate is the difference of headings; without the others, the take has no controls.
        """
        bodies = {number: columns for number, _, columns in recording.bodies()}
        if not bodies:
            raise BadInput("recording", 0, "holds no body; rows")
        body = min(bodies) if body is None else body
        if body not in bodies:
            raise BadInput("body", body, f"is not in the recording, which holds {sorted(bodies)}")
        rows = bodies[body]
        steps = np.diff(rows["t"])
        if len(steps) == 0 or not np.allclose(steps, steps[0], rtol=0, atol=1e-4) or steps[0] <= 0:
            raise BadInput(f"recording of body {body}", None, "frames must follow each other at equal times")
        dt = FRAME if abs(steps[0] - FRAME) < 1e-4 else float(steps.mean())
        heading = np.unwrap(rows["heading"])
        known = {
            name for name, column in rows.items() if column.dtype != object and np.isfinite(column).all()
        }
        yaw_rate = rows["yaw_rate"] if "yaw_rate" in known else np.gradient(heading, dt)
        columns = [rows["x"], rows["y"], heading, rows["vx"], rows["vy"], yaw_rate]
        controls = np.zeros((0, 0))
        if known.issuperset(CONTROLS):
            controls = np.stack([rows[name] for name in CONTROLS], axis=1)[:-1]
        contact = rows.get("contact", np.zeros(0, dtype=bool))
        name = str(recording.meta.get("scene") or f"body {body}")
        return cls(name, np.stack(columns, axis=1).astype(np.float64), controls, contact, dt)

    def to_recording(
        self, body: int = 0, kind: str = "car", size: tuple[float, float, float] = (LENGTH, WIDTH, HEIGHT)
    ) -> Recording:
        """The take as a recording of one car, with everything `from_recording` reads."""
        extra = {"yaw_rate": self.states[:, 5], "contact": self.contact}
        if self.controls.size:
            held = np.concatenate([self.controls, self.controls[-1:]])
            extra |= dict(zip(CONTROLS, held.T, strict=True))
            extra["brake"] = held[:, 2] > 0
        return Recording.planar(
            np.arange(len(self.states)) * self.dt,
            body,
            kind,
            self.states[:, :3],
            self.states[:, 3:5],
            size,
            size[2] / 2,
            {"scene": self.name},
            **extra,
        )


def hand_offs(
    take: Take, speeds: Sequence[float] | np.ndarray | None = None, tolerance: float = 0.3
) -> np.ndarray:
    """Frames at which the car drives straight: |v| + |ω| below `tolerance`, and with `speeds` [m/s] given,
    |v| + |ω| + |u − nearest speed| below it. Of a run of such frames the best one. There the wheel, where it
    is known, is so near to straight ahead that it gets to that of any other such moment within a frame.
    """
    u, v, yaw = take.velocity.T
    miss = np.abs(v) + np.abs(yaw)
    if speeds is not None:
        miss = miss + np.abs(u[:, None] - np.asarray(speeds, dtype=np.float64)).min(axis=1)
    miss[take.contact] = np.inf
    if take.controls.size:
        turned = np.abs(take.controls[:, 0]) > MAX_STEER_RATE * take.dt / 2
        miss[:-1][turned] = miss[1:][turned] = np.inf
    inside = miss < tolerance
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]])))
    runs = edges.reshape(-1, 2)
    return np.array([start + int(miss[start:stop].argmin()) for start, stop in runs], dtype=np.int64)


def cut(take: Take, at: Iterable[int] | np.ndarray) -> list[Clip]:
    """The clips between consecutive frames `at`; pieces in which the car touched something are left out."""
    marks = sorted({int(frame) for frame in at})
    if marks and not 0 <= marks[0] <= marks[-1] <= take.frames:
        raise BadInput(f"take {take.name}", marks, f"hand-off points must lie within 0 and {take.frames}")
    return [take.clip(a, b) for a, b in pairwise(marks) if not take.contact[a : b + 1].any()]


def tree_of_takes(
    takes: Sequence[Take], speeds: dict[str, float], tolerance: float = 0.3, name: str = "takes"
) -> MotionLibrary:
    """A move tree whose nodes are straight driving at `speeds`; its clips are the pieces of the takes from
    one such moment to the next.
    """
    values = np.array(list(speeds.values()))
    clips = [c for take in takes for c in cut(take, hand_offs(take, values, tolerance))]
    if not clips:
        raise BadInput(name, None, f"no take drives straight at one of {values.tolist()} m/s twice")

    def node(clip: Clip, frame: int) -> int:
        return int(np.abs(values - clip.velocity[frame, 0]).argmin())

    source = np.array([node(clip, 0) for clip in clips])
    target = np.array([node(clip, -1) for clip in clips])
    velocity = np.stack([values, 0 * values, 0 * values], axis=1)
    meta = {"kind": "move tree", "speeds_continuous": True}
    return MotionLibrary(name, tuple(clips), source, target, tuple(speeds), velocity, meta)


def fitting(tree: MotionLibrary, velocity: np.ndarray) -> tuple[int, float]:
    """The node whose velocity is nearest to this one of a clip's end, and how far off: |Δu| + |Δv| + |Δω|."""
    miss = np.abs(tree.node_velocity - velocity).sum(axis=1)
    node = int(miss.argmin())
    return node, float(miss[node])


def with_clip(
    tree: MotionLibrary, clip: Clip, tolerance: float = 0.3, name: str | None = None
) -> MotionLibrary:
    """The tree and one clip more, between the nodes that its ends fit to within `tolerance`."""
    if abs(clip.dt - tree.dt) > 1e-9:
        raise BadInput(f"clip {clip.name}", clip.dt, f"must have the tree's frames of {tree.dt:g} s")
    (source, before), (target, after) = fitting(tree, clip.velocity[0]), fitting(tree, clip.velocity[-1])
    for end, miss, node in (("start", before, source), ("end", after, target)):
        if miss > tolerance:
            near = f"is {miss:.2f} from {tree.node_names[node]}, the nearest; at most {tolerance:g} fits"
            raise BadInput(f"clip {clip.name}, its {end}", None, near)
    check_joins(tree, clip, source, target)
    exact = max(before, after) < 1e-6 and bool(tree.meta.get("speeds_continuous"))
    return MotionLibrary(
        name or tree.name,
        (*tree.clips, clip),
        np.append(tree.source, source),
        np.append(tree.target, target),
        tree.node_names,
        tree.node_velocity,
        {**tree.meta, "speeds_continuous": exact},
    )
