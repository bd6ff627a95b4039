"""What the planning mind of one against one does in a frame."""

import subprocess
import sys

import numpy as np
import pytest
from plain_duel import holding

from swerve.tactics.domains import build as make
from swerve.tactics.domains import duel, duel_judge
from swerve.tactics.domains.duel_judge import SHORTEST
from swerve.tactics.loop import soccer
from swerve.tactics.loop.frames import Thought
from swerve.tactics.loop.sense import one
from swerve.tactics.loop.striker import DEADLINE, Dribbler
from swerve.tactics.plan import SolveOptions
from swerve.tactics.runner import Runner


@pytest.fixture(scope="module")
def problem():
    return duel.build("blue")


def test_the_planner_shoots_along_its_heading_and_only_through_an_opening(problem):
    mind = Dribbler(problem, 3, soccer.DRIVE, SolveOptions(fidelity="planar"), nodes=40)
    assert mind.think(holding(problem, opponent=(-1.0, 0.0)), None).command.kick == duel_judge.STRENGTH
    mind.forget()
    assert mind.think(holding(problem, opponent=(0.3, 0.0)), None).command.kick == 0.0


def test_it_plans_at_the_ball_also_where_the_other_is_at_it_and_not_from_afar(problem):
    mind = Dribbler(problem, 3, soccer.DRIVE, SolveOptions(fidelity="both"), nodes=60)
    ball = problem.world.slot("ball").qpos
    for opponent, off, plans in ((0.12, 0.0, True), (0.6, 0.0, True), (0.6, 0.3, False)):
        row = holding(problem, opponent=(opponent, 0.0))
        row[ball + 1] += off
        assert (mind.think(row, None).nodes is not None) == plans


def at_our_goal(problem):
    """Yellow has the ball at its mouth and is about to shoot it past blue, who is behind it."""
    row = holding(problem, ball=(0.0, 0.0), opponent=(0.1155, 0.0))
    mine, other = (problem.world.slot(name).qpos for name in ("blue", "yellow"))
    row[other + 2] = np.pi
    row[mine : mine + 3] = 0.05, 0.16, -np.pi / 2
    return row


@pytest.mark.parametrize("fidelity", ["planar", "both"])
def test_where_it_loses_if_the_other_shoots_it_plans_for_that_it_does_not(problem, fidelity):
    """Nothing was found in such frames, and the robot led round the ball unchecked; the other shot at once in
    few of them."""
    mind = Dribbler(problem, 3, soccer.DRIVE, SolveOptions(fidelity=fidelity), nodes=200)
    row = at_our_goal(problem)
    thought = mind.think(row, None)
    expecting, unless = mind.outlooks
    assert expecting.lost and mind.ahead is unless and not unless.lost
    assert thought.plan_length == unless.seconds >= SHORTEST - 1e-9
    assert all(problem.valid(one(problem.world, r))[0] for r in unless.rows)
    expected = unless.rows[1].copy()
    mind.think(expected, None)
    assert mind.ahead is unless and mind.counts.kept == 1  # its tree grows on as the other one does
    away = holding(problem, opponent=(1.0, 0.0), t=1.5)
    assert mind.think(away, None).plan_length > 0 and mind.ahead is expecting


def test_a_tree_that_leads_nowhere_is_given_up_with_nodes_left(problem):
    mind = Dribbler(problem, 3, soccer.DRIVE, SolveOptions(fidelity="planar"), nodes=200)
    expecting = mind.outlooks[0]
    for row, vain in ((at_our_goal(problem), True), (holding(problem, opponent=(1.0, 0.0)), False)):
        before = expecting.search.effort.iterations
        left = expecting.look(row, expecting, 200)
        assert (0 < left <= 100) == vain and expecting.lost == vain
        assert expecting.search.effort.iterations - before <= 200 - left


def test_who_is_not_expected_to_shoot_aims_all_the_same(problem):
    world, row = problem.world, problem.start.copy()
    make.place(row, world, "yellow", 0.4, 0.5, np.pi / 2)
    make.place(row, world, "blue", -1.5, -1.0)
    (theirs,) = duel.unless_it_shoots(problem).tactics["default"][1:]
    rows, _ = Runner(world, (theirs,), seed=1).run(row, 1.5)
    fastest = np.hypot(*rows[:, world.slot("ball").qvel :][:, :2].T).max()
    ball, other = (rows[-1, world.slot(name).qpos :] for name in ("ball", "yellow"))
    assert fastest < 1.0 and np.hypot(*(ball[:2] - other[:2])) < 0.13
    assert abs(np.sin(other[2] - np.arctan2(-ball[1], -2.0 - ball[0]))) < 0.2 and np.cos(other[2]) < 0


def test_in_a_duel_it_shoots_at_once(problem):
    mind = Dribbler(problem, 3, soccer.DRIVE, SolveOptions(fidelity="planar"), nodes=40)
    row = holding(problem, 0.1, opponent=(-0.02, 0.15))
    opening = duel_judge.Judge(problem.world, "blue").opening(row)
    mind.plan = lambda estimate: Thought(nodes=1)
    mind.ahead.worth = 1.9  # a better shot to come
    assert 0 < opening < 0.9 and mind.think(row, None).command.kick == duel_judge.STRENGTH
    row = holding(problem, 0.1, opponent=(-0.02, 0.4))
    assert mind.think(row, None).command.kick == 0.0


def test_what_is_left_of_a_tree_grows_on_while_the_world_follows_it(problem):
    mind = Dribbler(problem, 3, soccer.DRIVE, SolveOptions(fidelity="both"), nodes=100)
    row = holding(problem, opponent=(0.7, 0.1))
    first = mind.think(row, None)
    assert first.deadline == DEADLINE and first.plan_length >= 0.3 and first.command.dribble
    assert np.array_equal(first.planned, row)
    expected, search = mind.ahead.rows[1].copy(), mind.ahead.search
    tried, aside = search.effort.iterations, expected.copy()
    aside[problem.world.slot("blue").qpos] += 0.01
    assert np.array_equal(mind.think(aside, None).planned, expected)  # not where it is, nor the next one
    assert (mind.counts.plans, mind.counts.kept) == (2, 1)
    assert search.effort.iterations >= tried + 100  # the root is open again
    aside = expected.copy()
    aside[problem.world.slot("ball").qpos] += 0.02
    aside[problem.world.slot("yellow").qpos] += 0.3
    mind.think(aside, None)
    assert (mind.counts.plans, mind.counts.kept) == (3, 1)


def test_before_the_first_game_a_mind_has_planned_in_all_ways(monkeypatch):
    """Anew, on from there, and anew with what was to be done: the first frames of a game were late."""
    minds = []

    class Noted(Dribbler):
        def __init__(self, *about):
            super().__init__(*about)
            minds.append(self)

    monkeypatch.setattr(soccer, "Dribbler", Noted)
    soccer.warm_up.__wrapped__(None, None, "both", 60, None)
    (mind,) = minds
    counts = mind.counts
    assert (counts.plans, counts.kept, counts.unless) == (4, 1, 1) and counts.engine > 0
    assert all(outlook.search.effort.iterations for outlook in mind.outlooks)


GAME = """
import sys
from numba.core import event
from numba.core.caching import Cache
from swerve.tactics.loop import soccer
from swerve.tactics.loop.play import PlayOptions

made, load = [], Cache._load_overload

class Noted(event.Listener):
    on_start = on_end = lambda self, what: made.append(what.data)

def noted(self, *about):
    found = load(self, *about)
    made.extend([self] * (found is not None))
    return found

warm_up = soccer.warm_up
def warmed(*about):
    warm_up(*about)
    made.append(None)

soccer.warm_up, Cache._load_overload = warmed, noted
event.register("numba:compile", Noted())
soccer.LONGEST = float(sys.argv[2])
soccer.trial("soccer", PlayOptions(opponent=sys.argv[1]), 946530)
print(made.index(None) > 20, made[made.index(None) + 1 :])
"""


@pytest.mark.parametrize(
    "opponent, seconds",
    [
        ("reactive", 1.2),
        pytest.param("reactive", 60.0, marks=pytest.mark.long),
        pytest.param("dribble", 60.0, marks=pytest.mark.long),
        pytest.param("guard", 60.0, marks=pytest.mark.long),
    ],
)
def test_nothing_is_compiled_nor_loaded_once_the_clock_of_a_first_game_runs(opponent, seconds):
    """It takes longer than a frame: a tree's `roll_back` took a quarter of a second of one where kernels were
    not compiled yet."""
    told = subprocess.run(
        [sys.executable, "-c", GAME, opponent, str(seconds)], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["True", "[]"]
