"""Recordings of games hold the state that the game is judged by, and say who touched whom until then."""

import numpy as np
import pytest

from swerve.tactics.domains.duel import FIELD, GOAL_HALF
from swerve.tactics.loop import PlayOptions
from swerve.tactics.loop.corridor import world_of
from swerve.tactics.loop.play import trial_of
from swerve.tactics.loop.record import record, replay


def last(trial, name):
    """Where a body is at the end of the recording."""
    recording = record(trial.log, trial.problem, {})
    rows = recording["kind"] == name
    assert rows.sum() == trial.log.frames + 1
    return recording["x"][rows][-1], recording["y"][rows][-1]


@pytest.mark.parametrize("seed", [31, 35])
def test_the_ball_of_a_goal_is_over_the_line(seed):
    trial = trial_of("soccer", PlayOptions(attacker="reactive"), seed)
    x, y = last(trial, "ball")
    assert abs(x) > FIELD[2] and abs(y) < GOAL_HALF
    ours_attack_right = seed % 2 == 0
    assert trial.success == ((x > 0) == ours_attack_right) and trial.conceded != trial.success


def test_a_drive_ends_in_its_goal_and_repeats_until_then():
    options = PlayOptions(uncertainty=0.0, noise=0.0, latency=0.0, t_lod=0.5)
    trial = trial_of("hallway", options, 5502)
    x, _ = last(trial, "robot (disc)")
    assert trial.success and x > 5.4
    rows = replay(
        record(trial.log, trial.problem, {}), world_of("hallway", options, 5502), trial.problem.world
    )
    assert np.array_equal(rows, np.array(trial.log.truth))
    assert len(trial.log.touched) == len(rows) and trial.log.planned[-1] is None
