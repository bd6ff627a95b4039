"""A search learns from its gains: what it drew before the goal came nearer it draws again in like places."""

from dataclasses import fields, replace

import numpy as np
import pytest
from test_file import SCENE, written

from swerve.tactics import Search, Tactic, load_domain, solve
from swerve.tactics.gains import ENOUGH, Draw, Gains
from swerve.tactics.habits import HABITUAL, Habits
from swerve.tactics.pools import NOBODY
from swerve.tactics.skills import Dribble


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    return load_domain(str(written(tmp_path_factory.mktemp("domain"))))


@pytest.fixture(scope="module")
def search(problem):
    return Search(problem, seed=1).grow(iterations=4000)


def choices(tree, node):
    """The nodes with a choice above a node, the nearest first."""
    way = tree.path(node)[:-1][::-1]
    return [int(n) for n in way if tree.open[n] or n == 0]


def test_what_is_remembered_led_nearer_to_the_goal(search):
    tree, gains = search.tree, search.gains
    enough, opened = ENOUGH * search.guide.height, np.flatnonzero(tree.open[: tree.count])
    worth = [n for n in opened[1:].tolist() if tree.lack[choices(tree, n)[0]] - tree.lack[n] >= enough]
    assert 3 < len(worth) < len(opened) / 2
    drawn = {id(draw) for node in worth for draw in gains.drawn.get(node, [])}
    assert drawn and drawn <= {id(draw) for draw in gains.good}
    before = {id(d) for n in worth for up in tree.path(n).tolist() for d in gains.drawn.get(up, [])}
    assert {id(draw) for draw in gains.good} <= before


def test_skills_follow_it_in_a_third_of_all_cases(search):
    (habits,) = search.decider.habits
    assert habits
    assert all(isinstance(one, Habits) and one.followed == pytest.approx(1 / 3) for one in habits.values())
    assert search.tactics[0].habits == {}  # the problem's own are left alone


def test_a_problem_is_not_changed_by_having_been_searched(problem):
    one, two = (solve(problem, seed=2) for _ in range(2))
    assert np.array_equal(one.rows, two.rows) and one.stats["nodes"] == two.stats["nodes"]


def test_a_saved_search_goes_on_with_what_it_learned(search, problem, tmp_path):
    loaded = Search.load(search.save(tmp_path / "search.npz"), problem)
    for one, two in zip(search.gains.good, loaded.gains.good, strict=True):
        assert (one.tactic, one.skill) == (two.tactic, two.skill)
        assert np.array_equal(one.situation, two.situation) and np.array_equal(one.shares, two.shares)
    assert list(loaded.gains.drawn) == list(search.gains.drawn)
    search.grow(iterations=1500)
    loaded.grow(iterations=1500)
    assert np.array_equal(search.tree.rows[: search.tree.count], loaded.tree.rows[: loaded.tree.count])


def test_a_new_root_keeps_what_was_learned(problem):
    search = Search(problem, seed=3).grow(iterations=3000)
    good, node = list(search.gains.good), int(np.flatnonzero(search.tree.open[: search.tree.count])[3])
    below = search.tree.below(node)
    known = [n for n in search.gains.drawn if n in set(below.tolist())]
    search.reroot(node)
    assert len(search.gains.drawn) == len(known) and search.gains.good == good
    assert max(search.gains.drawn, default=0) < search.tree.count
    search.restart(problem.start)
    assert search.gains.drawn == {} and search.gains.good == good


def test_habits_that_were_given_stay(problem):
    (tactic,) = problem.tactics["default"]
    found = Search(problem, seed=1).grow(iterations=4000)
    name, rows = next(iter(found.decider.habits[0].items()))
    given = Habits(rows.situations[:1], rows.shares[:1])
    taught = replace(tactic, habits={name: given})
    search = Search(replace(problem, tactics={"default": (taught,)}), seed=1).grow(iterations=4000)
    assert search.gains.good and search.decider.habits[0][name] is given
    assert given.followed == HABITUAL


def test_what_others_draw_is_not_learned(tmp_path):
    """Whoever waits in the way cannot be made to go."""
    wait = {"skill": "Wait", "body": "robot", "seconds": [0.2, 0.5]}
    bodies = SCENE["bodies"] | {"robot": SCENE["bodies"]["robot"] | {"class": "foreign"}}
    other = {"name": "other", "skills": {"wait": wait}, "start": "wait"}
    search = Search(load_domain(str(written(tmp_path, bodies=bodies, tactics=[other]))), seed=1)
    assert search.gains.own == [False]
    search.grow(iterations=600)
    assert search.gains.drawn == {}


def test_shipped_domains_learn_nothing_unasked():
    assert Search(load_domain("minigolf"), seed=1).gains is None


def test_notes_of_nothing_are_nothing(problem):
    search = Search(problem, seed=1)
    notes = search.gains.notes()
    fresh = Gains(problem, search.decider)
    fresh.recall(notes)
    assert fresh.good == [] and fresh.drawn == {}
    draw = Draw(0, 0, np.zeros(2), np.array([0.25]))
    fresh.drawn, fresh.good = {7: [draw]}, []
    assert fresh.notes()["who"].tolist() == [[7, 0, 0]] and NOBODY not in fresh.notes()["who"]


class MoreLater(Dribble):
    """Draws once more when a second has passed."""

    def start(self, scene, chance):
        found = super().start(scene, chance)
        if scene.time[0] > 1.0:
            chance.uniform()
        return found


class InEither(Dribble):
    """Draws a place in one of two boxes, too, whose shares nobody knows."""

    def start(self, scene, chance):
        chance.point_or((0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 1.0), 0.5)
        return super().start(scene, chance)


@pytest.mark.parametrize(("kind", "learns"), [(MoreLater, True), (InEither, False)])
def test_skills_that_draw_as_they_like_can_be_searched_with(problem, kind, learns, tmp_path):
    """They were refused as learned ones once the search had learned of them, or their draws made no table."""
    (tactic,) = problem.tactics["default"]
    push = tactic.skills["push"]
    other = kind(**{field.name: getattr(push, field.name) for field in fields(push)})
    changed = Tactic(tactic.name, {**tactic.skills, "push": other}, tactic.transitions, tactic.start)
    changed = replace(problem, tactics={"default": (changed,)})
    search = Search(changed, seed=1).grow(iterations=4000)
    pushes = [d for d in search.gains.good if changed.tactics["default"][0].order[d.skill] == "push"]
    assert bool(pushes) == learns
    assert (len({len(draw.shares) for draw in pushes}) > 1) == learns
    loaded = Search.load(search.save(tmp_path / "search.npz"), changed)
    for one in (search, loaded):
        one.grow(iterations=1000)
    assert np.array_equal(search.tree.rows[: search.tree.count], loaded.tree.rows[: loaded.tree.count])
