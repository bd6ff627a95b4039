"""What a search learns while it goes on: the draws of skills after which the goal was nearer.

A robot that tries to push a box home draws at random on which side of it to stand and where to drive. Where a
choice brought the goal nearer, that and the choice before it are remembered, with where everything was; in
like situations skills then draw near them in a third of all cases (`habits`). What others draw is not
learned: that is not ours to choose. Of a skill that does not always make as many draws, those that made as
many as the latest are followed; one that also draws otherwise than `Chance.uniform` does is left alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .decide import Decider
from .guide import FINE
from .habits import Habits
from .pools import NOBODY
from .problem import Problem
from .tree import Tree

ENOUGH = 0.04 / FINE  # levels by which the goal must be nearer: of the whole way, 4 %
BACK = 2  # choices that a gain is owed to
FOLLOWED = 1 / 3  # of all draws are near remembered ones: putts need fresh ones, pushes learn from more
MOST = 300  # that are remembered of a skill, the latest


class Draw(NamedTuple):
    """What a skill of a tactic drew: the `situation` (f,) there, and `shares` (draws,) of its ranges."""

    tactic: int
    skill: int
    situation: np.ndarray
    shares: np.ndarray


class Gains:
    """The draws on the way to every node, by the nodes at which rounds ended, and those that were good."""

    def __init__(self, problem: Problem, decider: Decider):
        self.decider = decider
        self.own = [problem.drives(tactic) for tactic in decider.tactics]
        self.drawn: dict[int, list[Draw]] = {}
        self.good: list[Draw] = []
        self.noted: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
        decider.noted = self.noted

    def note(self, tree: Tree, nodes: np.ndarray, expansions: np.ndarray, enough: float) -> None:
        """A round ended at `nodes` (n,), where what was drawn for `expansions` (n,) led. What brought the
        goal nearer by `enough` is remembered."""
        noted, tactics = self.decider.noted, range(len(self.own))
        assert noted is not None
        for node, number in zip(nodes.tolist(), expansions.tolist(), strict=True):
            if node == NOBODY:
                continue
            found = [(i, noted[number, i]) for i in tactics if self.own[i] and (number, i) in noted]
            if found:
                self.drawn[node] = [Draw(i, int(tree.skill[node, i]), *what) for i, what in found]
            if tree.open[node]:
                self._credit(tree, node, enough)
        if noted is self.noted:  # nobody else wants them
            noted.clear()

    def _credit(self, tree: Tree, node: int, enough: float) -> None:
        """Remember what led to a node from which there is a choice again, if it was worth it."""
        found: list[Draw] = []
        at, choices = node, 0
        while at > 0 and choices < BACK:
            found += self.drawn.get(at, [])
            at = int(tree.parent[at])
            if tree.open[at] or at == 0:
                choices += 1
                if choices == 1 and tree.lack[at] - tree.lack[node] < enough:
                    return
        self.remember(found)

    def remember(self, draws: list[Draw]) -> None:
        """Draw near these from now on."""
        self.good += draws
        widths = {(draw.tactic, draw.skill): len(draw.shares) for draw in draws}  # of each the latest
        for (tactic, skill), width in widths.items():
            mine = [draw for draw in self.good if (draw.tactic, draw.skill) == (tactic, skill)]
            mine = [draw for draw in mine if len(draw.shares) == width][-MOST:]
            self.decider.accustom(
                tactic,
                skill,
                Habits(
                    np.array([draw.situation for draw in mine]),
                    np.array([draw.shares for draw in mine]),
                    FOLLOWED,
                ),
            )

    def renumber(self, number: np.ndarray) -> None:
        """The nodes have got other numbers, negative where they are gone."""
        self.drawn = {int(number[node]): draws for node, draws in self.drawn.items() if number[node] >= 0}

    def notes(self) -> dict[str, np.ndarray]:
        """All of it as arrays, to be saved: a row a draw, in order, those that were good after the others."""
        told = [(node, draw) for node, draws in self.drawn.items() for draw in draws]
        told += [(NOBODY, draw) for draw in self.good]
        who, draws = [(node, draw.tactic, draw.skill) for node, draw in told], [draw for _, draw in told]
        width = max((len(draw.shares) for draw in draws), default=0)
        shares = np.full((len(draws), width), np.nan)
        for row, draw in zip(shares, draws, strict=True):
            row[: len(draw.shares)] = draw.shares
        return {
            "who": np.array(who, dtype=np.int64),
            "situations": np.array([draw.situation for draw in draws]),
            "shares": shares,
        }

    def recall(self, notes: dict[str, np.ndarray]) -> None:
        """Go on with what was saved."""
        good = []
        for (node, tactic, skill), there, shares in zip(
            notes["who"].reshape(-1, 3).tolist(), notes["situations"], notes["shares"], strict=True
        ):
            draw = Draw(tactic, skill, there, shares[~np.isnan(shares)])
            if node == NOBODY:
                good.append(draw)
            else:
                self.drawn.setdefault(node, []).append(draw)
        self.remember(good)
