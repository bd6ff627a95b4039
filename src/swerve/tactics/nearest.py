"""BK-RRT's selection: sample a place, pick the node that could be there first, and leave blocked places
alone.

A node whose branches run into something attracts every sample that lies beyond it, for ever. So a node from
which a branch failed is picked only for samples within its own reach, a time that shrinks when branches
fail and grows when they live (after the dynamic-domain RRT of Yershova et al. 2005). And a sample close to
where the tree has been teaches little: of several draws, the one is used that the tree takes longest to get
to, except that one in the goal is used at once. Where other lanes are driving to counts as if the tree had
been there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swerve.core.errors import require
from swerve.core.kernels import inner, kernel

from .arrival import time_to_reach
from .bodies import Motion, World
from .chance import Chance, Places, place_of
from .select import Selection
from .tree import Tree

CELL_SECONDS = 0.5  # a node whose stopping place is a cell away takes at least that long
FIRST_REACH, LEAST_REACH = 1.0, 0.3  # [s] of a node from which a branch failed
SHRINKS, GROWS = 0.5, 1.2  # its reach, when a branch fails or lives
PLACE = 6  # numbers of a node: where it is, its velocity, where it would stop
DRAWS = 24  # of a sample, of which one is used
MOST_CELLS = 2000  # of the grid, either way
NOWHERE = (np.inf, np.inf, -np.inf, -np.inf)  # a goal that no sample lies in
Sampler = Callable[[Chance], np.ndarray]
_NONE = np.zeros((0, DRAWS, 2))


@dataclass
class Nearest(Selection):
    """BK-RRT. Samples a place and picks the node that could be there first, by `time_to_reach`.

    Nodes lie in a grid by where they would stop if they braked, x + v·|v|/2a. On either axis a node with
    acceleration a can shift its stopping place by at most a·T²/3 within T, whatever its velocity. So cells
    are visited from near to far until none further away could do better: exact, and few cells are visited.
    A node that grows already in another lane is not picked again before that is settled.
    """

    world: World
    body: str
    sampler: Sampler
    speed: float  # [m/s] of the body that is controlled
    acceleration: float  # [m/s²]
    goal: tuple[float, float, float, float] | None = None  # x0, y0, x1, y1 [m]

    def __post_init__(self) -> None:
        slot = self.world.slot(self.body)
        require(
            slot.motion in (Motion.PLANAR, Motion.FREE),
            f"body {self.body}",
            slot.motion.value,
            "cannot travel",
        )
        self.q, self.v, self.base = slot.qpos, slot.qvel, slot.base
        self.cell = self.acceleration * CELL_SECONDS**2 / 3
        known = isinstance(self.sampler, Places)
        self.boxes, self.share = (
            (self.sampler.boxes, self.sampler.share) if known else (np.zeros((2, 4)), 0.0)
        )
        self._goal = np.array(self.goal or NOWHERE)
        self.forget()

    def forget(self) -> None:
        self.seen = 0
        self.grid = np.full((1, 1), -1, dtype=np.int32)
        self.origin = np.zeros(2)
        self.following = np.full(1024, -1, dtype=np.int32)
        self.places = np.zeros((1024, PLACE))
        self.reach = np.full(1024, np.inf)
        self.growing = np.zeros(1024, dtype=np.int32)
        self._aiming, self._aims = np.zeros(16, dtype=np.int64), np.zeros((16, 2))
        self._aimed = np.zeros(1, dtype=np.int64)

    @property
    def aims(self) -> tuple[np.ndarray, np.ndarray]:
        """The nodes (m,) that grow, and where they grow to (m, 2)."""
        return self._aiming[: self._aimed[0]], self._aims[: self._aimed[0]]

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        self._enter_new(tree)
        samples, sampler = _NONE, self.sampler
        if not isinstance(sampler, Places):
            samples = sampler(chance.several(DRAWS)).reshape(n, DRAWS, 2)
        self._make_room(n)
        nodes, places = np.empty(n, dtype=np.int64), np.empty((n, 2))
        _pick_nearest(
            nodes, places, samples, chance.seed, chance.expansions, chance.count, self.boxes, self.share,
            self.places, self.grid, self.following, self.origin, self.cell, self.speed, self.acceleration,
            self.reach, self.growing, self._aiming, self._aims, self._aimed, self._goal,
        )  # fmt: skip
        return nodes, places

    def tell(self, sources: np.ndarray, lived: np.ndarray) -> None:
        room = sources, lived, self.reach, self.growing, self._aiming, self._aims, self._aimed
        if not _tell(*room):
            self._reserve(int(sources.max()) + 1)
            _tell(sources, lived, self.reach, self.growing, *room[4:])

    def notes(self, tree: Tree) -> dict[str, np.ndarray]:
        """What cannot be told from the tree; where nodes lie in the grid can."""
        self._reserve(tree.count)
        aiming, aims = self.aims
        return {
            "reach": self.reach[: tree.count],
            "growing": self.growing[: tree.count],
            "aiming": aiming,
            "aims": aims,
            "origin": self.origin,
            "grid": np.array([*self.grid.shape, self.seen]),
        }

    def recall(self, tree: Tree, notes: dict[str, np.ndarray]) -> None:
        self._reserve(tree.count)
        self.reach[: tree.count], self.growing[: tree.count] = notes["reach"], notes["growing"]
        aiming, aims = notes["aiming"], notes["aims"]
        self._make_room(len(aiming))
        self._aiming[: len(aiming)], self._aims[: len(aiming)] = aiming, aims
        self._aimed[0] = len(aiming)
        wide, high, seen = notes["grid"].tolist()
        fits = min(wide, high) > 0 and max(wide, high) <= MOST_CELLS and 0 <= seen <= tree.count
        require(fits, "search, grid", (wide, high, seen), "does not fit")
        require(bool(np.isfinite(notes["origin"]).all()), "search, origin", notes["origin"], "must be finite")
        self.origin, self.grid = notes["origin"], np.full((wide, high), -1, dtype=np.int32)
        self._enter(tree, seen)

    def _reserve(self, nodes: int) -> None:
        if len(self.following) < nodes:
            for name, fill in (("following", -1), ("places", 0.0), ("reach", np.inf), ("growing", 0)):
                old = getattr(self, name)
                grown = np.full((2 * nodes, *old.shape[1:]), fill, dtype=old.dtype)
                grown[: len(old)] = old
                setattr(self, name, grown)

    def _make_room(self, more: int) -> None:
        """For so many nodes more that grow."""
        wanted = int(self._aimed[0]) + more
        if wanted > len(self._aiming):
            self._aiming = np.resize(self._aiming, 2 * wanted)
            self._aims = np.resize(self._aims, (2 * wanted, 2))

    def _enter_new(self, tree: Tree) -> None:
        self._reserve(tree.count)
        if self.seen and self._enter(tree, tree.count):
            return
        everything = self._stops(tree.rows[: tree.count])
        low, high = everything.min(axis=0), everything.max(axis=0)
        room = np.maximum(0.5 * (high - low), 20 * self.cell)
        self.origin = low - room
        cells = np.minimum(np.ceil((high - low + 2 * room) / self.cell).astype(int) + 1, MOST_CELLS)
        self.grid = np.full(tuple(cells), -1, dtype=np.int32)
        self.seen = 0
        self._enter(tree, tree.count)

    def _enter(self, tree: Tree, last: int) -> bool:
        """Enter the nodes that are new, up to `last` or the first that the grid has no room for: whether it
        has."""
        self.seen = _enter_cells(
            self.seen, last, tree.rows, self.q, self.v, self.base, self.acceleration, tree.open,
            self.grid, self.following, self.places, self.origin, self.cell,
        )  # fmt: skip
        return bool(self.seen == last)

    def _stops(self, rows: np.ndarray) -> np.ndarray:
        """Where each node would stop if it braked, (n, 2)."""
        velocity = rows[:, self.v : self.v + 2]
        braking = velocity * np.abs(velocity) / (2 * self.acceleration)
        return rows[:, self.q : self.q + 2] + self.base[:2] + braking


@kernel
def _enter_cells(
    first: int,
    last: int,
    rows: np.ndarray,
    q: int,
    v: int,
    base: np.ndarray,
    acceleration: float,
    is_open: np.ndarray,
    grid: np.ndarray,
    following: np.ndarray,
    places: np.ndarray,
    origin: np.ndarray,
    cell: float,
) -> int:
    """Enter nodes by where each would stop if it braked; the number of the first that lies outside, or the
    last. The grid of a wide place has fewer cells than it would take: the last ones are for all beyond."""
    most = 1999
    for node in range(first, last):
        x, y, vx, vy = rows[node, q] + base[0], rows[node, q + 1] + base[1], rows[node, v], rows[node, v + 1]
        stop_x, stop_y = x + vx * abs(vx) / (2 * acceleration), y + vy * abs(vy) / (2 * acceleration)
        i, j = int(np.floor((stop_x - origin[0]) / cell)), int(np.floor((stop_y - origin[1]) / cell))
        if i < 0 or j < 0 or (i >= grid.shape[0] and i < most) or (j >= grid.shape[1] and j < most):
            return node
        if is_open[node]:
            i, j = min(i, grid.shape[0] - 1), min(j, grid.shape[1] - 1)
            following[node] = grid[i, j]
            grid[i, j] = node
            places[node, 0], places[node, 1], places[node, 2] = x, y, vx
            places[node, 3], places[node, 4], places[node, 5] = vy, stop_x, stop_y
    return last


@kernel
def _tell(
    sources: np.ndarray,
    lived: np.ndarray,
    reach: np.ndarray,
    growing: np.ndarray,
    aiming: np.ndarray,
    aims: np.ndarray,
    aimed: np.ndarray,
) -> bool:
    """False where there is no room for some node; nothing is told then."""
    for node in sources:
        if node >= len(reach):
            return False
    for k in range(len(sources)):
        node = sources[k]
        growing[node] = max(growing[node] - 1, 0)
        if lived[k]:
            reach[node] *= GROWS
        elif reach[node] == np.inf:
            reach[node] = FIRST_REACH
        else:
            reach[node] = max(reach[node] * SHRINKS, LEAST_REACH)
        at = _index(node, aiming, aimed[0])
        if at < aimed[0]:
            for i in range(at, aimed[0] - 1):
                aiming[i], aims[i, 0], aims[i, 1] = aiming[i + 1], aims[i + 1, 0], aims[i + 1, 1]
            aimed[0] -= 1
    return True


@inner
@kernel
def _index(node: int, aiming: np.ndarray, count: int) -> int:
    """Where a node is among those that grow; their number where it is not."""
    for i in range(count):
        if aiming[i] == node:
            return i
    return count


@kernel
def _pick_nearest(
    nodes: np.ndarray,
    used: np.ndarray,
    samples: np.ndarray,
    seed: np.uint64,
    expansions: np.ndarray,
    count: int,
    boxes: np.ndarray,
    share: float,
    places: np.ndarray,
    grid: np.ndarray,
    following: np.ndarray,
    origin: np.ndarray,
    cell: float,
    speed: float,
    acceleration: float,
    reach: np.ndarray,
    growing: np.ndarray,
    aiming: np.ndarray,
    aims: np.ndarray,
    aimed: np.ndarray,
    goal: np.ndarray,
) -> None:
    """Fill in `nodes` (n,), and which of each lane's samples (n, draws, 2) they grow to, `used` (n, 2).
    Without samples they are drawn from `boxes` here, as `Chance.several` and `Places` would.

    Of the samples within their nodes' reach, the first in the goal, or else the furthest in time from the
    tree and from the aims before it; if there is none, the first. A sample that is known to be nearer than
    the furthest one is looked at no longer.
    """
    x0, y0, x1, y1 = goal
    before = aimed[0]
    for k in range(len(nodes)):
        furthest = -1.0
        for draw in range(DRAWS):
            if len(samples):
                x, y = samples[k, draw, 0], samples[k, draw, 1]
            else:
                x, y = place_of(seed, expansions[k] * DRAWS + draw, count, boxes, share)
            in_goal, apart = x0 <= x <= x1 and y0 <= y <= y1, np.inf
            for i in range(before + k):
                if in_goal or apart <= furthest:
                    break
                dx, dy = x - aims[i, 0], y - aims[i, 1]
                apart = min(apart, time_to_reach(dx, dy, 0.0, 0.0, speed, acceleration, apart, furthest))
            if apart <= furthest:
                continue
            node, needed = _nearest(
                x, y, places, grid, following, origin, cell, speed, acceleration, growing,
                -1.0 if in_goal else furthest,
            )  # fmt: skip
            if draw == 0:
                nodes[k], used[k, 0], used[k, 1] = node, x, y
            if needed > reach[node]:
                continue
            if in_goal:
                nodes[k], used[k, 0], used[k, 1] = node, x, y
                break
            if min(needed, apart) > furthest:
                nodes[k], furthest = node, min(needed, apart)
                used[k, 0], used[k, 1] = x, y
        aims[before + k, 0], aims[before + k, 1] = used[k, 0], used[k, 1]
        growing[nodes[k]] += 1
    for k in range(len(nodes)):
        at = _index(nodes[k], aiming, aimed[0])
        aiming[at], aims[at, 0], aims[at, 1] = nodes[k], used[k, 0], used[k, 1]
        aimed[0] = max(aimed[0], at + 1)


@inner
@kernel
def _nearest(
    x: float,
    y: float,
    places: np.ndarray,
    grid: np.ndarray,
    following: np.ndarray,
    origin: np.ndarray,
    cell: float,
    speed: float,
    acceleration: float,
    growing: np.ndarray,
    enough: float,
) -> tuple[int, float]:
    """The node that could be at x, y first, of those that do not grow already, and its time; or any that
    could within `enough`."""
    wide, high = grid.shape
    ci, cj = int(np.floor((x - origin[0]) / cell)), int(np.floor((y - origin[1]) / cell))
    far = max(max(abs(ci), abs(wide - 1 - ci)), max(abs(cj), abs(high - 1 - cj)))
    best, found = np.inf, 0
    for ring in range(far + 1):
        if np.sqrt(3 * max(ring - 1, 0) * cell / acceleration) >= best:
            break
        for i in range(max(ci - ring, 0), min(ci + ring, wide - 1) + 1):
            edge = abs(i - ci) == ring
            step = 1 if edge or ring == 0 else 2 * ring
            for j in range(cj - ring, cj + ring + 1, step):
                if j < 0 or j >= high:
                    continue
                node = grid[i, j]
                while node >= 0:
                    place = places[node]
                    shift = max(abs(x - place[4]), abs(y - place[5]))
                    if growing[node] == 0 and 3 * shift < acceleration * best * best:
                        dx, dy = x - place[0], y - place[1]
                        needed = time_to_reach(dx, dy, place[2], place[3], speed, acceleration, best, enough)
                        if needed < best:
                            best, found = needed, node
                            if best <= enough:
                                return found, best
                    node = following[node]
    return found, best
