"""Tactics that learn: habits are followed, files are refused or loaded, and learning saves nodes."""

import json

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.sweep import sweeping
from swerve.tactics import Chance, SolveOptions, load_domain, solve
from swerve.tactics.habits import HABITUAL, Habits, situation
from swerve.tactics.learned import Learned, learn, measure, read_learned, with_learned


def taught(situations, shares, skill="wait", tactic="golfer", transitions=None):
    habits = {skill: {"situations": situations, "shares": shares}} if skill else {}
    tactics = {tactic: {"transitions": transitions or {}, "habits": habits}}
    return Learned.model_validate({"domain": "minigolf", "tactics": tactics})


def test_draws_stay_near_habits_and_some_are_free():
    problem = load_domain("minigolf", 3)
    scene = problem.scene(np.tile(problem.start, (2000, 1)))
    here = situation(scene)[0]
    habits = Habits(np.stack([here, here + 1.0]), np.array([[0.3], [0.9]]))
    chance = Chance(5, np.arange(2000))
    chance.habits = habits.propose(scene, chance.aside())
    drawn = (chance.uniform(2.0, 4.0) - 2.0) / 2.0
    near = np.minimum(abs(drawn - 0.3), abs(drawn - 0.9)) <= 0.06
    assert drawn.min() >= 0 and drawn.max() < 1
    assert near.mean() == pytest.approx(HABITUAL + (1 - HABITUAL) * 0.22, abs=0.03)


def test_a_learned_plan_is_the_same_on_any_number_of_threads(tmp_path):
    problem = load_domain("minigolf", 2)
    wide = situation(problem.scene(problem.start[None])).shape[1]
    problem = with_learned(problem, taught([[0.0] * wide], [[0.1]]))
    options = SolveOptions(nodes=150)
    one, two = (solve(problem, None, options, seed=2, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.tree.rows[: one.tree.count], two.tree.rows[: two.tree.count])


@pytest.mark.parametrize(
    "change, told",
    [
        ({"tactic": "keeper"}, "must be one of minigolf: golfer, bar"),
        ({"skill": "swing"}, "must be one of wait, position, putt"),
        ({"situations": [[0.0], [0.0, 1.0]], "shares": [[0.1], [0.2]]}, "rows of the same length"),
        ({"situations": [[0.0]], "shares": [[0.1], [0.2]]}, "one each"),
        ({"situations": [[0.0]], "shares": [[1.5]]}, "from 0 to 1"),
        ({"transitions": {"wait": {"swing": 1.0}}}, "is none with a fixed weight"),
    ],
)
def test_what_does_not_fit_is_refused(change, told):
    given = {"situations": [[0.0]], "shares": [[0.1]], **change}
    with pytest.raises(BadInput, match=told):
        with_learned(load_domain("minigolf"), taught(**given))


def test_situations_of_another_domain_are_refused_when_they_are_met():
    problem = with_learned(load_domain("minigolf"), taught([[0.0]], [[0.1]]))
    with pytest.raises(BadInput, match="situations of 6 numbers"):
        solve(problem, options=SolveOptions(nodes=50))


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_shares_as_a_skill_draws_are_asked_for(count):
    problem = with_learned(load_domain("minigolf"), taught([[0.0] * 6], [[0.1] * count], "putt"))
    with pytest.raises(BadInput, match=f"putt, shares: must be 2 in a row, .*got {count}"):
        solve(problem, options=SolveOptions(nodes=50))
    with pytest.raises(BadInput, match="there is none"):
        with_learned(problem, Learned(domain="minigolf", tactics={}))


def test_files_are_read_and_broken_ones_refused(tmp_path):
    path = tmp_path / "tactic.json"
    path.write_text(json.dumps(taught([[0.0]], [[0.1]]).model_dump()))
    assert read_learned(path).tactics["golfer"].habits["wait"].shares == [[0.1]]
    large = json.dumps(taught([[0.0]], [[0.1]]).model_dump()).replace("0.0", "1e308")
    for text in (large, "{", "[]", '{"domain": "x", "tactics": {}, "more": 1}', '{"domain": "x"}'):
        path.write_text(text)
        with pytest.raises(BadInput, match="tactic"):
            read_learned(path)


def test_learning_takes_habits_of_its_own_body_and_tries_other_weights():
    with sweeping(1):
        learned, course = learn("soccer-two-defenders", [40], tries=1)
        assert measure("soccer-two-defenders", learned, [80])[1] == 1.0
    assert len(course) == 2 and learned.instances == 1 and list(learned.tactics) == ["attacker"]
    attacker = learned.tactics["attacker"]
    weights = attacker.transitions["dribble"]
    assert set(weights) == {"dribble", "kick", "mini kick", "mini chip"} and min(weights.values()) > 0
    kicks = attacker.habits["kick"]
    assert len(kicks.situations) == len(kicks.shares) >= 1 and {len(row) for row in kicks.shares} == {3}
