"""Every rule, in a situation that breaks it and in one that just does not."""

import numpy as np
import pytest

from swerve.soccer import MatchWorld, Referee, State, load_field
from swerve.soccer.match import model, referee
from swerve.soccer.match.world import Happened

FIELD = load_field("division-b")
X, Y = FIELD.length / 2, FIELD.width / 2


class Stage:
    """A world without physics: the test says where things are and what happened."""

    def __init__(self, seconds=600.0):
        self.world, self.referee = MatchWorld(FIELD), Referee(FIELD, seconds)
        self.world.robots[0, :, 0] = np.where(np.arange(12) < 6, -2.0, 2.0)
        self.world.robots[0, :, 1] = np.tile(np.linspace(-2.5, 2.5, 6), 2)
        self.referee.state = State.RUNNING
        self.referee.rules.start(self.world, None)
        self.referee.rules.last = 3

    def frame(self, *touched, met=None, top_speed=0.0, kicker=-1, coin=False):
        flags = np.zeros(12, bool)
        flags[list(touched)] = True
        pairs = np.zeros((12, 12))
        for (i, j), speed in (met or {}).items():
            pairs[i, j] = speed
        last = touched[-1] if touched else -1
        self.referee.judge(self.world, Happened(flags, pairs, last, kicker, top_speed, coin))

    def ball(self, x, y, z=0.0):
        self.world.place_ball(x, y)
        self.world.ball[0, model.Z] = z

    def robot(self, k, x, y, vx=0.0):
        self.world.robots[0, k] = x, y, 0.0, vx, 0.0, 0.0

    @property
    def seen(self):
        return [(event.what, event.side) for event in self.referee.events]

    @property
    def next(self):
        return self.referee.state, self.referee.restart.kind, self.referee.restart.side


def test_a_goal_counts_and_the_others_kick_off():
    stage = Stage()
    stage.ball(X + 0.05, 0.2)
    stage.frame()
    assert stage.referee.score == [1, 0] and stage.next == (State.STOP, State.KICK_OFF, 1)
    stage = Stage()
    stage.ball(-X - 0.05, 0.2)
    stage.frame()
    assert stage.referee.score == [0, 1] and stage.next[2] == 0


def test_no_goal_over_the_bar_beside_the_posts_or_on_the_line():
    for place in ((X + 0.05, 0.2, 0.3), (X + 0.05, 0.6, 0.0), (X + 0.01, 0.0, 0.0)):
        stage = Stage()
        stage.ball(*place)
        stage.frame()
        assert stage.referee.score == [0, 0]


@pytest.mark.parametrize("last, what", [(3, "goal kick"), (9, "corner kick")])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_what_follows_no_goal_through_the_air_is_at_the_side_where_it_went_in(last, what, side):
    stage = Stage()
    stage.referee.rules.last = last
    stage.ball(3.0, 0.3 * side, z=0.4)
    stage.frame()
    stage.ball(X + 0.05, 0.3 * side)
    stage.frame()
    assert stage.seen == [("no goal, through the air", 0), (what, last // 6 ^ 1)]
    assert stage.referee.restart.spot[1] == pytest.approx(side * (Y - 0.2))


def test_a_goal_through_the_air_does_not_count_until_a_mate_has_touched():
    for mate, score in ((False, [0, 0]), (True, [1, 0])):
        stage = Stage()
        stage.ball(2.0, 0.0)
        stage.frame(3)
        stage.ball(3.0, 0.0, z=0.4)
        stage.frame()
        stage.ball(4.0, 0.0)
        stage.frame(*([4] if mate else []))
        stage.ball(X + 0.05, 0.0)
        stage.frame()
        assert stage.referee.score == score
    assert stage.next == (State.STOP, State.KICK_OFF, 1)


@pytest.mark.parametrize(
    "place, last, what, side, spot",
    [
        ((1.0, Y + 0.05), 3, "throw in", 1, (1.0, Y - 0.2)),
        ((X + 0.05, 2.0), 3, "goal kick", 1, (X - 1.0, Y - 0.2)),
        ((X + 0.05, -2.0), 8, "corner kick", 0, (X - 0.2, 0.2 - Y)),
    ],
)
def test_a_ball_that_leaves_comes_back_for_the_other_side(place, last, what, side, spot):
    stage = Stage()
    stage.ball(*place)
    stage.frame(last)
    assert stage.seen == [(what, side)] and stage.next == (State.STOP, State.FREE_KICK, side)
    assert stage.referee.restart.spot == pytest.approx(spot)


def test_a_throw_in_is_where_the_ball_crossed_the_line():
    """A fast ball is seen 8 cm behind it; it came at 45 degrees."""
    stage = Stage()
    stage.ball(1.08, Y + model.BALL_RADIUS + 0.08)
    stage.world.ball[0, model.BVX : model.BVY + 1] = 5.0, 5.0
    stage.frame(3)
    assert stage.referee.restart.spot == pytest.approx((1.0, Y - 0.2), abs=0.003)


def test_a_restart_waits_for_those_who_must_be_away_and_then_for_the_kick():
    stage = Stage()
    stage.ball(1.0, Y + 0.05)
    stage.robot(2, 1.0, Y - 0.5)  # blue touched last, so blue must be away
    stage.frame(3)
    for _ in range(round(2.0 / model.FRAME)):
        stage.frame()
    assert stage.referee.state is State.STOP
    assert stage.world.ball[0, :2] == pytest.approx((1.0, Y - 0.2))
    stage.robot(2, 1.0, Y - 1.0)
    stage.frame()
    assert stage.referee.state is State.FREE_KICK
    stage.ball(1.03, Y - 0.2)
    stage.frame(8)
    assert stage.referee.state is State.FREE_KICK  # three centimetres are not in play
    stage.ball(1.1, Y - 0.2)
    stage.frame()
    assert stage.referee.state is State.RUNNING and stage.referee.rules.kicker == 8


def test_a_kick_that_nobody_takes_is_open_to_all():
    stage = Stage()
    stage.referee._stop(State.FREE_KICK, 1, np.array([0.0, 0.0]))
    for _ in range(round((referee.SETTLE[0] + referee.KICK_WITHIN + 0.2) / model.FRAME)):
        stage.frame()
    assert stage.referee.state is State.RUNNING


def test_coming_too_near_a_kick_is_a_foul():
    stage = Stage()
    stage.referee._stop(State.FREE_KICK, 1, np.array([0.0, 0.0]))
    while stage.referee.state is State.STOP:
        stage.frame()
    stage.frame(3)
    assert stage.seen[-1] == ("too near a kick", 0) and stage.next == (State.STOP, State.FREE_KICK, 1)


def test_nobody_kicks_off_into_a_half_that_is_not_empty():
    stage = Stage()
    stage.referee._stop(State.KICK_OFF, 1, np.zeros(2))
    stage.robot(2, 0.5, 1.5)
    for _ in range(round(2.0 / model.FRAME)):
        stage.frame()
    assert stage.referee.state is State.STOP
    stage.robot(2, -0.5, 1.5)
    stage.frame()
    assert stage.referee.state is State.KICK_OFF


def test_the_kicker_may_not_touch_twice():
    def play(*touches):
        stage = Stage()
        stage.referee.rules.start(stage.world, 2)
        for robot in touches:
            stage.ball(0.0, 0.0)
            stage.robot(2, 0.0 if robot == 2 else -1.0, 0.09)
            stage.frame(*([robot] if robot is not None else []))
        return stage

    assert play(2, None, 2).seen == [("double touch", 0)]
    assert play(2, None, 8, 2).seen == []  # somebody else was in between
    assert play(2, 2, 2).seen == []  # it never let go


def test_attackers_may_not_play_in_the_others_area_nor_defenders_in_their_own():
    stage = Stage()
    stage.ball(X - 0.5, 0.3)
    stage.robot(3, X - 0.5, 0.2)
    stage.frame(3)
    assert stage.seen == [("attacker in defence area", 0)] and stage.next == (
        State.STOP,
        State.FREE_KICK,
        1,
    )
    stage = Stage()
    stage.ball(0.5 - X, 0.3)
    stage.robot(3, 0.5 - X, 0.2)
    stage.frame(3)
    assert stage.seen == [("defender in defence area", 0)] and stage.next == (State.STOP, State.PENALTY, 1)
    assert stage.referee.restart.spot[0] == pytest.approx(FIELD.penalty - X)
    stage = Stage()
    stage.ball(0.5 - X, 0.3)
    stage.robot(0, 0.5 - X, 0.2)
    stage.frame(0)
    assert stage.seen == []  # the keeper may


def test_a_ball_may_not_be_faster_than_the_limit():
    stage = Stage()
    stage.frame(3, top_speed=6.4)
    assert stage.seen == []
    stage.frame(3, top_speed=6.7)
    assert stage.seen == [("ball too fast", 0)] and stage.referee.fouls[0]["ball too fast"] == 1


def test_a_ball_that_is_too_fast_is_its_kickers_also_where_another_is_hit_at_once():
    stage = Stage()
    stage.frame(3, 8, top_speed=6.7, kicker=3)
    assert stage.seen == [("ball too fast", 0)]


def test_who_stays_on_the_spot_of_a_kick_is_carried_off():
    stage = Stage()
    for spot in (np.array([1.0, 0.5]), np.array([X - 0.2, 0.5])):
        stage.referee._stop(State.FREE_KICK, 1, spot)
        stage.robot(2, *spot)
        stage.robot(8, spot[0] + 0.05, spot[1])
        while stage.referee.state is State.STOP:
            stage.frame()
        assert stage.world.ball[0, :2] == pytest.approx(spot)
        away = np.hypot(*(stage.world.robots[0, [2, 8], :2] - spot).T) - model.ROBOT_RADIUS
        assert away[0] >= referee.KEEP_AWAY and model.BALL_RADIUS < away[1] < 0.1
        assert (np.abs(stage.world.robots[0, [2, 8], 0]) < X).all()
        for _ in range(120):
            stage.frame()
        assert "too near a kick" not in dict(stage.seen) and stage.referee.state is State.FREE_KICK


def test_the_faster_robot_is_to_blame_for_a_crash():
    for speed, seen in ((2.5, [("crash", 1)]), (1.2, [])):
        stage = Stage()
        stage.robot(3, 0.0, 0.0)
        stage.robot(8, 0.2, 0.0, vx=-speed)
        stage.frame()
        stage.frame(met={(3, 8): speed})
        assert stage.seen == seen


def test_pushing_is_a_foul_and_standing_together_is_not():
    for push, seen in ((0.3, [("pushing", 0)]), (0.0, [])):
        stage = Stage()
        for k in range(90):
            stage.robot(3, push * k / 90, 0.0)
            stage.robot(8, 0.18 + push * k / 90, 0.0)
            stage.frame(met={(3, 8): 1e-6})
            if stage.seen:
                break
        assert stage.seen == seen


@pytest.mark.parametrize("other, foul", [(4, True), (8, False)])
def test_mates_may_not_carry_it_further_together_and_a_duel_is_no_dribble(other, foul):
    stage = Stage()
    for k in range(200):
        stage.ball(0.01 * k - 1, 0.0)
        stage.robot(3, 0.01 * k - 1 - model.HELD * 0.8, -model.HELD * 0.6)
        stage.robot(other, 0.01 * k - 1 - model.HELD * 0.8, model.HELD * 0.6)
        stage.frame(3, other)
        if stage.seen:
            break
    assert stage.seen == ([("dribbled too far", 0)] if foul else [])
    assert not foul or stage.world.ball[0, 0] == pytest.approx(0.01)


def test_a_ball_may_be_carried_a_metre():
    stage = Stage()
    for k in range(120):
        stage.ball(0.01 * k, 0.0)
        stage.robot(3, 0.01 * k - model.HELD, 0.0)
        stage.frame(3)
        if stage.seen:
            break
    assert stage.seen == [("dribbled too far", 0)] and stage.world.ball[0, 0] == pytest.approx(1.01)


def test_a_ball_that_stays_is_dropped_and_a_keeper_may_not_keep_it():
    stage = Stage()
    stage.ball(1.0, 1.0)
    for _ in range(round(11.0 / model.FRAME)):
        stage.frame()
    assert stage.seen == [("no progress", -1)] and stage.referee.restart.side == -1
    for _ in range(round(2.0 / model.FRAME)):
        stage.frame()
    assert stage.referee.state is State.RUNNING
    stage = Stage()
    stage.ball(0.5 - X, 0.3)
    stage.robot(0, 0.5 - X, 0.2)
    for _ in range(round(10.5 / model.FRAME)):
        stage.frame(0)
    assert stage.seen == [("keeper held the ball", 0)]


@pytest.mark.parametrize("name", ["division-b", "seed"])
def test_free_kicks_are_at_the_nearest_place_clear_of_lines_and_areas(name):
    field, dice = load_field(name), np.random.default_rng(6)
    x, y = field.length / 2, field.width / 2
    grid = np.stack(np.meshgrid(np.linspace(-x, x, 301), np.linspace(-y, y, 301)), axis=-1).reshape(-1, 2)

    def clear(places, by):
        far = np.abs(places)
        area = (far[:, 0] <= x - field.area_depth - by) | (far[:, 1] >= field.area_width / 2 + by)
        return area & (far[:, 0] <= x - 0.2 + 1e-9) & (far[:, 1] <= y - 0.2 + 1e-9)

    free = grid[clear(grid, 1.0)]
    for spot in [*dice.uniform(-1, 1, (60, 2)) * [x, y], np.array([x - 0.2, field.area_width / 2 + 0.9])]:
        put = Referee(field, 60.0).allowed(spot)
        assert clear(put[None], 0.9999).all()
        assert np.hypot(*(put - spot)) < np.hypot(*(free - spot).T).min() + 1e-9


def test_a_game_has_two_halves_and_an_end():
    stage = Stage(seconds=2.0)
    stage.referee.first = 0
    kicks = []
    for _ in range(130):
        stage.frame()
        kicks.append(stage.referee.restart.side)
    assert stage.seen == [("half time", -1), ("end", -1)] and stage.referee.state is State.OVER
    assert (kicks[-1] == 1 and stage.referee.t == pytest.approx(2.0, abs=0.2)) or stage.referee.t > 2.0


def test_standing_too_near_a_kick_is_a_foul_every_two_seconds_and_the_kick_goes_on():
    stage = Stage()
    stage.referee._stop(State.FREE_KICK, 0, np.array([1.0, 1.0]))
    stage.referee._enter(State.FREE_KICK)
    stage.ball(1.0, 1.0)
    for gap, fouls in ((0.62, 0), (0.45, 1)):
        stage.robot(7, 1.0 + gap, 1.0)
        for _ in range(60):
            stage.frame()
        assert stage.referee.fouls[1]["too near a kick"] == fouls
    for _ in range(90):
        stage.frame()
    assert stage.referee.fouls[1]["too near a kick"] == 2 and stage.referee.state is State.FREE_KICK
    assert not stage.referee.fouls[0]


def test_an_attacker_with_an_edge_in_the_area_commits_a_foul():
    for outside, foul in ((0.1, False), (0.06, True)):
        stage = Stage()
        stage.ball(3.0, 0.0)
        stage.robot(3, X - FIELD.area_depth - outside, 0.0)
        stage.frame(3)
        assert (("attacker in defence area", 0) in stage.seen) == foul


def test_a_kicker_may_not_take_the_ball_along():
    stage = Stage()
    stage.referee.rules.start(stage.world, 3)
    for k in range(12):
        stage.ball(0.012 * k, 0.0)
        stage.robot(3, 0.012 * k - model.HELD, 0.0)
        stage.frame(3)
    assert stage.seen[0] == ("double touch", 0)


def test_both_are_to_blame_for_a_crash_of_equals():
    stage = Stage()
    stage.robot(3, 0.0, 0.0, vx=2.0)
    stage.robot(8, 0.18, 0.0, vx=-2.0)
    stage.referee.rules.velocity = stage.world.robots[0, :, 3:5].copy()
    stage.frame(met={(3, 8): 4.0})
    assert stage.seen == [("crash", 0), ("crash", 1)] and stage.next[2] == -1


def test_a_keeper_who_let_go_long_ago_did_not_keep_the_ball():
    stage = Stage()
    stage.robot(0, -X + 0.3, 0.0)
    stage.ball(-X + 0.4, 0.0)
    stage.frame(0)
    stage.ball(0.0, 0.0)
    for k in range(700):
        stage.ball(0.001 * k, 0.0)
        stage.frame(8)
    stage.ball(-X + 0.4, 0.0)
    stage.frame(0)
    assert not stage.seen


def test_a_dribble_ends_with_a_gap_that_can_be_seen():
    stage = Stage()
    for k in range(60):
        gap = 0.03 if k == 30 else 0.0
        stage.ball(0.02 * k, 0.0)
        stage.robot(3, 0.02 * k - model.HELD - gap, 0.0)
        stage.frame(*([] if gap else [3]))
    assert not stage.seen


def test_of_two_who_break_a_rule_at_once_the_coin_names_one():
    named = []
    for coin in (False, True):
        stage = Stage()
        stage.ball(X - 0.5, 0.3)
        stage.robot(3, X - 0.5, 0.2)
        stage.robot(9, X - 0.5, 0.4)
        stage.frame(3, 9, coin=coin)
        named += stage.seen
    assert named == [("attacker in defence area", 0), ("defender in defence area", 1)]
