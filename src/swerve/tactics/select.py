"""Which node to grow next: uniform, nearest in time to a sample (BK-RRT), balanced growth (BK-BGT), or both.

A selection picks for many branches at once. What the picks of one round would do to the tree is taken into
account while picking, so that a round of many behaves like as many rounds of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swerve.core.errors import require
from swerve.core.kernels import kernel

from .bodies import Motion, World
from .chance import Chance
from .tree import EDGES, INNER, INNERS, LEAF, LEAF_DEPTH, LEAVES, Tree

CELL_SECONDS = 0.25  # a node whose stopping place is a cell away takes at least that long
Sampler = Callable[[Chance], np.ndarray]


class Selection:
    """Base: picks open nodes."""

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        """Nodes (n,) to grow from and where to (n, 2), NaN where the selection does not say."""
        raise NotImplementedError


class Uniform(Selection):
    """Any open node, equally likely: the basic planner."""

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        drawn = (chance.uniform() * tree.pooled.sum()).astype(np.int64)
        leaf = drawn < tree.pooled[LEAF]
        nodes = np.where(leaf, tree.pool[LEAF, np.where(leaf, drawn, 0)], 0)
        inner = ~leaf
        nodes[inner] = tree.pool[INNER, drawn[inner] - tree.pooled[LEAF]]
        return nodes, np.full((n, 2), np.nan)


@dataclass
class Balanced(Selection):
    """BK-BGT. Grows depth where leaf depth over branching is at most μ, breadth otherwise."""

    mu: float = 100.0

    def __post_init__(self) -> None:
        require(0 < self.mu < np.inf, "mu", self.mu, "must be positive")

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        nodes = _pick_balanced(
            tree.pool, tree.pooled, tree.sums.copy(), tree.depth, self.mu, chance.uniform()
        )
        return nodes, np.full((n, 2), np.nan)


@dataclass
class Nearest(Selection):
    """BK-RRT. Samples a place and picks the node that could be there first, by `time_to_reach`.

    Nodes lie in a grid by where they would stop if they braked, x + v·|v|/2a. On either axis a node with
    acceleration a can shift its stopping place by at most a·T²/3 within T, whatever its velocity. So cells
    are visited from near to far until none further away could do better: exact, and few cells are visited.
    """

    world: World
    body: str
    sampler: Sampler
    speed: float  # [m/s] of the body that is controlled
    acceleration: float  # [m/s²]

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
        self.seen = 0
        self.grid = np.full((1, 1), -1, dtype=np.int32)
        self.origin = np.zeros(2)
        self.following = np.full(1024, -1, dtype=np.int32)

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        samples = self.sampler(chance)
        self._enter_new(tree)
        nodes = _pick_nearest(
            samples, tree.rows, self.q, self.v, self.base, self.grid, self.following, self.origin,
            self.cell, self.speed, self.acceleration,
        )  # fmt: skip
        return nodes, samples

    def _enter_new(self, tree: Tree) -> None:
        if len(self.following) < tree.count:
            grown = np.full(2 * tree.count, -1, dtype=np.int32)
            grown[: len(self.following)] = self.following
            self.following = grown
        new = np.arange(self.seen, tree.count)
        places = self._stops(tree.rows[new])
        low, high = places.min(axis=0, initial=np.inf), places.max(axis=0, initial=-np.inf)
        last = self.origin + self.cell * np.array(self.grid.shape)
        if len(new) and (self.seen == 0 or (low < self.origin).any() or (high >= last).any()):
            everything = self._stops(tree.rows[: tree.count])
            low, high = everything.min(axis=0), everything.max(axis=0)
            room = np.maximum(0.5 * (high - low), 20 * self.cell)
            self.origin = low - room
            cells = np.minimum(np.ceil((high - low + 2 * room) / self.cell).astype(int) + 1, 2000)
            self.grid = np.full(tuple(cells), -1, dtype=np.int32)
            self.seen = 0
            places = everything
        _enter_cells(
            self.seen, tree.count, places, tree.open, self.grid, self.following, self.origin, self.cell
        )
        self.seen = tree.count

    def _stops(self, rows: np.ndarray) -> np.ndarray:
        """Where each node would stop if it braked, (n, 2)."""
        velocity = rows[:, self.v : self.v + 2]
        braking = velocity * np.abs(velocity) / (2 * self.acceleration)
        return rows[:, self.q : self.q + 2] + self.base[:2] + braking


@dataclass
class Hybrid(Selection):
    """Balanced growth with probability `p`, nearest otherwise."""

    balanced: Balanced
    nearest: Nearest
    p: float = 0.5

    def __post_init__(self) -> None:
        require(0 <= self.p <= 1, "hybrid-p", self.p, "must be a probability")

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        balanced = chance.uniform() < self.p
        nodes, samples = self.nearest.pick(tree, n, chance)
        grown, _ = self.balanced.pick(tree, n, chance)
        return np.where(balanced, grown, nodes), np.where(balanced[:, None], np.nan, samples)


@kernel
def time_to_reach(
    dx: float, dy: float, vx: float, vy: float, speed: float, acceleration: float, within: float
) -> float:
    """Least time [s] to cover (dx, dy) from velocity (vx, vy) and stand, trapezoidal on either axis.

    The limits on speed and acceleration are shared out between the axes, by the cosine and sine of the angle
    that makes both arrive together. Gives infinity early when it cannot be less than `within`.
    """
    alone = max(_axis_time(dx, vx, speed, acceleration), _axis_time(dy, vy, speed, acceleration))
    if alone >= within:
        return np.inf
    low, high = 0.0, 0.5 * np.pi
    best = np.inf
    for _ in range(10):
        angle = 0.5 * (low + high)
        c, s = np.cos(angle), np.sin(angle)
        tx = _axis_time(dx, vx, c * speed, c * acceleration)
        ty = _axis_time(dy, vy, s * speed, s * acceleration)
        best = min(best, max(tx, ty))
        if tx < ty:
            low = angle
        else:
            high = angle
    return best


@kernel
def _axis_time(distance: float, velocity: float, speed: float, acceleration: float) -> float:
    """Along one axis, from a velocity to a stand."""
    if distance < 0.0:
        distance, velocity = -distance, -velocity
    braking = velocity * velocity / (2 * acceleration)
    if velocity < 0.0:  # turn round first
        return -velocity / acceleration + _rest_time(distance + braking, speed, acceleration)
    if braking > distance:  # overshoot and come back
        return velocity / acceleration + _rest_time(braking - distance, speed, acceleration)
    peak = np.sqrt(acceleration * distance + 0.5 * velocity * velocity)
    if peak <= speed or velocity >= speed:
        return (2 * peak - velocity) / acceleration
    ramps = (2 * speed * speed - velocity * velocity) / (2 * acceleration)
    return (2 * speed - velocity) / acceleration + (distance - ramps) / speed


@kernel
def _rest_time(distance: float, speed: float, acceleration: float) -> float:
    """From a stand to a stand."""
    if distance * acceleration <= speed * speed:
        return 2 * np.sqrt(distance / acceleration)
    return distance / speed + speed / acceleration


@kernel
def _pick_balanced(
    pool: np.ndarray, pooled: np.ndarray, sums: np.ndarray, depth: np.ndarray, mu: float, drawn: np.ndarray
) -> np.ndarray:
    nodes = np.empty(len(drawn), dtype=np.int64)
    for i in range(len(drawn)):
        ratio = sums[LEAF_DEPTH] / max(sums[LEAVES], 1) * sums[INNERS] / max(sums[EDGES], 1)
        which = INNER if ratio > mu else LEAF
        if pooled[which] == 0:
            which = 1 - which
        nodes[i] = pool[which, int(drawn[i] * pooled[which])]
        sums[EDGES] += 1
        if which == LEAF:
            sums[INNERS] += 1
            sums[LEAF_DEPTH] += 1
        else:
            sums[LEAVES] += 1
            sums[LEAF_DEPTH] += depth[nodes[i]] + 1
    return nodes


@kernel
def _enter_cells(
    first: int,
    last: int,
    places: np.ndarray,
    is_open: np.ndarray,
    grid: np.ndarray,
    following: np.ndarray,
    origin: np.ndarray,
    cell: float,
) -> None:
    for node in range(first, last):
        if is_open[node]:
            i = min(int((places[node - first, 0] - origin[0]) / cell), grid.shape[0] - 1)
            j = min(int((places[node - first, 1] - origin[1]) / cell), grid.shape[1] - 1)
            following[node] = grid[i, j]
            grid[i, j] = node


@kernel
def _pick_nearest(
    samples: np.ndarray,
    rows: np.ndarray,
    q: int,
    v: int,
    base: np.ndarray,
    grid: np.ndarray,
    following: np.ndarray,
    origin: np.ndarray,
    cell: float,
    speed: float,
    acceleration: float,
) -> np.ndarray:
    nodes = np.zeros(len(samples), dtype=np.int64)
    wide, high = grid.shape
    for k in range(len(samples)):
        x, y = samples[k, 0], samples[k, 1]
        ci, cj = int(np.floor((x - origin[0]) / cell)), int(np.floor((y - origin[1]) / cell))
        reach = max(max(abs(ci), abs(wide - 1 - ci)), max(abs(cj), abs(high - 1 - cj)))
        best = np.inf
        for ring in range(reach + 1):
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
                        dx, dy = x - rows[node, q] - base[0], y - rows[node, q + 1] - base[1]
                        vx, vy = rows[node, v], rows[node, v + 1]
                        needed = time_to_reach(dx, dy, vx, vy, speed, acceleration, best)
                        if needed < best:
                            best, nodes[k] = needed, node
                        node = following[node]
    return nodes
