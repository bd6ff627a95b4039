"""The referee: which bodies touch in a frame, anywhere on their way through it, and with what impulse.

One broad phase for everybody: a hash of cells. Two bodies that could have met are looked at along the frame,
as densely as they move against each other, so that nothing passes through anything.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from .boxes import gap_between, touching
from .geometry import wrapped
from .kernels import inner, kernel
from .overlap import meeting_point

STRIDE = 0.15  # [m] two bodies may move against each other between two looks; thin ones less
MOST_LOOKS = 4000  # in a frame
RESTITUTION = 0.2  # of bodywork
FRICTION = 0.5  # of bodywork on bodywork
SLIDE_OFF = 0.1  # [m] a frame that bodies move off each other that lie on top of each other
NOBODY = -1
WALL = -2  # what a wall is called where a body's row is meant


@dataclass(frozen=True)
class Contacts:
    """k pairs that touched: rows `a` < `b` of everyone, `when` in the frame (0 to 1), unit `normal` (k, 3)
    from a to b, `depth` [m], `point` (k, 3) [m]."""

    a: np.ndarray
    b: np.ndarray
    when: np.ndarray
    normal: np.ndarray
    depth: np.ndarray
    point: np.ndarray

    def __len__(self) -> int:
        return len(self.a)

    def pick(self, some: np.ndarray) -> Contacts:
        """Those that are chosen."""
        rows = (self.a, self.b, self.when, self.normal, self.depth, self.point)
        return Contacts(*(column[some] for column in rows))


class Settled(NamedTuple):
    """Impulse (k,) [N s] of contacts; kicks (k, 3) Δvx, Δvy, Δyaw rate and shifts (k, 2) [m] of a and b."""

    impulse: np.ndarray
    kick_a: np.ndarray
    kick_b: np.ndarray
    shift_a: np.ndarray
    shift_b: np.ndarray


@dataclass(frozen=True)
class Touch:
    """What a batch is told of its contacts in a frame, one row a contact.

    `rows` (k,) of the batch; `others` (k,) rows of everyone, `WALL` for a wall; `other_kinds` words; `normal`
    (k, 3) from the other into the body; `point` (k, 3); `impulse` (k,) [N s]; `kick` (k, 3) the change of vx,
    vy [m/s] and yaw rate [rad/s] that follows from it; `shift` (k, 2) [m] to where that leads by the end of
    the frame, clear of the other.
    """

    rows: np.ndarray
    others: np.ndarray
    other_kinds: np.ndarray
    normal: np.ndarray
    point: np.ndarray
    impulse: np.ndarray
    kick: np.ndarray
    shift: np.ndarray

    def __getitem__(self, some: np.ndarray) -> Touch:
        """Some of the contacts."""
        return Touch(**{field.name: getattr(self, field.name)[some] for field in fields(self)})


def find_contacts(before: np.ndarray, after: np.ndarray, half: np.ndarray, is_round: np.ndarray) -> Contacts:
    """Contacts among bodies that went from `before` to `after` (n, 6): x, y, z, yaw, pitch, roll."""
    rows = _find(
        np.ascontiguousarray(before, dtype=np.float64),
        np.ascontiguousarray(after, dtype=np.float64),
        np.ascontiguousarray(half, dtype=np.float64),
        np.ascontiguousarray(is_round),
    )
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    pair = rows[:, :2].astype(np.int64)
    return Contacts(pair[:, 0], pair[:, 1], rows[:, 2], rows[:, 3:6], rows[:, 6], rows[:, 7:10])


@kernel
def _find(before: np.ndarray, after: np.ndarray, half: np.ndarray, is_round: np.ndarray) -> np.ndarray:
    n = len(after)
    found = np.empty((16, 10))
    count = 0
    if n < 2:
        return found[:0]
    middle = 0.5 * (before[:, :2] + after[:, :2])
    reach = np.empty(n)
    for i in range(n):
        own = np.sqrt(half[i, 0] ** 2 + half[i, 1] ** 2 + half[i, 2] ** 2)
        if is_round[i]:
            own = np.sqrt(half[i, 0] ** 2 + half[i, 2] ** 2)
        elif after[i, 4] == 0.0 and after[i, 5] == 0.0 and before[i, 4] == 0.0 and before[i, 5] == 0.0:
            own = np.sqrt(half[i, 0] ** 2 + half[i, 1] ** 2)
        reach[i] = own + 0.5 * np.hypot(after[i, 0] - before[i, 0], after[i, 1] - before[i, 1])
    cell_size = max(2.0 * reach.max(), 1.0)
    x0, y0 = middle[:, 0].min(), middle[:, 1].min()
    columns = int((middle[:, 0].max() - x0) / cell_size) + 3
    size = 1 << 8
    while size < 4 * n:
        size <<= 1
    head, chain, cell = np.full(size, -1, np.int64), np.full(n, -1, np.int64), np.empty(n, np.int64)
    for i in range(n):
        cell[i] = (
            (int((middle[i, 1] - y0) / cell_size) + 1) * columns + int((middle[i, 0] - x0) / cell_size) + 1
        )
        slot = (cell[i] * 2654435761) & (size - 1)
        chain[i] = head[slot]
        head[slot] = i
    now_i, now_j = np.empty(6), np.empty(6)
    for i in range(n):
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                there = cell[i] + dy * columns + dx
                j = head[(there * 2654435761) & (size - 1)]
                while j >= 0:
                    if j > i and cell[j] == there:
                        px, py = middle[j, 0] - middle[i, 0], middle[j, 1] - middle[i, 1]
                        far = reach[i] + reach[j]
                        if px * px + py * py <= far * far:
                            when, depth, nx, ny, nz = _along_the_frame(
                                before, after, half, is_round, i, j, now_i, now_j
                            )
                            if when >= 0.0:
                                if count == len(found):
                                    more = np.empty((2 * count, 10))
                                    for k in range(count):
                                        for c in range(10):
                                            more[k, c] = found[k, c]
                                    found = more
                                x, y, z = meeting_point(
                                    now_i, half[i], is_round[i], now_j, half[j], is_round[j]
                                )
                                found[count, 0], found[count, 1], found[count, 2] = i, j, when
                                found[count, 3], found[count, 4], found[count, 5] = nx, ny, nz
                                found[count, 6] = depth
                                found[count, 7], found[count, 8], found[count, 9] = x, y, z
                                count += 1
                    j = chain[j]
    return found[:count]


@inner
@kernel
def _along_the_frame(
    before: np.ndarray,
    after: np.ndarray,
    half: np.ndarray,
    is_round: np.ndarray,
    i: int,
    j: int,
    now_i: np.ndarray,
    now_j: np.ndarray,
) -> tuple[float, float, float, float, float]:
    """When in the frame two bodies first touch (−1: never), depth and normal; `now` is left there."""
    moved, thin = 0.0, 0.0
    for d in range(3):
        step = after[i, d] - before[i, d] - after[j, d] + before[j, d]
        moved += step * step
    moved = np.sqrt(moved)
    for k in (i, j):  # corners that turn move too
        for d in range(3, 6):
            moved += abs(wrapped(after[k, d] - before[k, d])) * max(half[k, 0], max(half[k, 1], half[k, 2]))
        thin += min(half[k, 0], min(half[k, 1], half[k, 2]))
    looks = min(MOST_LOOKS, max(1, int(np.ceil(moved / min(STRIDE, 0.8 * thin)))))
    for look in range(1, looks + 1):
        when = look / looks
        for d in range(6):
            turn_i, turn_j = after[i, d] - before[i, d], after[j, d] - before[j, d]
            if d >= 3:
                turn_i, turn_j = wrapped(turn_i), wrapped(turn_j)
            now_i[d] = before[i, d] + when * turn_i
            now_j[d] = before[j, d] + when * turn_j
        depth, nx, ny, nz = touching(now_i, half[i], is_round[i], now_j, half[j], is_round[j])
        if depth > 0.0:
            return when, depth, nx, ny, nz
    return -1.0, 0.0, 0.0, 0.0, 0.0


@kernel
def least_gap(
    row: int, after: np.ndarray, half: np.ndarray, is_round: np.ndarray, best: float
) -> tuple[float, int]:
    """Smallest distance [m] from the outline in a row to all others, if below `best`, and to whom."""
    who = NOBODY
    own = np.hypot(half[row, 0], half[row, 1])
    for j in range(len(after)):
        far = np.hypot(after[j, 0] - after[row, 0], after[j, 1] - after[row, 1])
        if j != row and far - own - np.hypot(half[j, 0], half[j, 1]) < best:
            gap = gap_between(after[row], half[row], is_round[row], after[j], half[j], is_round[j])
            if gap < best:
                best, who = gap, j
    return best, who


def inertia(mass: np.ndarray, half: np.ndarray, is_round: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) 1/m and (n,) 1/I about the upright axis of boxes and cylinders."""
    box, cylinder = (half[:, 0] ** 2 + half[:, 1] ** 2) / 3.0, half[:, 0] ** 2 / 2.0
    return 1.0 / mass, 1.0 / mass / np.where(is_round, cylinder, box)


def settle(
    contacts: Contacts,
    before: np.ndarray,
    after: np.ndarray,
    velocity: np.ndarray,
    inverse: np.ndarray,
    spin: np.ndarray,
    dt: float,
) -> Settled:
    """What contacts do to bodies, one after the other in the order in which they happened.

    With v the velocity of b against a at the point of contact, n the normal over the ground:
    J = −(1 + e)·v·n / Σ(1/m + (r × n)²/I), along the ground a friction impulse of at most μ·J against the
    sliding. `velocity` (n, 3) vx, vy, yaw rate; `inverse` and `spin` (n,) are 1/m and 1/I. Bodies
    that part already get none. A body that touches several others has the velocity that the first left it
    when it comes to the next, so that nothing gains energy. From the moment of the touch on they are where
    the new velocities lead in the rest of the frame of `dt` seconds; what then still lies in each other is
    pushed clear, the lighter one more.
    """
    k = len(contacts)
    speed, moved = velocity.copy(), np.zeros((len(after), 2))
    out = Settled(np.zeros(k), *(np.zeros((k, 3)) for _ in range(2)), *(np.zeros((k, 2)) for _ in range(2)))
    for c in np.argsort(contacts.when, kind="stable"):
        a, b = int(contacts.a[c]), int(contacts.b[c])
        both = inverse[a] + inverse[b]
        if both == 0.0:
            continue
        n, depth = _flat_normal(contacts, int(c), after[b, :2] - after[a, :2])
        arms = {i: contacts.point[c, :2] - after[i, :2] for i in (a, b)}
        v = np.zeros(2)
        for i, sign in ((a, -1.0), (b, 1.0)):
            r = arms[i]
            v += sign * (speed[i, :2] + speed[i, 2] * np.array([-r[1], r[0]]))
        push, drag = 0.0, 0.0
        if v @ n < 0.0:
            t = np.array([-n[1], n[0]])
            stiff = [both + sum(_cross(arms[i], axis) ** 2 * spin[i] for i in (a, b)) for axis in (n, t)]
            push = -(1 + RESTITUTION) * (v @ n) / stiff[0]
            drag = float(np.clip(-(v @ t) / stiff[1], -FRICTION * push, FRICTION * push))
            j = push * n + drag * t
            for i, sign, kick in ((a, -1.0, out.kick_a), (b, 1.0, out.kick_b)):
                kick[c, :2] = sign * j * inverse[i]
                kick[c, 2] = sign * _cross(arms[i], j) * spin[i]
                speed[i] += kick[c]
            out.impulse[c] = np.hypot(push, drag)
        rest = 1.0 - contacts.when[c]
        apart = rest * (after[b, :2] - before[b, :2] - after[a, :2] + before[a, :2]) @ n
        for i, sign, kick, shift in ((a, -1.0, out.kick_a, out.shift_a), (b, 1.0, out.kick_b, out.shift_b)):
            shift[c] = rest * dt * kick[c, :2]
            apart += sign * (moved[i] + shift[c]) @ n
        for i, sign, shift in ((a, -1.0, out.shift_a), (b, 1.0, out.shift_b)):
            shift[c] += sign * inverse[i] / both * max(0.0, depth - apart) * n
            moved[i] += shift[c]
    return out


def _flat_normal(contacts: Contacts, c: int, apart: np.ndarray) -> tuple[np.ndarray, float]:
    """Unit normal over the ground from a to b and how far [m] to push them apart along it."""
    flat = contacts.normal[c, :2]
    size = float(np.hypot(*flat))
    if size > 0.3:
        return flat / size, float(contacts.depth[c]) * size
    far = float(np.hypot(*apart))  # one lies on the other: they slide off each other, little by little
    return (apart / far if far > 1e-6 else np.array([1.0, 0.0])), min(float(contacts.depth[c]), SLIDE_OFF)


def _cross(r: np.ndarray, f: np.ndarray) -> float:
    return float(r[0] * f[1] - r[1] * f[0])
