"""Which of a tree's best states the engine confirms, in a tree on the planar model that grows from frame to
frame.

The best state of a chain is made again in the engine, chain by chain, until one that the engine has made is
better than what the others promise, or the frame's share of the engine is spent; the next frame goes on,
also with the rest of a way that is longer than a frame's share.
What was tried once is never tried again: a promise that the engine does not keep would come first in every
frame and hide all others.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from ..domains.duel_judge import Judge
from ..search import Search
from ..tree import NOBODY
from ..verify import Verifier

STEPS = 40  # of the engine in a frame; of a longer way these are made
A_WAY = 8  # of them that take as long as to begin one: it counts no less


class Proof:
    """`tried` are nodes on the planar model whose chains the engine has made again, `made` its own nodes."""

    def __init__(self, search: Search, verifier: Verifier, judge: Judge):
        self.search, self.verifier, self.judge = search, verifier, judge
        self.forget()

    def forget(self) -> None:
        """There is another tree."""
        self.tried = self.made = np.zeros(0, dtype=np.int64)

    def reroot(self, node: int, way: np.ndarray) -> np.ndarray:
        """Make a node the root; the nodes of a way by their new numbers."""
        kept = self.search.reroot(node, np.concatenate([way, self.tried, self.made]))
        way, tried, made = np.split(kept, np.cumsum([len(way), len(self.tried)]))
        self.tried, self.made = tried[tried >= 0], made[made >= 0]
        return way

    def best(self, nodes: np.ndarray, values: np.ndarray, least: float) -> tuple[int | None, float]:
        """The node that is worth most in the engine, if that is more than `least`, and how much. `values`
        are those of living `nodes`, 0 the best."""
        tree = self.search.tree
        chains = heads(tree.parent, tree.open, tree.count)
        tried = np.zeros(tree.count, dtype=bool)
        tried[self.tried] = True
        tops = tops_of(chains, nodes, values, tried, least)
        made, found, steps = {0, *self.made.tolist()}, None, 0  # the root is what was seen
        for k in tops[np.argsort(values[tops], kind="stable")].tolist():
            node, worth = int(nodes[k]), 1 - float(values[k])
            if worth <= least:
                break
            if node not in made:
                way = tree.path(node)
                done = int(np.argmin(np.isin(way[1:], self.made)))  # what grew on from the engine's nodes
                if steps and steps + max(len(way) - 1 - done, A_WAY) > STEPS:
                    break
                way, rest = np.split(way, [done + STEPS + 1])
                steps += max(len(way) - 1 - done, A_WAY)
                node, worth = self._again(way, done, np.flatnonzero(chains == chains[node]), rest)
            if worth > least:
                found, least = node, worth
        self.search.engine.seconds = self.verifier.seconds
        return found, least

    def _again(self, way: np.ndarray, done: int, chain: np.ndarray, rest: np.ndarray) -> tuple[int, float]:
        """The best node that the engine makes of the choices along a way, of which it has made so many steps,
        and its worth. The `rest` of the way still stands, from where the engine has got to."""
        tree = self.search.tree
        size, horizon = tree.count, self.search.problem.horizon
        self.tried = np.append(self.tried, np.setdiff1d(chain, self.made))
        end = self.verifier.retrace(tree, int(way[-1]), horizon, to_goal=False, done=done)
        way = tree.path(end) if end != NOBODY else self.made[:0]
        way = way[way >= size]
        if not len(way):
            return NOBODY, 0.0
        self.made = np.append(self.made, way)
        if len(rest):
            self._copy(rest, end)
        worths = 1 - self.judge.values(tree.rows[way], float(tree.rows[0, 0]))
        top = int(np.argmax(worths))
        return int(way[top]), float(worths[top])

    def _copy(self, steps: np.ndarray, end: int) -> None:
        """The same steps once more, below another node."""
        tree, no = self.search.tree, np.zeros(1, dtype=bool)
        other = (np.diff(tree.skill[steps], axis=0) != 0).any(axis=1)
        for part in np.split(steps, np.flatnonzero(other) + 1):  # of the same skills
            ends = tree.add_chains(
                np.array([end]), np.array([len(part)]), no, tree.skill[part[:1]], tree.rows[part][None],
                tree.touched[part][None], tree.busy[part][None], tree.memory[part][None],
                tree.forces[part][None], open_=no,
            )  # fmt: skip
            end = int(ends[0])


@kernel
def tops_of(
    chains: np.ndarray, nodes: np.ndarray, values: np.ndarray, tried: np.ndarray, least: float
) -> np.ndarray:
    """Where among `nodes` the best of every chain are that were not tried and are worth more than `least`."""
    best, found, count = np.full(len(tried), NOBODY), np.empty(len(nodes), np.int64), 0
    for k in range(len(nodes)):
        if tried[nodes[k]] or 1.0 - values[k] <= least:
            continue
        chain = chains[nodes[k]]
        if best[chain] == NOBODY:
            best[chain] = count
            count += 1
        elif values[k] >= values[found[best[chain]]]:
            continue
        found[best[chain]] = k
    return found[:count]


@kernel
def heads(parent: np.ndarray, is_open: np.ndarray, count: int) -> np.ndarray:
    """The first node of every node's chain: what was chosen once and then followed."""
    found = np.empty(count, np.int64)
    for node in range(count):
        above = parent[node]
        alone = above == NOBODY or parent[above] == NOBODY or is_open[above]
        found[node] = node if alone else found[above]
    return found
