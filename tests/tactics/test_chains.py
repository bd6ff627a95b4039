"""Chains followed in one kernel are what single steps give, bit for bit, on any number of threads."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import Search, Skill, SolveOptions, Tactic, load_domain
from swerve.tactics.law import Law, law, views
from swerve.tactics.skills import Wait


def grown(domain, chains=True, lanes=1, threads=1, iterations=500):
    search = Search(load_domain(domain, 3), options=SolveOptions(lanes=lanes), seed=3, threads=threads)
    assert search.chains is not None
    search.open_all_lanes()
    if not chains:
        search.chains = None
    search.grow(iterations=iterations)
    search.settle()
    return search


def living(search):
    """Living nodes, in an order that does not depend on when they came."""
    tree, alive = search.tree, np.flatnonzero(search.tree.alive[: search.tree.count])
    depth, parent = tree.depth[alive, None], tree.rows[np.maximum(tree.parent[alive], 0)]
    table = np.hstack([tree.rows[alive], tree.forces[alive], tree.touched[alive], depth, parent])
    return table[np.lexsort(table.T)]


PUSH = str(Path(__file__).parents[2] / "docs/domains/push.yaml")


@pytest.mark.parametrize("domain", ["navigation", "minigolf", "soccer", "pool", PUSH])
def test_chains_give_the_tree_that_single_steps_give(domain):
    followed, stepped = grown(domain), grown(domain, chains=False)
    assert len(living(followed)) > 20
    np.testing.assert_array_equal(living(followed), living(stepped))
    assert followed.effort.chains == stepped.effort.chains
    assert followed.effort.rolled_back == stepped.effort.rolled_back
    np.testing.assert_array_equal(followed.tree.sums, stepped.tree.sums)
    assert followed.account.table() == stepped.account.table()


def test_chains_on_two_threads_give_the_same_tree():
    one, two = grown("soccer", lanes=8), grown("soccer", lanes=8, threads=2)
    assert one.tree.count == two.tree.count
    np.testing.assert_array_equal(one.tree.rows[: one.tree.count], two.tree.rows[: two.tree.count])


def test_chains_keep_to_the_limits():
    problem = load_domain("soccer", 4)
    search = Search(problem, seed=1).grow(nodes=100)
    assert search.tree.alive_nodes == 101
    search = Search(problem, seed=1).grow(iterations=77)
    assert search.effort.iterations == 77


@dataclass(frozen=True)
class Patient(Wait):
    """Waits by a rule of its own."""

    def act(self, scene, variables, action):
        return np.zeros(len(scene), dtype=bool)


def test_a_skill_that_overrides_a_library_skill_acts_by_its_own_rule():
    problem = load_domain("navigation")
    tactic = Tactic("wait", {"wait": Patient("robot", (5.0, 6.0))}, {}, "wait")
    search = Search(replace(problem, tactics={"default": (tactic,)}), "bgt", seed=1)
    search.grow(iterations=30)
    assert search.chains is None
    assert search.tree.open[: search.tree.count].all()  # busy for no step at all


@law
def _pushes_by_nothing(forces, row, touched, variables, numbers):
    push, _, _, _, about = views(forces, row, touched, variables, numbers)
    push[0] += about[0]
    return True


@dataclass(frozen=True)
class Nonsense(Skill):
    law: ClassVar[Law] = _pushes_by_nothing

    def numbers(self, world):
        return np.array([np.nan])


def test_a_law_that_gives_no_number_is_named():
    tactic = Tactic("fool", {"push": Nonsense()}, {}, "push")
    problem = replace(load_domain("navigation"), tactics={"default": (tactic,)})
    with pytest.raises(BadInput, match="push of tactic fool"):
        Search(problem, "bgt", seed=1).grow(iterations=10)
