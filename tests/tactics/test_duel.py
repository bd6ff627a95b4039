"""One against one in the loop: what a state is worth, who thinks what, and games that repeat."""

import numpy as np
import pytest

from swerve.tactics.domains import duel
from swerve.tactics.loop import PlayOptions, soccer
from swerve.tactics.loop.record import record, replay
from swerve.tactics.loop.striker import DEADLINE, Dribbler
from swerve.tactics.plan import SolveOptions


@pytest.fixture(scope="module")
def problem():
    return duel.build("blue")


def holding(problem, heading=0.0, ball=(0.0, 0.0), opponent=(0.5, 0.0), t=1.0):
    """Blue has the ball at its mouth."""
    world, row = problem.world, problem.start.copy()
    mine, other, slot = (world.slot(name) for name in ("blue", "yellow", "ball"))
    reach = mine.radius + slot.radius + 0.004
    row[0] = t
    row[slot.qpos : slot.qpos + 2] = ball
    row[mine.qpos : mine.qpos + 3] = (
        ball[0] - reach * np.cos(heading),
        ball[1] - reach * np.sin(heading),
        heading,
    )
    row[other.qpos : other.qpos + 2] = opponent
    return row


def test_five_things_make_a_state_good(problem):
    judge = duel.Judge(problem.world, "blue")
    lost = holding(problem)
    lost[problem.world.slot("blue").qpos] -= 0.2
    rows = np.array(
        [
            holding(problem),
            holding(problem, opponent=(0.3, 0.0)),  # the opponent is nearer
            lost,
            holding(problem, ball=(0.0, 1.2), opponent=(0.5, 1.2)),  # at the border
            holding(problem, heading=np.pi),  # looks the wrong way
            holding(problem, t=0.2),  # too short to be a plan
            holding(problem, ball=(2.1, 0.0)),  # a goal
        ]
    )
    values = judge.values(rows, 0.0)
    assert (values[1:6] > values[0] + 0.05).all() and values[5] == 1.0 and values[6] < 0 < values[0]


def test_a_shot_is_clear_where_nobody_stands_in_the_way(problem):
    judge = duel.Judge(problem.world, "blue")
    rows = np.array([holding(problem, opponent=(0.3, 0.0)), holding(problem, opponent=(-1.0, 0.0))])
    assert judge.all_clear(rows).tolist() == [0.0, 1.0] and judge.clear(rows[1])


def test_what_is_left_of_a_tree_grows_on_while_the_world_follows_it(problem):
    mind = Dribbler(problem, 3, soccer.DRIVE, SolveOptions(fidelity="both"), nodes=100)
    row = holding(problem, opponent=(0.7, 0.1))
    first = mind.think(row, None)
    assert first.deadline == DEADLINE and first.plan_length >= 0.3 and first.command.dribble
    expected = mind.search.tree.rows[mind.way[1]].copy()
    tried = mind.search.effort.iterations
    mind.think(expected, None)
    assert (mind.counts.plans, mind.counts.kept) == (2, 1)
    assert mind.search.effort.iterations >= tried + 100  # the root is open again
    aside = expected.copy()
    aside[problem.world.slot("ball").qpos] += 0.02
    aside[problem.world.slot("yellow").qpos] += 0.3
    mind.think(aside, None)
    assert (mind.counts.plans, mind.counts.kept) == (3, 1)


def test_games_repeat_and_every_frame_replays(monkeypatch):
    monkeypatch.setattr(soccer, "LONGEST", 1.2)
    options = PlayOptions(nodes=60)
    one, two = (soccer.trial("soccer", options, 3) for _ in range(2))
    assert np.array_equal(one.log.truth, two.log.truth) and one.log.frames == 72
    assert one.problem.ego == "yellow"
    recording = record(one.log, one.problem, {})
    rows = replay(recording, soccer.world_of(options, 3), one.problem.world)
    assert np.array_equal(rows, np.array(one.log.truth))
