"""Growing the tree: one loop for all planners, many branches at once.

A round grows every lane by one step. A lane whose skills have nothing to choose goes on from its own last
node; the others get nodes from the selection. New states that are valid join the tree; a chain that runs
into an invalid state is rolled back, one from whose end the goal is lost stays and ends there. The order of
events of a round is the body of `Growth.round`.

Branches that grow side by side know nothing of each other's outcome, and share the steps that one of them
would need to get deep. So lanes open as the search goes on: one at first, and then a share of the number
of times that it could have gone as deep as it ever was. A small tree is as good as one grown one by one, a
large one is fast.
"""

from __future__ import annotations

import time

import numpy as np

from swerve.core.errors import require

from . import chains
from .account import Account
from .chains import Chains, Run
from .chance import Chance, number_of
from .decide import Decider
from .detail import DetailEngine
from .effort import LONGEST_BUSY, Effort, long_busy
from .engine import Engine
from .guide import Guide
from .joining import close, join
from .lanes import SOLVED, judge
from .planar import Planar
from .pools import INNER, LEAF, NOBODY
from .problem import Problem
from .scene import Scene
from .select import Selection
from .sound import MOST
from .tactic import Tactic
from .tree import Decisions, Minds, Tree

LANES_A_RUN = 0.25  # opened for each run to the greatest depth that the search could have made so far
SELECTING = 1 << 40  # selection draws from streams that no skill has


class Growth:
    """A search tree that grows round by round, at most `lanes` branches side by side.

    Solutions are node numbers.
    """

    def __init__(
        self,
        problem: Problem,
        tactics: tuple[Tactic, ...],
        selection: Selection,
        seed: int = 0,
        lanes: int = 64,
        threads: int = 1,
        roll_back: bool = True,
        planar: Planar | None = None,
        t_lod: float = np.inf,
    ):
        problem.validate(tactics)
        self.problem, self.tactics, self.selection = problem, tactics, selection
        self.seed, self.rolls_back, self.lanes = number_of(seed), roll_back, lanes
        self.world = problem.world
        self.decider = Decider(self.world, tactics, seed)
        self.tree = Tree(
            problem.start, self.world.model.nv, len(self.world.watch), len(tactics), self.decider.variables
        )
        self.guide = Guide(problem)
        self.begin_at_root()
        self.engine = Engine(self.world, lanes, threads)
        if t_lod < np.inf:
            self.engine = DetailEngine(self.world, lanes, threads, t_lod)
        lawful = chains.possible(problem, self.decider)
        require(lawful or planar is None, "fidelity", "planar", f"{problem.name} has skills that are no laws")
        self.chains = chains.Chains(problem, self.decider, threads, planar, t_lod) if lawful else None
        self.on_plane, self.planar_seconds = planar is not None, 0.0
        self.effort, self.account = Effort(), Account(self.world, tactics)
        self.solutions: list[int] = []
        self.born: dict[int, int] = {}  # expansions of nodes, where the decider notes what skills draw
        self.open_lanes, self.deepest, self.root_tried = 1, 0, False
        self.begun = 0  # iterations before this tree
        self.longest = min(LONGEST_BUSY, long_busy(problem.horizon))  # [s] that nobody asks about
        self.every, self.no_samples = np.arange(lanes), np.full((lanes, 2), np.nan)
        self.forget_lanes()

    def begin_at_root(self) -> None:
        """The tree is its root alone."""
        if self.decider.forced[:, -1].all():
            self.tree.close_root()
        self.guide.begin(self.tree)

    def forget_lanes(self) -> None:
        """No chain is under way."""
        self.idle = self.open_lanes
        self.lane_nodes = np.full(self.lanes, NOBODY)
        self.lane_sources = np.full(self.lanes, NOBODY)  # the nodes that were picked
        self.lane_steps = np.zeros(self.lanes, dtype=np.int64)

    @property
    def exhausted(self) -> bool:
        """Whether there is nothing left to grow from."""
        if self.idle < self.open_lanes or not self.root_tried:
            return False
        return not self.tree.pooled.any() and bool((self.lane_nodes == NOBODY).all())

    @property
    def under_way(self) -> int:
        """Nodes of chains that have not come to an end."""
        return int(self.lane_steps.sum())

    def round(self, most: int) -> None:
        """Grow branches by a step each, or as far as they go by themselves, and by at most `most` in all."""
        if self.chains is not None:
            self._follow_chains(self.chains, most)
        else:
            self._step(most)

    def _follow_chains(self, lawful: Chains, most: int) -> None:
        """Grow at most `most` branches, each to the end of its chain or nearly so."""
        began = time.perf_counter()
        sources, samples, expansions = self._sources(most)
        selected = time.perf_counter()
        rows, touched, minds = self.tree.gather(sources)
        scene = Scene(self.world, rows, touched, samples)
        skill = self.decider.choose(scene, minds, expansions)
        self.decider.begin(scene, minds, skill, expansions)
        began_at, each = float(self.tree.rows[0, 0]), max(most // max(len(sources), 1), 1)
        before = lawful.seconds
        run = lawful.follow(rows, touched, minds, skill, began_at, self.problem.horizon, each)
        followed = lawful.seconds - before
        if self.on_plane:
            self.planar_seconds += followed
        else:
            self.engine.seconds += followed
        if lawful.nonsense:
            self.decider.name_culprit(self.problem.scene(rows, touched), skill, minds.memory)
        self._join(self.active, sources, expansions, minds, skill, run, rows, True)
        self.effort.select_seconds += selected - began
        self.effort.skill_seconds += max(time.perf_counter() - selected - followed, 0.0)  # on one thread

    def _step(self, most: int) -> None:
        """Grow at most `most` branches by a step."""
        began = time.perf_counter()
        sources, samples, expansions = self._sources(most)
        selected = time.perf_counter()
        rows, touched, minds = self.tree.gather(sources)
        scene = Scene(self.world, rows, touched, samples)
        skill = self.decider.choose(scene, minds, expansions)
        order = self.decider.order(skill)
        lanes = self.active
        if order is not None:
            lanes, sources, expansions, skill = lanes[order], sources[order], expansions[order], skill[order]
            scene, minds = scene.take(order), Minds(*(part[order] for part in minds))
        decided = self.decider.decide(scene, minds, skill, expansions)
        ready = time.perf_counter()
        if isinstance(self.engine, DetailEngine):
            self.engine.since = float(self.tree.rows[0, 0])
        rows, touched = self.engine.step(scene.rows, decided.forces)
        stepped = time.perf_counter()
        ends = self._judge(Scene(self.world, rows, touched, scene.sample), decided)
        steps = np.ones(len(ends), dtype=np.int64)
        parts = (rows, touched, decided.busy, decided.memory, decided.forces)
        run = Run(steps, ends, *(part[:, None] for part in parts))
        self._join(lanes, sources, expansions, minds, skill, run, rows, False)
        self.effort.select_seconds += selected - began
        self.effort.skill_seconds += ready - selected + time.perf_counter() - stepped

    def _sources(self, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Node (n,) each lane grows from, the sample (n, 2) it grows towards, and the expansions' numbers."""
        self._open_lanes()
        n = min(self.open_lanes, most)
        lanes = self.every[:n]
        sources, samples = self.lane_nodes[:n].copy(), self.no_samples[:n]
        if self.idle:
            idle = (sources == NOBODY).nonzero()[0]
            if self.tree.pooled[LEAF] + self.tree.pooled[INNER] == 0:  # nothing to choose anywhere
                sources[idle[:1]] = NOBODY if self.root_tried else 0  # one chain, or those under way
                self.lane_sources[idle[:1]] = 0
                lanes = lanes[sources != NOBODY]
                sources, samples = sources[lanes], samples[: len(lanes)]
            elif len(idle):
                samples = samples.copy()
                chance = Chance(self.seed, self.effort.iterations + idle, SELECTING)
                sources[idle], samples[idle] = self.selection.pick(self.tree, len(idle), chance)
                self.lane_sources[idle] = sources[idle]
        self.active, self.root_tried = lanes, True
        expansions = self.effort.iterations + self.every[: len(lanes)]
        self.effort.iterations += len(lanes)
        return sources, samples, expansions

    def _note(self, nodes: np.ndarray, expansions: np.ndarray) -> None:
        """Keep which expansions the new nodes came of, if somebody wants to know."""
        if self.decider.noted is not None:
            pairs = zip(nodes.tolist(), expansions.tolist(), strict=True)
            self.born.update((node, number) for node, number in pairs if node != NOBODY)

    def open_all_lanes(self) -> None:
        """Grow as many branches at once as there may be, however small the tree is."""
        self.idle += self.lanes - self.open_lanes
        self.open_lanes = self.lanes

    def _open_lanes(self) -> None:
        """More lanes, the more runs the search could have made."""
        runs = (self.effort.iterations - self.begun) / max(self.deepest, 1)
        more = min(self.lanes, max(self.open_lanes, 1 + int(runs * LANES_A_RUN)))
        self.idle += more - self.open_lanes
        self.open_lanes = more

    def _judge(self, scene: Scene, decided: Decisions) -> np.ndarray:
        """How the step to each new state ended (n,)."""
        problem, end = self.problem, self.tree.rows[0, 0] + self.problem.horizon
        valid, goal = problem.valid(scene) & (np.abs(scene.rows) <= MOST).all(axis=1), problem.goal(scene)
        lost, (skill, busy, *_), forced = problem.lost(scene), decided, self.decider.forced
        return judge(valid, goal, lost, scene.rows[:, 0], end, busy, skill, forced)

    def _join(
        self,
        lanes: np.ndarray,
        sources: np.ndarray,
        expansions: np.ndarray,
        minds: Minds,
        skill: np.ndarray,
        run: Run,
        rows: np.ndarray,
        chained: bool,
    ) -> None:
        """Let chains, or single steps, join the tree. Lanes go on, or are over: what failed is rolled back,
        what is endless is named. `rows` (n, width) are the states in which they ended."""
        tree, n, effort, rolls = self.tree, len(lanes), self.effort, self.rolls_back
        tree.reserve(n * run.rows.shape[1])
        nodes, picked = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        opened, going, lived = np.empty(n, bool), np.empty(n, bool), np.empty(n, bool)
        lane_arrays = (self.lane_nodes, self.lane_sources, self.lane_steps)
        count, made, lost, ended, solved, deepest, closed, removed = join(
            *run, minds.skill, minds.busy, skill, sources, nodes, opened, going, picked, lived,
            tree.count, tree.rows[0, 0] + self.problem.horizon, self.world.step_seconds, self.longest, rolls,
            chained, lanes, *lane_arrays, *self.account.tables, *tree.table,
        )  # fmt: skip
        effort.iterations += made - n
        effort.rolled_back += lost + removed
        tree.alive_nodes += count - tree.count - removed
        tree.count, self.deepest = count, max(self.deepest, deepest)
        if self.problem.lack is not None and opened.any():
            ends = (opened.nonzero()[0], run.steps[opened] - 1)
            self.guide.measure(tree, nodes[opened], run.rows[ends], run.touched[ends])
        self._note(nodes, expansions)
        if solved:
            self.solutions.extend(nodes[run.ends == SOLVED].tolist())
        if not closed:
            going &= ~self._cut_off(self.lane_steps[lanes], nodes, going, skill, rows)
            last, ended = np.where(nodes == NOBODY, sources, nodes), int((~going).sum())
            removed = close(
                lanes, last, nodes, run.ends, going, rolls, picked, lived, *lane_arrays, *tree.links
            )
            effort.rolled_back += removed
            tree.alive_nodes -= removed
        if ended:
            effort.chains += ended
            self.selection.tell(picked[:ended], lived[:ended])
        self.idle = ended + self.open_lanes - n

    def _cut_off(
        self, steps: np.ndarray, nodes: np.ndarray, going: np.ndarray, skill: np.ndarray, rows: np.ndarray
    ) -> np.ndarray:
        """(n,) lanes that have been busy for too long; their chains are removed. Named are their skills, and
        those that were busy up to the horizon and for a good part of it."""
        seconds = steps * self.world.step_seconds
        end = self.tree.rows[0, 0] + self.problem.horizon
        endless = going & (seconds > LONGEST_BUSY)
        named = endless | (rows[:, 0] >= end) & (seconds > long_busy(self.problem.horizon))
        for lane in np.flatnonzero(named):
            self.effort.name(self.tactics, self.account, skill[lane], bool(endless[lane]))
        if self.rolls_back and endless.any():
            self.effort.rolled_back += self.tree.roll_back(nodes[endless])
        return endless

    def settle(self) -> None:
        """Drop the chains that are still under way: they have led nowhere yet."""
        if self.rolls_back:
            self.tree.roll_back(self.lane_nodes[self.lane_nodes != NOBODY])
        under_way = self.lane_sources[self.lane_nodes != NOBODY]
        self.selection.tell(under_way, np.ones(len(under_way), dtype=bool))
        self.forget_lanes()

    def best(self) -> tuple[int, float]:
        """The living node with the least evaluation, and its value; of equal ones the latest.

        Nodes of chains under way count: what is best so far may be on one. The root counts only while it
        is alone.
        """
        assert self.problem.evaluate is not None
        nodes = np.flatnonzero(self.tree.alive[: self.tree.count])
        nodes = nodes[1:] if len(nodes) > 1 else nodes
        scene = self.problem.scene(self.tree.rows[nodes], self.tree.touched[nodes])
        values = np.asarray(self.problem.evaluate(scene), dtype=float)
        least = np.flatnonzero(values == values.min())
        chosen = least[np.argmax(self.tree.rows[nodes[least], 0])]
        return int(nodes[chosen]), float(values[chosen])
