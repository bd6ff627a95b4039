"""Clips of a person's driving: recorded in the Race room, trimmed, and added to a move tree of the folder."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary
from swerve.core.motion import Motion
from swerve.race.takes import Take, fitting, with_clip

from .room import Message, Outside, number, whole

LEAST, MOST = 5, 1500  # frames of a clip
TOLERANCE = 0.3  # |Δu| + |Δv| + |Δω| to the node at either end, unless the page asks for more
LIFT = 0.5  # [m] that a clip is drawn above the road


class Clips:
    """What the driver did while it was recorded; `tree` is what a clip is held against and added to, if it
    `fits` the car."""

    def __init__(self, tree: MotionLibrary, outside: Outside, fits: bool = True):
        self.tree, self.outside, self.fits = tree, outside, fits
        self.rows: list[np.ndarray] | None = None  # while recording: state, inputs, contact
        self.take: Take | None = None
        self.added: tuple[int, int] | None = None  # what of the take is in the tree already

    def note(self, state: np.ndarray, controls: np.ndarray, touching: bool) -> None:
        """One more frame; `controls` were held until it."""
        if self.rows is None:
            return
        self.rows.append(np.concatenate([state, controls, [touching]]))
        if len(self.rows) > MOST:
            self.stop()

    def hear(self, message: Message) -> bool:
        """Whether the message was about clips."""
        kind = message.get("type")
        if kind == "record":
            if message.get("on") and not self.fits:
                raise BadInput(
                    "clip", self.tree.name, "must be driven with the car that the tree is made for"
                )
            if message.get("on"):
                self.rows, self.take = [], None
                self.outside.say("recording", on=True)
            else:
                self.stop()
        elif kind == "trim":
            self.show(*self._piece(message))
        elif kind == "add":
            self._add(message)
        else:
            return False
        return True

    def stop(self) -> None:
        """End the recording, and propose where to trim it."""
        rows, self.rows = self.rows, None
        self.outside.say("recording", on=False)
        if rows is None or len(rows) <= LEAST:
            raise BadInput("clip", 0 if rows is None else len(rows), f"needs more than {LEAST} frames")
        table = np.array(rows)
        self.added = None
        self.take = Take("drive", table[:, :6], table[1:, 6:9], table[:, 9] > 0, self.tree.dt)
        miss = np.array([fitting(self.tree, velocity)[1] for velocity in self.take.velocity])
        marks = np.flatnonzero((miss < 2 * TOLERANCE) & ~self.take.contact)
        inside = len(marks) > 1 and marks[-1] - marks[0] >= LEAST
        start, end = (int(marks[0]), int(marks[-1])) if inside else (0, self.take.frames)
        self.outside.say(
            "take",
            time=np.arange(self.take.frames + 1) * self.take.dt,
            speed=self.take.velocity[:, 0].round(2),
            unrest=np.abs(self.take.velocity[:, 1:]).sum(axis=1).round(3),
            frames=self.take.frames,
        )
        self.show(start, end)

    def show(self, start: int, end: int) -> None:
        """Say how well frames `start` to `end` would fit into the tree."""
        take = self._taken()
        ends = [fitting(self.tree, take.velocity[k]) for k in (start, end)]
        line = np.column_stack([take.states[start : end + 1, :2], np.full(end + 1 - start, LIFT)])
        self.outside.say(
            "trimmed", start=start, end=end, seconds=(end - start) * take.dt,
            nodes=[self.tree.node_names[node] for node, _ in ends], miss=[round(m, 3) for _, m in ends],
            touched=bool(take.contact[start : end + 1].any()),
            line=np.hstack([line[:-1], line[1:]]).round(2).ravel(),
        )  # fmt: skip

    def _add(self, message: Message) -> None:
        start, end = self._piece(message)
        take = self._taken()
        if take.contact[start : end + 1].any():
            raise BadInput("clip", None, "the car touched something in it; trim that away")
        file = self.outside.folder.new_file(str(message.get("name") or ""), ".npz")
        if self.added == (start, end):
            raise BadInput("clip", self.tree.name, "is in that tree already; further clips are added to it")
        tolerance = number(message, "tolerance", 0.01, 3.0, TOLERANCE)
        tree = with_clip(self.tree, take.clip(start, end, f"{file.stem} clip"), tolerance, file.stem)
        tree.save(file)
        self.tree, self.added = tree, (start, end)
        self.outside.say("tree", name=file.name, clips=len(tree.clips))

    def _taken(self) -> Take:
        if self.take is None:
            raise BadInput("clip", None, "record one first")
        return self.take

    def _piece(self, message: Message) -> tuple[int, int]:
        frames = self._taken().frames
        start = whole(message, "start", 0, frames - LEAST)
        return start, whole(message, "end", start + LEAST, frames, frames)


def state_of(motion: Motion) -> np.ndarray:
    """(6,) x, y, heading, vx, vy and yaw rate of the first body of a motion."""
    return np.array([motion.x[0], motion.y[0], motion.yaw[0], motion.vx[0], motion.vy[0], motion.yaw_rate[0]])
