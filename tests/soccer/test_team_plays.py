"""Playbooks: what files may say, which play is chosen, and who gets which role."""

import re
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.soccer import MatchOptions, Team, load_field, load_playbook, play_match, team_names
from swerve.soccer.match.referee import State
from swerve.soccer.team.conditions import CONDITIONS, hold, holding

ROOT = Path(__file__).resolve().parents[2]
FIELD = load_field("division-b")
ALL = "  - {name: all, when: [always], roles: [goalie, attack]}\n"
BOOK = f"name: mine\nplays:\n{ALL}"


def test_shipped_teams_load_and_have_as_many_roles_as_robots():
    assert {"swerve", "reactive"} <= set(team_names())
    for name in team_names():
        for play in load_playbook(name).plays:
            assert len(play.roles) >= 6 and play.table(6).shape == (6, 4)


@pytest.mark.parametrize(
    "change, words",
    [
        (("attack]", "fly]"), "no tactic 'fly'"),
        (("attack]", "{block: {slot: 9}}]"), "slot of block must be -4 to 4"),
        (("attack]", "{hold: {x: 0.5}}]"), "hold needs y"),
        (("attack]", "{support: {rank: 1}}]"), "support takes no numbers, not rank"),
        (("attack]", "attack, goalie]"), "one goalie at most"),
        (("attack]", "support]"), "one of the first 5 must be attack"),
        (("attack]", "support, support, support, support, attack]"), "one of the first 5 must be attack"),
        (("attack]", "attack, attack]"), "one attack at most"),
        (("[always]", "[running]"), "needs a play whose when is [always]"),
        (("[always]", "[somehow]"), "no condition 'somehow'"),
        (("attack]", "{mark: {rank: 1.5}}]"), "rank of mark must be a whole number, not 1.5"),
        (("attack]", "{block: 0.5}]"), "plays.0.roles.1.numbers: must be a mapping, got 0.5"),
        (("attack]", "{block: {}, mark: {}}]"), "a role is one tactic, not block, mark"),
        (("[always]", "always"), "plays.0.when: must be a list, got 'always'"),
        ((ALL, ALL + ALL.replace("goalie", "support")), "two plays are called 'all'"),
        (("roles", "rules"), "plays.0.ro"),
        (("name: mine", "name: mine\nattacker: wild"), "must be one of physics, reactive, shoot"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(change, words, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(BOOK.replace(*change))
    with pytest.raises(BadInput) as error:
        load_playbook(path)
    assert words in str(error.value) and "mine.yaml" in str(error.value) and "\n" not in str(error.value)


def test_an_unknown_team_is_refused():
    with pytest.raises(BadInput, match="must be one of"):
        load_playbook("nobody")


def test_robots_without_a_role_block():
    table = load_playbook("reactive").plays[0].model_copy(update={"roles": ()}).table(6)
    assert (table[:, 0] == 3).all() and len(set(table[:, 1])) == 6


def situation(kind=State.RUNNING, mine=0.0, lead=0.0, stopped=0.0):
    return np.array([kind, mine, 0.0, 0.0, stopped, lead, 10.0])


def test_every_condition_can_hold_and_can_fail():
    ball = np.zeros(8)
    seen = []
    for x in (-4.0, -0.5, 0.5, 4.0):
        for ours, theirs in ((0.5, 1.0), (1.0, 0.5)):
            for state in (State.RUNNING, State.KICK_OFF, State.PENALTY, State.FREE_KICK):
                for mine in (0.0, 1.0):
                    for lead in (-1.0, 0.0, 1.0):
                        ball[0] = x
                        about = situation(state, mine, lead, float(state == State.FREE_KICK))
                        seen.append(holding(about, ball, ours, theirs, False, FIELD.length / 2))
    for word in CONDITIONS:
        held = [word in now for now in seen]
        assert any(held) and (all(held) == (word == "always"))
    assert hold(("running", "not leading"), {"running"}) and not hold(("not running",), {"running"})


def test_the_ball_changes_hands_only_when_one_side_is_clearly_sooner():
    now = [
        holding(situation(), np.zeros(8), 1.0, theirs, had, 4.5)
        for had in (True, False)
        for theirs in (0.9, 1.1)
    ]
    assert ["our ball" in words for words in now] == [True, True, False, False]


def test_roles_are_given_at_the_least_cost():
    team = Team(load_playbook("swerve"), FIELD, 0)
    random = np.random.default_rng(1)
    robots = np.zeros((12, 6))
    robots[:, :2] = random.uniform(-2.5, 2.5, (12, 2))
    team.decide(robots, np.zeros(8), situation())
    holder = team.mind.holder
    assert sorted(holder) == list(range(6)) and holder[0] == 0  # the keeper keeps
    from swerve.soccer.team.tactics import role_costs

    costs = np.empty((6, 6))
    times = np.hypot(*robots[:, :2].T)
    role_costs(team.mind.roles, team.wanted, robots, times, np.full(6, -1), situation(), -1, costs)
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(costs)
    best = min(sum(costs[k, i] for k, i in enumerate(order)) for order in permutations(range(6)))
    assert costs[rows, columns].sum() == pytest.approx(best)


def test_a_play_is_kept_until_it_ends_and_drawn_by_weight():
    book = load_playbook("reactive")
    quick, rare = (
        book.plays[0].model_copy(update={"name": name, "seconds": 1.0, "weight": weight})
        for name, weight in (("often", 9.0), ("seldom", 1.0))
    )
    team = Team(book.model_copy(update={"plays": (quick, rare)}), FIELD, 0)
    drawn = []
    for k in range(400):
        team._choose_play({"always"}, k * 0.5)
        drawn.append(team.mind.play.name)
    assert drawn[::2] == drawn[1::2]  # two half seconds each
    assert 0.02 < drawn.count("seldom") / len(drawn) < 0.25


def test_a_play_for_all_else_ends_when_another_applies():
    book = load_playbook("swerve")
    team = Team(book, FIELD, 0)
    team._choose_play({"always", "running"}, 0.0)
    assert team.mind.play.name == "else"
    team._choose_play({"always", "running", "our ball"}, 0.5)
    assert team.mind.play.name == "press on"
    team._choose_play({"always", "running", "our ball"}, 1.0)
    assert team.mind.began == 0.5


def test_a_play_may_ask_for_its_own_attacker(tmp_path):
    path, thoughts = tmp_path / "team.yaml", []
    robots = np.zeros((12, 6))
    robots[:, :2] = np.linspace(-4, 3.9, 12)[:, None] * [1.0, 0.5]
    for mine, team_s, thinks in (("shoot", "physics", False), ("physics", "shoot", True)):
        text = BOOK.replace("name: all,", f"name: all, attacker: {mine},")
        path.write_text(text.replace("mine", f"mine\nattacker: {team_s}", 1))
        team = Team(load_playbook(path), FIELD, 0)
        team.lookahead.think = lambda *given: thoughts.append(given)
        team.decide(robots, np.zeros(8), situation())
        assert bool(thoughts) == thinks
    path.write_text(BOOK.replace("name: all,", "name: all, attacker: wild,"))
    with pytest.raises(BadInput, match="must be one of physics, reactive, shoot"):
        load_playbook(path)


def test_both_sides_see_the_same_game_from_their_own_end():
    """A mind that plays yellow does what it would do as blue, turned by half a circle."""
    random = np.random.default_rng(4)
    robots = np.zeros((12, 6))
    robots[:, :2], robots[:, 2] = random.uniform(-2, 2, (12, 2)), random.uniform(-3, 3, 12)
    ball = np.array([0.3, 0.2, 0, 0.5, -0.2, 0, 0.5, -0.2])
    turned = np.concatenate([robots[6:], robots[:6]]) * [-1, -1, 1, -1, -1, 1]
    turned[:, 2] += np.pi
    blue = Team(load_playbook("reactive"), FIELD, 0)
    yellow = Team(load_playbook("reactive"), FIELD, 1)
    yellow.waypoints, yellow.streams = blue.waypoints.copy(), blue.streams.copy()
    one = blue.decide(robots, ball, situation())
    other = yellow.decide(turned, ball * [-1, -1, 1, -1, -1, 1, -1, -1], situation())
    assert np.allclose(one, other * [-1, -1, 1, 1, 1, 1], atol=1e-9)


def test_the_play_of_the_documentation_is_played(tmp_path):
    page = (ROOT / "docs" / "match.md").read_text()
    text = re.search(r"```yaml\n(name: mine.*?)```", page, re.S)[1]
    assert len(text.strip().splitlines()) <= 13
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    match = play_match(str(path), "reactive", MatchOptions(minutes=0.1), seed=2)
    assert "counter" in {plays[0] for plays in match.log.plays} | {p.name for p in load_playbook(path).plays}
    assert match.log.frames == 360
