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

from .bodies import Motion, World
from .chance import Chance, Places
from .nodes_near import DRAWS, enter_cells, pick_nearest, tell_reach
from .select import Selection
from .tree import Tree

CELL_SECONDS = 0.5  # a node whose stopping place is a cell away takes at least that long
PLACE = 6  # numbers of a node: where it is, its velocity, where it would stop
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
        own = self.sampler if isinstance(self.sampler, Places) else Places(NOWHERE)
        self.boxes: np.ndarray = own.boxes  # drawn from in the kernel, unless the sampler is another
        self.share: float = own.share
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
        pick_nearest(
            nodes, places, samples, chance.seed, chance.expansions, chance.count, self.boxes, self.share,
            self.places, self.grid, self.following, self.origin, self.cell, self.speed, self.acceleration,
            self.reach, self.growing, self._aiming, self._aims, self._aimed, self._goal,
        )  # fmt: skip
        return nodes, places

    def tell(self, sources: np.ndarray, lived: np.ndarray) -> None:
        room = sources, lived, self.reach, self.growing, self._aiming, self._aims, self._aimed
        if not tell_reach(*room):
            self._reserve(int(sources.max()) + 1)
            tell_reach(sources, lived, self.reach, self.growing, *room[4:])

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
        self.seen = enter_cells(
            self.seen, last, tree.rows, self.q, self.v, self.base, self.acceleration, tree.open,
            self.grid, self.following, self.places, self.origin, self.cell,
        )  # fmt: skip
        return bool(self.seen == last)

    def _stops(self, rows: np.ndarray) -> np.ndarray:
        """Where each node would stop if it braked, (n, 2)."""
        velocity = rows[:, self.v : self.v + 2]
        braking = velocity * np.abs(velocity) / (2 * self.acceleration)
        return rows[:, self.q : self.q + 2] + self.base[:2] + braking
