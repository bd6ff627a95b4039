"""Conditions of domain files as laws: they hold where they hold in Python, and chains follow them."""

from pathlib import Path

import numpy as np
import pytest
from test_file import SCENE, written

from swerve.tactics import Search, load_domain, solve
from swerve.tactics.domains.conditions import Condition
from swerve.tactics.domains.lawful import test_of as lawful
from swerve.tactics.law import Asked

DOCS = Path(__file__).parents[2] / "docs/domains"
ASKED = [
    {"body": "ball", "inside": [-0.5, -0.5, 0.5, 0.5]},
    {"body": "robot", "inside": [-0.5, -0.5, 0.5, 0.5]},
    {"body": "walls", "inside": [-0.5, -0.5, 0.5, 0.5]},
    {"body": "ball", "near": [0.1, 0.2], "within": 0.7},
    {"body": "ball", "near": "robot", "within": 0.7},
    {"body": "robot", "near": "walls", "within": 0.7},
    {"body": "ball", "slower": 0.8},
    {"body": "robot", "faster": 0.8},
    {"body": "walls", "slower": 0.8},
    {"body": "ball", "below": 0.1},
    {"body": "robot", "above": 0.01},
    {"touching": ["robot", "walls"]},
    {"after": 1.0},
]
NESTED = [
    {"all": ASKED[:2]},
    {"any": [ASKED[0], {"not": ASKED[4]}, {"all": [ASKED[6], {"any": [ASKED[9], ASKED[12]]}]}]},
    {"not": {"any": [{"not": ASKED[0]}, ASKED[11]]}},
]


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    return load_domain(str(written(tmp_path_factory.mktemp("domain"))))


def scattered(problem, n=400):
    random = np.random.default_rng(1)
    rows = np.tile(problem.start, (n, 1))
    for name, width in (("ball", 3), ("robot", 2)):
        slot = problem.world.slot(name)
        rows[:, slot.qpos : slot.qpos + width] += random.normal(0, 0.5, (n, width))
        rows[:, slot.qvel : slot.qvel + width] += random.normal(0, 0.6, (n, width))
    rows[:, 0] = random.uniform(0, 2, n)
    return problem.scene(rows, random.random((n, len(problem.world.watch))) < 0.5)


@pytest.mark.parametrize("asked", ASKED + NESTED)
def test_a_law_holds_where_the_condition_does(problem, asked):
    condition, scene = Condition.model_validate(asked), scattered(problem)
    test = lawful([condition], problem.world)
    assert isinstance(test, Asked)
    np.testing.assert_array_equal(test(scene), condition.holds(scene))
    if asked in NESTED:
        assert 0 < test(scene).sum() < len(scene)


def test_several_must_all_hold_and_none_always_does(problem):
    some, scene = [Condition.model_validate(asked) for asked in ASKED[:2]], scattered(problem)
    both = some[0].holds(scene) & some[1].holds(scene)
    assert 0 < both.sum() < len(scene)
    np.testing.assert_array_equal(lawful(some, problem.world)(scene), both)
    assert lawful([], problem.world)(scene).all()


def test_what_no_law_can_hold_is_asked_in_python(problem):
    many, scene = Condition.model_validate({"any": [ASKED[0]] * 70}), scattered(problem)
    test = lawful([many], problem.world)
    assert not isinstance(test, Asked)
    np.testing.assert_array_equal(test(scene), many.holds(scene))


@pytest.mark.parametrize("name", ["push", "box", "together"])
def test_domains_of_files_are_followed_chain_by_chain(name):
    search = Search(load_domain(str(DOCS / f"{name}.yaml")))
    assert search.chains is not None


def test_a_kick_may_stand_in_a_file(tmp_path):
    """Its field `around` is a yes or no, while other skills have a body of that name."""
    (tactic,) = SCENE["tactics"]
    kick = {"skill": "Kick", "body": "robot", "ball": "ball", "target": [1.0, -0.4, 1.6, 0.4]}
    tactic = {**tactic, "skills": {**tactic["skills"], "push": kick}}
    assert solve(load_domain(str(written(tmp_path, tactics=[tactic]))), seed=1).solved
