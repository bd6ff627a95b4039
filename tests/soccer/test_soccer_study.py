"""Drills and studies of matches, at small size."""

from types import SimpleNamespace

import numpy as np
import pytest

from swerve.soccer import load_field, load_playbook
from swerve.soccer.drill import APART, Attack, attack, goes_in, stage
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
    assert [conclusion.holds for conclusion in report.conclusions] == [False, True, None, None, True]


@pytest.mark.parametrize("blue, holds", [(0, None), (9, True), (18, False)])
def test_the_study_of_matches_says_whether_blue_has_the_better_of_it(tmp_path, monkeypatch, blue, holds):
    """18 goals in ten matches, so many of them blue's; frames missed, too."""

    plain = {"passes": 0, "fouls": 0, "contact": 0.0, "missed": 0.01}

    def played(work, seeds, words):
        shares = np.diff(np.linspace(0, blue, len(seeds) + 1).round()).astype(int)
        goals = [(int(share), 0 if blue == 0 else int(18 - blue) // len(seeds)) for share in shares]
        goals[0] = goals[0][0], goals[0][1] + (18 - blue - 10 * ((18 - blue) // 10) if blue else 0)
        return [
            {"for": a, "against": b, "blue": a, "held": 0.4 + 0.2 * (k % 2), **plain}
            for k, (a, b) in enumerate(goals)
        ]

    monkeypatch.setattr(soccer, "sweep", played)
    report = soccer.matches(tmp_path, seed=4, trials=10)
    assert [conclusion.holds for conclusion in report.conclusions[1:]] == [True, holds, True, False]


@pytest.mark.parametrize(
    "held, holds", [((0.4, 0.6), None), ((0.4, 0.6) * 5, True), ((0.5, 0.6) * 5, False), ((0.4,) * 6, False)]
)
def test_possession_tells_who_has_the_better_of_it(held, holds):
    assert soccer._shared(np.array(held))[0] is holds


@pytest.mark.parametrize("ours, theirs, holds", [(300, 150, True), (300, 230, None), (200, 200, False)])
def test_the_study_of_attacks_says_how_sure_its_ratio_is(tmp_path, monkeypatch, ours, theirs, holds):
    scored = {"physics": ours, "reactive": theirs, "shoot": 50}

    def played(work, seeds, attacker):
        goals = np.random.default_rng(scored[attacker]).permutation(np.arange(600) < scored[attacker])
        return [{"goals": int(goal), "ended": "goal", "seconds": 1.0} for goal in goals]

    monkeypatch.setattr(soccer, "sweep", played)
    (said,) = soccer.attacks(tmp_path, seed=4, trials=600).conclusions
    assert said.holds is holds and f"{ours / theirs:.2f}, 95 % of the draws from" in said.evidence


def test_the_study_of_eyes_plays_the_same_attacks_in_three_ways(tmp_path, monkeypatch):
    asked = []

    def played(blue, yellow, seed, seconds, sight, eyes, watch):
        asked.append((seed, sight.place, eyes))
        watch.rows += [(0.01, 0.0, 0.0)] * 98 + [(0.2 + 0.1 * eyes, 1.0, 0.0)] * 2
        return Attack(int(seed % 2 == 0 or not eyes), 0, "goal", 1.0, 2, 1 + eyes, 0.5)

    monkeypatch.setattr(soccer_eyes, "attack", played)
    monkeypatch.setattr(soccer_eyes, "sweep", lambda work, seeds, words: [work(seed) for seed in seeds])
    report = soccer_eyes.eyes(tmp_path, seed=4, trials=40)
    assert [row["goals"] for row in report.rows] == [40, 40, 20]
    assert [row["shots on goal"] for row in report.rows] == [40, 40, 80]
    assert [conclusion.holds for conclusion in report.conclusions] == [False, True, True]
    assert "0 of 40 pairs have a goal by eyes alone, 20 by the true state alone" in report.notes[0]
    assert [row["frames hidden %"] for row in report.rows] == [2.0] * 3
    assert np.allclose([row["off then, of 20 one"] for row in report.rows], [20.0, 20.0, 30.0])
    assert sorted(set(asked))[:3] == [(4, 0.0, False), (4, 0.001, False), (4, 0.001, True)]
    assert soccer.interval(np.array([1.0, 0.0] * 20), np.array([0.0, 1.0] * 20), 0)[0] < 0.9


@pytest.mark.parametrize("by_eyes, holds", [(3, True), (1, False), (2, None)])
def test_the_study_of_matches_by_eyes_counts_our_goals(tmp_path, monkeypatch, by_eyes, holds):
    """Our colour changes from match to match; with the true state there are 24 goals in twelve."""

    def played(blue, yellow, options, seed):
        assert (blue, yellow)[seed % 2] == "swerve" and options.minutes == 0.5
        assert options.sight.place == (0.001 if options.eyes else 0.0)
        ours = (by_eyes if by_eyes != 2 else 1 + 2 * (seed // 2 % 2)) if options.eyes else 2
        score = (ours, 9) if seed % 2 == 0 else (9, ours)
        log = SimpleNamespace(kicks=(1, 1), passes=(0, 0), possession=(0.5, 0.5))
        return SimpleNamespace(referee=SimpleNamespace(score=score), log=log)

    monkeypatch.setattr(soccer_eyes, "play_match", played)
    monkeypatch.setattr(soccer_eyes, "sweep", lambda work, seeds, words: [work(seed) for seed in seeds])
    report = soccer_eyes.matches(tmp_path, seed=4, trials=12, minutes=0.5)
    assert [row["goals"] for row in report.rows] == [24, 12 * by_eyes]
    assert report.rows[1]["their goals"] == 108 and report.conclusions[0].holds is holds


def test_who_watches_an_attack_is_told_how_far_off_the_ball_is_believed_to_be():
    book, other, off = load_playbook("swerve"), load_playbook("reactive"), soccer_eyes.Off()
    watched = attack(book, other, 4, seconds=1.5, watch=off)
    assert watched == attack(book, other, 4, seconds=1.5)  # watching changes nothing
    rows = np.array(off.rows)
    assert len(rows) == round(watched.seconds * 60) - 4 and 0.0 < np.median(rows[:, 0]) < 0.02


@pytest.mark.long
def test_an_attack_is_played_by_eyes():
    book, other = load_playbook("swerve"), load_playbook("reactive")
    seen, known = (attack(book, other, 4, seconds=0.5, eyes=eyes) for eyes in (True, False))
    assert seen.seconds == known.seconds and seen == attack(book, other, 4, seconds=0.5, eyes=True)


def test_drills_count_kicks_and_those_that_would_go_in():
    field = load_field("division-b")
    for y, vy, speed, goes in (
        (0.0, 0.0, 4.0, 1),
        (0.0, 0.0, 1.0, 0),
        (0.4, 0.4, 4.0, 0),
        (0.7, -0.4, 4.0, 1),
    ):
        ball = np.array([2.0, y, 0.0, speed, vy, 0.0, 0.0, 0.0])
        assert goes_in(field, ball) == bool(goes)
        assert not goes_in(field, ball * [1, 1, 1, -1, 1, 1, 1, 1])
    done = [attack(load_playbook("swerve"), load_playbook("reactive"), seed, seconds=2.0) for seed in (4, 6)]
    assert all(0 <= one.on_goal <= one.kicks and 0.0 <= one.had <= 1.0 for one in done)
    assert sum(one.kicks for one in done) > 0
