"""The world: batches of bodies under one clock, one referee, one recorder.

    world = World(dt=0.1)
    world.add(cars, driver)
    world.add(cyclists, navigator)
    recording = world.run(30.0)

A frame: sense → choose → move → contact → record, in that order, as `World.step` reads.
"""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from .bodies import Bodies, Chooser
from .broadphase import WallMap
from .errors import BadInput, require
from .member import PART_IDS, Member, check_batch, check_ids
from .motion import joined
from .progress import track
from .recorder import Recorder, columns_of, count_up
from .recording import Recording
from .referee import Contact, LastSeen, Referee, six
from .view import Everyone, View

LONGEST_FRAME = 0.25  # [s]
FURTHEST = 600.0  # [s] that one may look ahead
_NOBODY: LastSeen = (np.zeros(0, np.int64), np.zeros((0, 6)))
PARTS_A_BODY = 64  # at most


class World:
    """Bodies of any wing that share a place and a time.

    `dt` [s] is a frame; `meta` goes into the recording, scenery included. `contacts` lists every pair that
    began to touch; without a `referee` bodies pass through each other and nothing is measured.
    """

    def __init__(
        self,
        dt: float = 0.1,
        walls: WallMap | None = None,
        record: bool = True,
        referee: bool = True,
        meta: Mapping[str, Any] | None = None,
    ):
        require(0 < dt <= LONGEST_FRAME, "dt", dt, f"must be above 0 and at most {LONGEST_FRAME} s")
        self.dt, self.walls, self.meta = dt, walls, dict(meta or {})
        self.referee = Referee(dt) if referee else None
        self.frames = 0
        self.members: list[Member] = []
        self.spent = {"sense": 0.0, "choose": 0.0, "move": 0.0, "contact": 0.0, "record": 0.0}  # [s] CPU
        self.recorder = Recorder() if record else None
        self._everyone: Everyone | None = None
        self._tree: cKDTree | None = None
        self._foreseen: dict[tuple[int, bytes], np.ndarray] = {}

    @property
    def contacts(self) -> list[Contact]:
        """Every pair that began to touch so far."""
        return [] if self.referee is None else self.referee.contacts

    @property
    def time(self) -> float:
        """[s] since the start."""
        return round(self.frames * self.dt, 9)

    def add(
        self,
        bodies: Bodies,
        chooser: Chooser | None = None,
        name: str = "",
        watch: bool = False,
        walls: bool = False,
        ids: Sequence[int] | np.ndarray | None = None,
        height: float = 0.0,
    ) -> Member:
        """Let a batch in, whole. Batches move in the order in which they came.

        `watch` keeps the smallest gap between the batch and everybody else; `walls` lets it run into the
        world's walls. `ids` are identities for the log and the recording, unused numbers by default; `height`
        [m] is how far the ground under the batch lies above that of the world, as on a bridge.
        """
        called = name or type(bodies).__name__
        if any(member.bodies is bodies for member in self.members):
            raise BadInput(called, f"{len(bodies)} bodies", "are in this world already")
        check_batch(bodies, chooser, called, self.dt)
        taken = self.ids
        ids = bodies.ids if ids is None else ids
        if ids is None:
            ids = int(taken.max(initial=-1)) + 1 + np.arange(len(bodies))
        ids = check_ids(ids, len(bodies), taken)
        member = Member(name or f"batch {len(self.members)}", bodies, chooser, ids, watched=watch)
        member.walls, member.height, member.chosen = self.walls if walls else None, height, self.time
        member.fit()
        self.members.append(member)
        self._forget()
        return member

    def step(self) -> None:
        """One frame."""
        if self.frames == 0 and self.recorder is not None and len(self.recorder) == 0:
            self._record()
        views = self._timed("sense", self._sense)
        self._timed("choose", self._choose, views)
        before = self._timed("move", self._move)
        self._timed("contact", self._contact, before)
        if self.recorder is not None:
            self._timed("record", self._record)

    def run(self, seconds: float, label: str = "") -> Recording:
        """Step for so long, with a progress bar on a terminal; the recording of all frames so far."""
        frames = round(seconds / self.dt) if np.isfinite(seconds) else 0
        require(frames >= 1, "seconds", seconds, f"must be at least one frame of {self.dt:g} s")
        require(self.recorder is not None, "record", False, "this world keeps no recording: use step()")
        for _ in track(range(frames), label or "simulating"):
            self.step()
        return self.recording()

    def refresh(self) -> None:
        """Everybody has moved, joined or left: what was known of them is old."""
        for member in self.members:
            member.moved()
            n, known = len(member.bodies), len(member.ids)
            if n > known:
                given = member.bodies.ids
                highest = max(int(self.ids.max(initial=-1)), -1 if given is None else int(given.max()))
                fresh = highest + 1 + np.arange(n - known)
                if given is not None:
                    fresh = np.where(np.isin(given[known:], self.ids), fresh, given[known:])
                member.ids = np.append(member.ids, fresh)
            member.ids = member.ids[:n]
            member.fit()
        self._forget()

    def begin_again(self) -> None:
        """Forget what was recorded so far and begin with the present frame."""
        self.refresh()
        if self.recorder is not None:
            self.recorder.clear()
            self._record()

    def recording(self) -> Recording:
        if self.recorder is None:
            raise BadInput("record", False, "this world keeps no recording")
        return self.recorder.recording(self.meta)

    def view(self, member: Member) -> View:
        """The present frame as a batch sees it."""
        first = 0
        for other in self.members:
            if other is member:
                break
            first += len(other.bodies)
        count = sum(len(other.bodies) for other in self.members)
        stop = first + len(member.bodies)
        ask = (lambda: self.everyone, self._index, self._predict)
        return View(self.time, first, stop, *ask, count, lambda: member.motion)

    @property
    def everyone(self) -> Everyone:
        """All bodies of this frame."""
        if self._everyone is None:
            counts = [len(m.motion) for m in self.members]
            some = [m.bodies for m in self.members]
            self._everyone = Everyone(
                joined([m.motion for m in self.members]),
                np.concatenate([b.outline for b in some] or [np.zeros((0, 3))]),
                np.concatenate([b.kinds for b in some] or [np.zeros(0, object)]),
                np.concatenate([b.round for b in some] or [np.zeros(0, bool)]),
                np.repeat(np.arange(len(counts)), counts),
                self.ids,
                tuple(m.name for m in self.members),
                tuple(some),
            )
        return self._everyone

    @property
    def ids(self) -> np.ndarray:
        """(n,) identities of everyone."""
        return np.concatenate([m.ids for m in self.members] or [np.zeros(0, np.int64)])

    def foresee(self, times: np.ndarray | Sequence[float]) -> np.ndarray:
        """Poses (n, k, 3) of everyone at `times` (k,) [s] from now, each by its own predictor."""
        times = np.asarray(times, dtype=np.float64)
        require(times.ndim == 1, "times", times.tolist(), "must be several, (k,)")
        parts = [self._predict(times, k) for k in range(len(self.members))]
        return np.concatenate(parts) if parts else np.zeros((0, len(times), 3))

    # -- the order of a frame

    def _sense(self) -> list[View]:
        views = [self.view(member) for member in self.members]
        for member, view in zip(self.members, views, strict=True):
            member.bodies.look(view)
        return views

    def _choose(self, views: list[View]) -> None:
        for member, view in zip(self.members, views, strict=True):
            if member.chooser is not None:
                member.commands = member.chooser.choose(view, self.dt)
                member.chosen = view.t

    def _move(self) -> LastSeen:
        """Who was where before the move."""
        before = _NOBODY
        if self.referee is not None:
            here = self._present()
            before = (self.ids, six(self.everyone.motion))
            before = before if here is None else (before[0][here], before[1][here])
        for member in self.members:
            member.bodies.step(member.commands, self.dt)
        self.frames += 1
        self.refresh()
        return before

    def _contact(self, before: LastSeen) -> None:
        if self.referee is not None:
            touched = self.referee.judge(self.members, self.everyone, before, self.time, self._present())
            if touched:
                self.refresh()
            for member in self.members:
                member.way += member.motion.speed * self.dt
                member.age += self.dt

    def _record(self) -> None:
        if self.recorder is None:
            return
        pairs = set() if self.referee is None else self.referee.touching
        touching = np.isin(self.ids, [one for pair in pairs for one in pair])
        first = 0
        for member in self.members:
            bodies, stop = member.bodies, first + len(member.motion)
            if stop > first:
                whole = columns_of(member.motion, member.ids, bodies.kinds, bodies.outline)
                whole["contact"] = touching[first:stop]
                if bodies.present is not None:
                    whole = {name: np.asarray(column)[bodies.present] for name, column in whole.items()}
                self.recorder.add(self.time, whole)
            parts = member.parts()
            if parts is not None and len(parts.parent):
                parent = member.ids[parts.parent]
                numbers = PART_IDS + PARTS_A_BODY * parent + count_up(parts.parent)
                rows = columns_of(parts.motion, numbers, bodies.kinds[parts.parent], parts.outline)
                self.recorder.add(self.time, {**rows, "parent": parent, "part": parts.names})
            lights = bodies.lights(self.time)
            if lights is not None:
                self.recorder.add(self.time, lights)
            first = stop

    # -- details

    def _present(self) -> np.ndarray | None:
        """(n,) who of everyone is here; None for all."""
        some = [m.bodies.present for m in self.members]
        if all(one is None for one in some):
            return None
        return np.concatenate(
            [
                np.ones(len(m.motion), bool) if one is None else one
                for m, one in zip(self.members, some, strict=True)
            ]
        )

    def _forget(self) -> None:
        self._everyone, self._tree, self._foreseen = None, None, {}

    def _index(self) -> cKDTree:
        if self._tree is None:
            motion = self.everyone.motion
            self._tree = cKDTree(np.column_stack([motion.x, motion.y]))
        return self._tree

    def _predict(self, times: np.ndarray, number: int) -> np.ndarray:
        key = (number, times.tobytes())
        if key not in self._foreseen:
            odd = times[~((times >= 0.0) & (times <= FURTHEST))]
            require(len(odd) == 0, "times", odd.tolist(), f"must be between 0 and {FURTHEST:g} s from now")
            self._foreseen[key] = self.members[number].foresee(times, self.time)
        return self._foreseen[key]

    def _timed(self, phase: str, work: Any, *given: Any) -> Any:
        began = clock.process_time()
        result = work(*given)
        self.spent[phase] += clock.process_time() - began
        return result

    def figures(self) -> dict[str, Any]:
        """Contacts, the smallest gap of the watched, bodies and mean speed by kind, and how fast it ran."""
        everyone = self.everyone
        pace = np.concatenate([m.way / np.maximum(m.age, 1e-9) for m in self.members] or [np.zeros(0)])
        kinds = sorted(set(everyone.kinds))
        spent = sum(self.spent.values())
        gaps = [m.least_gap for m in self.members if m.watched and np.isfinite(m.least_gap)]
        return {
            "contacts": len(self.contacts),
            "min_gap": min(gaps) if gaps else None,
            "bodies": {kind: int((everyone.kinds == kind).sum()) for kind in kinds},
            "mean_speed": {kind: float(pace[everyone.kinds == kind].mean()) for kind in kinds},
            "seconds": self.time,
            "realtime_factor": self.time / spent if spent else None,
        }
