"""The referee of a world: sees every pair of bodies, notes who begins to touch, and tells both of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .contact import Touch, find_contacts, inertia, least_gap, settle
from .errors import BadInput
from .member import Member
from .motion import Motion
from .view import Everyone
from .walls import wall_contacts

Pair = tuple[int, int]  # identities; a wall is −1
PARTED = 0.5  # [s] apart after which two that touch again have begun to touch anew
LastSeen = tuple[np.ndarray, np.ndarray]  # identities (m,) and places (m, 6) in the frame before


@dataclass(frozen=True)
class Contact:
    """Two bodies that began to touch: time [s], identities, kinds, impulse [N s], place [m]. A wall is −1."""

    t: float
    a: int
    b: int
    kinds: tuple[str, str]
    impulse: float
    point: tuple[float, float, float]


class Referee:
    """Looks at frames of `dt` [s]; `contacts` lists every pair that began to touch, `touching` who does now.

    Two that bounce off and meet again within half a second are still in the same contact.
    """

    def __init__(self, dt: float) -> None:
        self.dt = dt
        self.contacts: list[Contact] = []
        self.touching: set[Pair] = set()
        self._lately: dict[Pair, float] = {}  # when pairs were last seen to touch [s]

    def judge(
        self,
        members: Sequence[Member],
        everyone: Everyone,
        last_seen: LastSeen,
        t: float,
        present: np.ndarray | None = None,
    ) -> bool:
        """Look at a frame into which everybody came from where they were `last_seen`: identities (m,) and
        places (m, 6). `present` (n,) says who is here at all. Whether anybody touched."""
        after, half = six(everyone.motion), everyone.outline / 2
        lost = np.flatnonzero(~np.isfinite(after).all(axis=1))
        if len(lost):
            who = members[int(everyone.batch[lost[0]])].name
            place = after[lost[0]].tolist()
            raise BadInput(f"{who}, body {everyone.ids[lost[0]]}", place, "is nowhere any more")
        before = _before(last_seen, everyone.ids, after)
        if present is not None:
            before = np.where(present[:, None], before, after)
        self._watch(members, everyone, after, half)
        self.touching = set()
        told = self._bodies(members, everyone, before, after, t)
        told += self._walls(members, before, after, half, t)
        for member, touch in told:
            member.bodies.touched(touch)
        return bool(told)

    def _watch(
        self, members: Sequence[Member], everyone: Everyone, after: np.ndarray, half: np.ndarray
    ) -> None:
        first = 0
        for member in members:
            stop = first + len(member.motion)
            for row in range(first, stop) if member.watched else ():
                gap, _ = least_gap(row, after, half, everyone.is_round, member.least_gap)
                member.least_gap = gap
            first = stop

    def _bodies(
        self,
        members: Sequence[Member],
        everyone: Everyone,
        before: np.ndarray,
        after: np.ndarray,
        t: float,
    ) -> list[tuple[Member, Touch]]:
        half = everyone.outline / 2
        found = find_contacts(before, after, half, everyone.is_round)
        settled = np.array([m.bodies.own_contacts for m in members], bool)
        if settled.any() and len(found):
            batch = everyone.batch
            found = found.pick((batch[found.a] != batch[found.b]) | ~settled[batch[found.a]])
        if len(found) == 0:
            return []
        motion = everyone.motion
        mass = np.concatenate([m.bodies.mass for m in members])
        velocity = np.stack([motion.vx, motion.vy, motion.yaw_rate], -1)
        bulk = inertia(mass, half, everyone.is_round)
        impulse, kick_a, kick_b, shift_a, shift_b = settle(found, before, after, velocity, *bulk, self.dt)
        for k, (a, b) in enumerate(zip(found.a, found.b, strict=True)):
            pair = (int(everyone.ids[a]), int(everyone.ids[b]))
            kinds = (str(everyone.kinds[a]), str(everyone.kinds[b]))
            self._note(Contact(t, *pair, kinds, float(impulse[k]), _place(found.point[k])))
        rows, others = np.concatenate([found.a, found.b]), np.concatenate([found.b, found.a])
        normal = np.concatenate([-found.normal, found.normal])
        point, size = np.tile(found.point, (2, 1)), np.tile(impulse, 2)
        kick, shift = np.concatenate([kick_a, kick_b]), np.concatenate([shift_a, shift_b])
        starts = np.searchsorted(everyone.batch, np.arange(len(members)))
        told = []
        for number in np.unique(everyone.batch[rows]):
            some = np.flatnonzero(everyone.batch[rows] == number)
            whom, words = others[some], everyone.kinds[others[some]]
            mine = rows[some] - starts[number]
            pushed = (normal[some], point[some], size[some], kick[some], shift[some])
            touch = Touch(mine, whom, words, *pushed)
            told.append((members[number], touch))
        return told

    def _walls(
        self,
        members: Sequence[Member],
        before: np.ndarray,
        after: np.ndarray,
        half: np.ndarray,
        t: float,
    ) -> list[tuple[Member, Touch]]:
        told, first = [], 0
        for member in members:
            rows = slice(first, first + len(member.motion))
            first = rows.stop
            if member.walls is None:
                continue
            mass = member.bodies.mass
            touch = wall_contacts(
                member.walls, before[rows], after[rows], half[rows], member.motion, mass, self.dt
            )
            for k, row in enumerate(touch.rows):
                kinds = (str(member.bodies.kinds[row]), "wall")
                place = _place(touch.point[k])
                self._note(Contact(t, int(member.ids[row]), -1, kinds, float(touch.impulse[k]), place))
            if len(touch.rows):
                told.append((member, touch))
        return told

    def _note(self, contact: Contact) -> None:
        pair = (contact.a, contact.b)
        self.touching.add(pair)
        if contact.t - self._lately.get(pair, -np.inf) > PARTED:
            self.contacts.append(contact)
        self._lately[pair] = contact.t


def _before(last_seen: LastSeen, ids: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Where everybody was (n, 6); those who joined were where they are."""
    known, places = last_seen
    if len(known) == len(ids) and (known == ids).all():
        return places
    before = after.copy()
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known, ids, sorter=order), max(len(known) - 1, 0))
    if len(known):
        same = known[order[at]] == ids
        before[same] = places[order[at[same]]]
    return before


def six(motion: Motion) -> np.ndarray:
    """(n, 6) x, y, z, yaw, pitch, roll."""
    return np.stack([motion.x, motion.y, motion.z, motion.yaw, motion.pitch, motion.roll], axis=-1)


def _place(point: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in point)
    return x, y, z
