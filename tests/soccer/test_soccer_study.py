"""Drills and studies of matches, at small size."""

import numpy as np
import pytest

from swerve.soccer import load_field, load_playbook
from swerve.soccer.drill import APART, Attack, attack, stage
from swerve.studies import STUDIES, soccer, soccer_eyes


@pytest.mark.parametrize("place", ["division-b", "seed"])
def test_drills_begin_with_the_ball_at_an_attacker_and_everybody_apart(place):
    field = load_field(place)
    for seed in range(20):
        begin = stage(field, seed)
        gaps = np.hypot(*(begin.robots[:, None, :2] - begin.robots[None, :, :2]).T) + np.eye(2 * field.robots)
        assert gaps.min() > (APART if place == "division-b" else 0.2)
        assert (np.abs(begin.robots[:, :2]) < np.array([field.length, field.width]) / 2).all()


def test_a_drill_is_the_same_every_time():
    book, other = load_playbook("swerve"), load_playbook("reactive")
    assert attack(book, other, 4, seconds=1.5) == attack(book, other, 4, seconds=1.5)


def test_studies_of_soccer_count_goals(tmp_path):
    assert {"soccer-attacks", "soccer-matches"} <= set(STUDIES)
    report = soccer.matches(tmp_path, seed=3, trials=1, minutes=0.05)
    assert [row["against"] for row in report.rows] == ["reactive", "swerve"]
    assert all(row["matches"] == 1 and row["goals"] == 0 for row in report.rows)
    assert [conclusion.holds for conclusion in report.conclusions] == [False, True]


def test_the_study_of_eyes_plays_the_same_attacks_in_three_ways(tmp_path, monkeypatch):
    asked = []

    def played(blue, yellow, seed, seconds, sight, eyes):
        asked.append((seed, sight.place, eyes))
        return Attack(int(seed % 2 == 0 or not eyes), 0, "goal", 1.0)

    monkeypatch.setattr(soccer_eyes, "attack", played)
    monkeypatch.setattr(soccer_eyes, "sweep", lambda work, seeds, words: [work(seed) for seed in seeds])
    report = soccer_eyes.eyes(tmp_path, seed=4, trials=40)
    assert [row["goals"] for row in report.rows] == [40, 40, 20]
    assert [conclusion.holds for conclusion in report.conclusions] == [False]
    assert sorted(set(asked))[:3] == [(4, 0.0, False), (4, 0.001, False), (4, 0.001, True)]
    assert soccer_eyes.interval(np.array([1.0, 0.0] * 20), np.array([0.0, 1.0] * 20), 0)[0] < 0.9


@pytest.mark.long
def test_an_attack_is_played_by_eyes():
    book, other = load_playbook("swerve"), load_playbook("reactive")
    seen, known = (attack(book, other, 4, seconds=0.5, eyes=eyes) for eyes in (True, False))
    assert seen.seconds == known.seconds and seen == attack(book, other, 4, seconds=0.5, eyes=True)
