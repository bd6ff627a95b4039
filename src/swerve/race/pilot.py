"""A pilot: drives one body along a track or a journey, frame by frame, planning at every transition point.

Whoever moves a world asks the pilot once a frame. Between transition points it plays the clip it has
chosen; at the end of a clip it searches anew, with the rest of the last route as a floor: what is driven
never gets worse by thinking again.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from swerve.core.clips import place_poses
from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary
from swerve.core.plan import Status

from .guide import Guide, track_guide
from .journey import Journey
from .moves import outline_of
from .others import Others
from .route import Route, RouteSearch, SearchOptions
from .track import Track
from .traffic import Traffic
from .wheel import check_wheel

GAINED = 0.1  # [m] beyond the furthest place so far that counts as having got on
SHARE = 0.35  # of the stretch that lay ahead; when so much is driven, the next one is made


class Move(NamedTuple):
    """One frame of a clip: what to do from now to the next frame, and where that leads."""

    clip: int
    frame: int  # of the clip, 0 for its first
    controls: np.ndarray  # (c,) held during the frame; empty where the clip has none
    pose: np.ndarray  # (3,) x, y, heading at its end
    velocity: np.ndarray  # (3,) forward, leftward, yaw rate there


class Leg(NamedTuple):
    """From where to where: at `progress` metres along the way with the velocity of `node` (any node of the
    tree; by default at rest) at `pose`, by default on the middle of the way, to `target`, by default the end.
    """

    progress: float = 8.0
    target: float | None = None
    pose: np.ndarray | None = None
    node: int | None = None


FROM_THE_START = Leg()


class Pilot:
    """Chooses for one body of a motion library, one frame of `tree.dt` seconds after the other.

    `way` is a `Track` or a `Journey`; of a journey the pilot sees the stretch ahead and goes on to the next
    by itself.

    >>> from swerve.race import load_track, load_tree
    >>> pilot = Pilot(load_tree("large"), load_track("sharp-cornered"), Leg(30.0, node=2))
    >>> moves = [pilot.choose(frame) for frame in range(50)]
    >>> bool(pilot.progress > 45.0), pilot.foresee(25).shape
    (True, (25, 3))

    What to read afterwards: `pose`, `velocity`, `progress` now; `route` and its `status`, the last plan
    (`Status.STUCK`: every way is blocked, and this is the least bad one); `plan_seconds`, how long it took.
    """

    def __init__(
        self,
        tree: MotionLibrary,
        way: Track | Journey,
        leg: Leg = FROM_THE_START,
        guide: Guide | None = None,
        options: SearchOptions | None = None,
        traffic: Traffic | None = None,
        margin: float = 0.25,
    ):
        check_wheel(tree)
        progress, target, pose, node = leg
        self.tree, self.outline = tree, outline_of(tree)
        self.journey = way if isinstance(way, Journey) else None
        self.begin = 0.0  # [m] station of the journey at which the track in use begins
        track = way
        if isinstance(way, Journey):
            track, self.begin = way.stretch(progress)
            self.made = progress  # [m] station at which that was made
        assert isinstance(track, Track)
        options = options or SearchOptions(nodes=4000, weight=1.1)
        guide = guide if guide is not None else track_guide(tree, track)
        self.search = RouteSearch(tree, track, guide, options, traffic, margin)
        if target is None:
            target = np.inf if track.closed else way.length if isinstance(way, Journey) else track.finish
        self.target = target
        self.place(track.pose(progress - self.begin) if pose is None else pose, node, progress)

    def place(self, pose: np.ndarray, node: int | None = None, progress: float | None = None) -> None:
        """Put the body at `pose` with the velocity of `node`, and forget the plan."""
        self.node = int(np.argmin(self.tree.node_velocity[:, 0])) if node is None else int(node)
        self.pose = np.asarray(pose, dtype=np.float64)
        self.velocity = self.tree.node_velocity[self.node]
        if progress is None:
            progress = float(self.track.progress(self.pose[:2])[0]) + self.begin
        self.progress = self.furthest = float(progress)
        self.tail = np.zeros(0, np.int32)
        self.clip, self.frame, self.poses = -1, 0, self.pose[None]
        self.route: Route | None = None
        self.plan_seconds = 0.0

    @property
    def track(self) -> Track:
        """The road that the pilot sees now."""
        return self.search.track

    @property
    def at_transition(self) -> bool:
        """Whether the next frame begins with a plan."""
        return self.frame == len(self.poses) - 1

    @property
    def status(self) -> Status | None:
        return None if self.route is None else self.route.status

    @property
    def arrived(self) -> bool:
        return self.progress >= self.target

    def choose(self, frame: int = 0, others: Others | None = None) -> Move:
        """The next frame of motion, by a new plan where the current clip is at its end.

        `others` are the bodies to keep clear of, predicted from now on; without them the traffic of the run,
        at its `frame`, counts. The body is then where the move ends.
        """
        if self.at_transition:
            self.plan(frame, others)
        clip = self.tree.clips[self.clip]
        k = self.frame
        controls = clip.controls[k] if len(clip.controls) else np.zeros(0)
        self.frame = k + 1
        self.pose, self.velocity = self.poses[k + 1], clip.velocity[k + 1]
        self.progress = self._advanced()
        return Move(self.clip, k, controls, self.pose, self.velocity)

    def plan(self, frame: int = 0, others: Others | None = None) -> Route:
        """Search from the transition point the body is at, and take up the first clip of the route."""
        began = time.perf_counter()
        if self.clip >= 0:
            self.node = int(self.tree.target[self.clip])
        self._go_on()
        self.route = self._rest_of_a_detour(frame, others) or self._search(frame, others)
        if len(self.route.clips) == 0:
            name = self.tree.node_names[self.node]
            raise BadInput(f"move tree {self.tree.name}", name, "has no clip that leaves node")
        self.plan_seconds = time.perf_counter() - began
        self.clip, self.tail = int(self.route.clips[0]), self.route.clips[1:]
        self.poses, self.frame = place_poses(self.tree.clips[self.clip].pose, self.pose), 0
        self.furthest = max(self.furthest, self.progress)
        return self.route

    def _search(self, frame: int, others: Others | None) -> Route:
        here, target = self.progress - self.begin, self.target - self.begin
        return self.search.search(self.pose, self.node, frame, here, target, self.tail, others)

    def _rest_of_a_detour(self, frame: int, others: Others | None) -> Route | None:
        """The rest of a route that backs up or turns on the spot, as long as it is free.

        Who backs up to go on must go on before thinking again: seen from further back, to back up further
        may look better once more, and for ever.
        """
        if self.route is None or not self.route.status.usable or self.search.moves.wait[self.clip]:
            return None
        if self.progress > self.furthest + GAINED or not len(self.tail):
            return None
        ahead = self.route.ahead - self.tree.clips[self.clip].frames
        rest = replace(self.route, clips=self.tail, kept=0, expanded=0, generated=0, ahead=ahead)
        return rest if self.search.holds(self.pose, self.node, frame, rest, others) else None

    def foresee(self, frames: int) -> np.ndarray:
        """Where the body will be at the end of each of the next frames (frames, 3), as planned so far; beyond
        the plan it goes straight on.
        """
        parts, pose = [self.poses[self.frame + 1 :]], self.poses[-1]
        velocity = self.tree.clips[self.clip].velocity[-1] if self.clip >= 0 else self.velocity
        for k in self.tail:
            parts.append(place_poses(self.tree.clips[k].pose, pose)[1:])
            pose, velocity = parts[-1][-1], self.tree.clips[k].velocity[-1]
        c, s = np.cos(pose[2]), np.sin(pose[2])
        step = self.tree.dt * np.array(
            [c * velocity[0] - s * velocity[1], s * velocity[0] + c * velocity[1], 0]
        )
        parts.append(pose + np.arange(1, frames + 1)[:, None] * step)
        return np.concatenate(parts)[:frames]

    def _advanced(self) -> float:
        along = float(self.track.progress(self.pose[:2])[0])
        if self.track.closed:
            return along + self.track.length * float(np.round((self.progress - along) / self.track.length))
        return along + self.begin

    def _go_on(self) -> None:
        """Make the next stretch of a journey when this one comes to its end."""
        if self.journey is None:
            return
        end = self.begin + self.track.finish
        if end < self.journey.length - 1.0 and self.progress - self.made > SHARE * (end - self.made):
            track, self.begin = self.journey.stretch(self.progress)
            self.made = self.progress
            self.search.move_to(track, track_guide(self.tree, track))
