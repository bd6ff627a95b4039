"""Adam's tables in small: every study runs, says what holds, and writes its files; comparisons are fair."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from swerve.cli.main import app
from swerve.core.errors import BadInput
from swerve.core.sweep import sweep
from swerve.race.touch import first_contact
from swerve.race.tracks import load_track
from swerve.race.traffic import no_traffic
from swerve.race.trees import skids
from swerve.studies import STUDIES, study
from swerve.studies.adam_cases import CASES
from swerve.studies.adam_large import much_smoother
from swerve.studies.adam_rows import better, not_always, rows
from swerve.studies.adam_runs import Case, Outcome, open_track, run_case, traffic_of, tree_of

TABLES = [f"adam-4.{k}" for k in range(1, 9)]


@pytest.fixture
def in_small(monkeypatch):
    """Every case with few nodes and for a few seconds, in this process."""
    monkeypatch.setattr("swerve.core.sweep.WORTH_A_POOL", 1000)
    monkeypatch.setattr("swerve.bench.pursuit.SIDES", (9.0,))
    monkeypatch.setattr("swerve.bench.pursuit.GAINS", (2.0,))
    for name, cases in CASES.items():
        brief = {key: replace(case, nodes=min(case.nodes, 300), seconds=4.0) for key, case in cases.items()}
        # rows must stay apart: two that differ in nodes alone would be one
        apart = {
            key: replace(case, seconds=case.seconds + 0.04 * k) for k, (key, case) in enumerate(brief.items())
        }
        monkeypatch.setitem(CASES, name, apart)


def outcome(seconds: float, finished: bool = True, seed: int = 0) -> Outcome:
    case = Case("cornered", "seven", 99, 1000)
    return Outcome(
        case,
        seed,
        0,
        finished,
        not finished,
        seconds,
        0.1,
        10,
        100.0,
        False,
        0.0,
        0.0,
        0,
        0.0,
        0.0,
        0.0,
        np.zeros((2, 6)),
    )


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_a_study_with_verdicts_and_files(name, in_small, tmp_path):
    report = study(name)(tmp_path, 3, 1)
    report.write(tmp_path)
    assert {"csv", "md", "png"} == {path.suffix[1:] for path in report.files}
    assert all(path.stat().st_size > 100 for path in report.files)
    assert len(report.rows) == len(CASES[name])
    assert all(set(row) == set(report.rows[0]) for row in report.rows)
    assert len(report.conclusions) >= 2
    assert all(isinstance(c.holds, bool) and c.text and c.evidence for c in report.conclusions)
    assert all(row["contacts unseen"] == 0 for row in report.rows)


def test_command_prints_conclusions_seconds_and_files(in_small, tmp_path):
    done = CliRunner().invoke(app(), ["study", "adam-4.7", "--trials", "1", "--json", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    read = json.loads(done.stdout)
    assert read["seconds"] > 0 and len(read["files"]) == 4
    assert all(set(c) == {"text", "holds", "evidence"} for c in read["conclusions"])
    (dry,) = (c for c in read["conclusions"] if "along a line without skids" in c["text"])
    assert "pure pursuit" in dry["evidence"] and not dry["holds"]  # nobody gets round in four seconds


def test_smoother_in_one_respect_is_not_much_smoother():
    """The review's figures: yaw accelerations of 10, 8 and 9 rad/s² are told, and the verdict heeds them."""
    assert much_smoother({"large": 22.0, "five": 250.0, "seven": 450.0})
    assert not much_smoother({"large": 10.0, "five": 8.0, "seven": 9.0})


def test_command_lists_the_studies():
    done = CliRunner().invoke(app(), ["study", "--json"])
    assert set(TABLES) <= set(json.loads(done.stdout)["studies"])
    assert set(TABLES) <= set(STUDIES)


def test_unknown_study_and_no_trials_are_refused(tmp_path):
    with pytest.raises(BadInput, match="adam-9"):
        study("adam-9")
    with pytest.raises(BadInput, match="trials"):
        study("adam-4.2")(tmp_path, 0, 0)


def test_look_ahead_of_the_small_trees_is_whole_clips():
    small = [case for cases in CASES.values() for case in cases.values() if case.tree in ("five", "seven")]
    assert small and all((case.horizon + 1) % 25 == 0 for case in small)
    assert Case("cornered", "five", 124, 15_000).clips == 5
    assert Case("cornered", "large", 400, 15_000).clips is None


def test_the_seeds_numbers_are_read():
    assert Case("cornered", "seven", 99, 1, "31.5 s").their_seconds == 31.5
    assert Case("cornered", "seven", 99, 1, "crash").their_seconds is None
    assert Case("cornered", "seven", 99, 1).their_seconds is None


def test_open_ended_track_lacks_the_last_wall_only():
    closed, opened = load_track("cornered"), open_track("cornered")
    assert len(opened.segments) == len(closed.segments) - 1
    end = closed.pose(closed.length - 0.1)
    assert first_contact(end[None], closed.walls, no_traffic()) == 0
    assert first_contact(end[None], opened.walls, no_traffic()) == -1


def test_even_traffic_keeps_its_gaps():
    case = Case("long-straight", "five", 24, 100, even=True, seconds=4.0)
    cars = traffic_of(case, 5)
    there = cars.poses[:, 100, 0] < 1e3  # the foremost leave the road meanwhile
    start, end = cars.poses[there, 0], cars.poses[there, 100]
    assert np.allclose(end[:, 1] - start[:, 1], 14.5 * 4.0)
    for lane in np.unique(start[:, 0].round(3)):
        gaps = np.diff(start[np.isclose(start[:, 0], lane), 1])
        assert np.allclose(gaps, 68.0)
    assert not np.allclose(traffic_of(case, 6).poses[0, 0], cars.poses[0, 0])
    assert traffic_of(replace(case, even=False), 5) is None


def test_a_blocked_drive_is_a_crash_and_not_an_error():
    done = run_case((Case("sharp-cornered", "five", 24, 100, goal="finish", seconds=30.0), 0))
    assert done.crashed and not done.finished and done.seconds < 30.0
    row = rows({"only": [done]})[0]
    assert row["finished"] == "0 of 1" and row["mean [s]"] is None and row["crashes at [s]"]


def test_same_seed_same_drive_and_smooth_seams():
    case = Case("sharp-cornered", "large", 100, 300, goal="finish", guided=True, seconds=6.0)
    one, two = run_case((case, 2)), run_case((case, 2))
    assert np.array_equal(one.states, two.states)
    assert one.seam_jump < 1e-6
    small = run_case((Case("cornered", "seven", 99, 2000, cars=0, seconds=12.0), 2))
    assert small.seam_jump > 1.0 and small.frame_change > one.frame_change


def test_tree_without_skids_has_none():
    assert not skids(tree_of("large without skids")).any() and skids(tree_of("large")).any()


def test_better_asks_for_more_than_noise():
    fast = [outcome(40.0 + 0.1 * k) for k in range(10)]
    slow = [outcome(41.0 + 0.1 * k + 0.05 * (k % 2)) for k in range(10)]
    assert better(fast, slow)[0] and not better(slow, fast)[0]
    noisy = [outcome(40.45 + (3.0 if k % 2 else -2.9)) for k in range(10)]
    assert not better(fast, noisy)[0] and not better(noisy, fast)[0]
    crashing = [outcome(5.0, finished=k > 2) for k in range(10)]
    assert better(slow, crashing)[0] and not better(crashing, slow)[0]
    never = [outcome(5.0, finished=False)] * 10
    assert better(never, never) == (False, "no trial in which both finish")


def test_not_always_counts_trials_that_got_worse():
    less = [outcome(40.0)] * 10
    assert not_always("t", [("a", less, [outcome(41.0)] * 2 + [outcome(39.0)] * 8)]).holds
    assert "worse in 1 of 10" in not_always("t", [("a", less, [outcome(41.0), *less[1:]])]).evidence
    assert not not_always("t", [("a", less, [outcome(40.1)] + [outcome(39.0)] * 9)]).holds
    assert not_always("t", [("a", less, [outcome(9.0, finished=False)] * 2 + less[:8])]).holds
    assert not not_always("t", [("a", [outcome(9.0, finished=False)] * 10, less)]).holds


def test_sweep_keeps_the_order_whatever_the_workers():
    items = [-3, 5, -1, 0, 7, -9, 2, 4, -6]
    assert sweep(abs, items, "numbers", workers=2) == sweep(abs, items, "numbers", workers=1)
    assert sweep(abs, [], "nothing") == []
