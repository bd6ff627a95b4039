"""Recordings of games hold the state that the game is judged by, and repeat in a fresh reality until then."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.tactics.domains.duel import FIELD, GOAL_HALF
from swerve.tactics.loop import PlayOptions, replay_gap
from swerve.tactics.loop.again import options_of
from swerve.tactics.loop.play import trial_of
from swerve.tactics.loop.record import record
from swerve.tactics.loop.safest import USUAL


def written(trial, options, game, seed, path):
    """A recording of a game as the command writes and anybody reads it."""
    meta = {"scene": game, "seed": seed, "play": options.as_dict()}
    return Recording.read(record(trial.log, trial.problem, meta).write(path / "recording.parquet"))


def last(recording, trial, name):
    """Where a body is at the end of the recording."""
    rows = recording["kind"] == name
    assert rows.sum() == trial.log.frames + 1 == len(trial.log.touched)
    return recording["x"][rows][-1], recording["y"][rows][-1]


@pytest.mark.parametrize("seed", [31, 35])
def test_the_ball_of_a_goal_is_over_the_line(seed, tmp_path):
    options = PlayOptions(attacker="reactive")
    trial = trial_of("soccer", options, seed)
    recording = written(trial, options, "soccer", seed, tmp_path)
    x, y = last(recording, trial, "ball")
    assert abs(x) > FIELD[2] and abs(y) < GOAL_HALF
    assert trial.success == ((x > 0) == (seed % 2 == 0)) and trial.conceded != trial.success


def test_a_game_repeats_if_it_is_told_the_same(tmp_path):
    options = PlayOptions(attacker="reactive")
    recording = written(trial_of("soccer", options, 31), options, "soccer", 31, tmp_path)
    assert replay_gap(recording) == 0.0
    recording["told_vx"][recording["kind"] == "blue (disc)"] *= 1.01
    assert replay_gap(recording) > 1e-3


def test_a_drive_ends_in_its_goal_and_repeats_until_then(tmp_path):
    options = PlayOptions(uncertainty=0.0, noise=0.0, latency=0.0, t_lod=0.5, interval=np.inf)
    trial = trial_of("hallway", options, 5502)
    recording = written(trial, options, "hallway", 5502, tmp_path)
    assert trial.success and last(recording, trial, "robot (disc)")[0] > 5.4
    assert trial.log.planned[-1] is None and replay_gap(recording) == 0.0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"scene": "dice"}, "scene: must be one of minigolf"),
        ({"seed": None}, "seed: must be a whole number"),
        ({"play": None}, "does not say how it was played"),
        ({"play": {"colour": 1}}, "does not say how it was played"),
    ],
)
def test_what_cannot_be_repeated_is_refused(changed, words):
    trial = trial_of("minigolf-one-bounce", PlayOptions(nodes=1), 4)
    meta = {"scene": "minigolf-one-bounce", "seed": 4, "play": {"nodes": 1}}
    recording = record(trial.log, trial.problem, meta)
    assert replay_gap(recording) == 0.0
    recording.meta |= changed
    with pytest.raises(BadInput, match=words):
        replay_gap(recording)


def test_options_are_read_again_as_they_were(tmp_path):
    options = PlayOptions(interval=np.inf, margin=0.03, scatter=USUAL)
    recording = written(trial_of("minigolf", PlayOptions(nodes=1), 4), options, "minigolf", 4, tmp_path)
    assert options_of(recording) == options


@pytest.fixture(scope="module")
def putt():
    trial = trial_of("minigolf-one-bounce", PlayOptions(nodes=1), 4)
    meta = {"scene": "minigolf-one-bounce", "seed": 4, "play": {"nodes": 1}}
    return record(trial.log, trial.problem, meta)


def changed(recording, name, values):
    return Recording({**recording.columns, name: values}, recording.meta)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda r: r.where(np.zeros(len(r), dtype=bool)), "holds nobody"),
        (lambda r: changed(r, "x", np.where(r["t"] > 0.5, np.nan, r["x"])), "places that are no numbers"),
        (lambda r: changed(r, "told_vx", np.where(r["t"] > 0.5, np.nan, r["told_vx"])), "told what is no"),
        (lambda r: changed(r, "told_vx", np.full(len(r), np.nan)), "was told what is no number"),
        (lambda r: r.where(r["kind"] != "robot (disc)"), "does not hold what robots were told"),
        (lambda r: changed(r, "t", 2 * r["t"]), "from the beginning of the game on"),
        (lambda r: r.where(r["t"] > 0.5), "from the beginning of the game on"),
        (lambda r: r.where(np.sort(np.r_[np.arange(len(r)), 0])), "all frames, once each"),
    ],
)
def test_what_does_not_show_that_it_repeats_is_refused(putt, spoil, words):
    """Places and commands that were no numbers, and no frames at all, were said to repeat to the bit."""
    with pytest.raises(BadInput, match=words):
        replay_gap(spoil(putt))


def test_the_beginning_of_a_game_repeats_as_well(putt):
    assert replay_gap(putt.where(putt["t"] < 0.5)) == 0.0
