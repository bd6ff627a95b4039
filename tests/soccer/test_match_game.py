"""Whole matches: the same game from the same seed, the command, recordings, sight, bad input."""

import gc
import json

import numpy as np
import pytest

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.core.show.figures import COLOUR_WORDS
from swerve.core.show.view import colours_of, look
from swerve.soccer import (
    Match,
    MatchOptions,
    MatchWorld,
    Referee,
    Sight,
    State,
    Team,
    Tracker,
    load_field,
    load_playbook,
    play_match,
)
from swerve.soccer.match.log import Log
from swerve.soccer.match.record import names, record
from swerve.soccer.match.referee import Event
from swerve.soccer.match.world import Happened


def test_the_same_seed_plays_the_same_game_and_another_another():
    def tracks(seed):
        match = play_match("swerve", "swerve", MatchOptions(minutes=0.1), seed)
        return np.concatenate([part.ravel() for part in match.log.tracks()])

    first, again, other = tracks(3), tracks(3), tracks(4)
    assert (first == again).all() and (first != other).any()


def test_the_command_plays_writes_and_answers(tmp_path, capsys):
    words = ["match", "--minutes", "0.05", "--field", "seed", "--seed", "5", "--out", str(tmp_path), "--json"]
    assert run(words) == 0
    said = json.loads(capsys.readouterr().out)
    assert {"score", "minutes", "possession", "passes", "fouls", "frames_missed", "recording"} <= set(said)
    assert said["minutes"] == pytest.approx(0.05) and len(said["score"]) == 2
    recording = Recording.read(said["recording"])
    assert recording.meta["names"] == names(5) and len(np.unique(recording["id"])) == 11
    view = look(recording)
    assert {body.shape for body in view.bodies} == {"disc"} and len(
        {body.colour for body in view.bodies}
    ) == 3
    assert (tmp_path / "match.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "words, said",
    [
        (["--blue", "nobody"], "team: must be one of"),
        (["--yellow", "none.yaml"], "no such file"),
        (["--field", "moon"], "--field: must be one of division-b, seed"),
        (["--minutes", "1e-9"], "minutes: must be 0.0167 (a second) to 120"),
        (["--minutes", "nan"], "minutes: must be 0.0167"),
        (["--eyes", "--noise", "2"], "--noise: cannot be told with --eyes"),
        (["--vision-port", "10020"], "--vision-port: needs --listen"),
    ],
)
def test_bad_input_is_one_line_and_status_two(words, said, tmp_path, capsys):
    assert run(["match", "--out", str(tmp_path / "out"), *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1 and not (tmp_path / "out").exists()


def test_a_recording_holds_every_body_where_it_was():
    match = play_match("reactive", "reactive", MatchOptions(minutes=0.05), seed=1)
    times, robots, ball = match.log.tracks()
    recording = record(match.log, match.referee, {})
    for body, kind, columns in recording.bodies():
        if body == 0:
            assert kind == "orange ball" and np.allclose(columns["x"], ball[:, 0])
        else:
            assert kind.startswith("blue" if body <= 6 else "yellow")
            assert np.allclose(columns["y"], robots[:, body - 1, 1], atol=1e-6)
            turn = columns["heading"] - robots[:, body - 1, 2]
            assert np.allclose(np.cos(turn), 1.0, atol=1e-5)
    assert np.allclose(recording.times, times) and set(recording["play"]) == {"", "nearest shoots"}
    keepers = np.isin(recording["id"], (1, 7))
    assert set(recording["tactic"][keepers]) == {"goalie"} and "attack: shot" in recording["tactic"]
    assert (recording["tactic"][recording["id"] == 0] == "").all()


def test_pages_are_told_the_score_the_clock_the_calls_and_the_plays():
    match = play_match("swerve", "reactive", MatchOptions(minutes=0.3), seed=0)
    match.referee.events = [event for event in match.referee.events if not 7.8 < event.t < 9.2]
    match.referee.events += [Event(8.0, "goal", 1), Event(9.0, "double touch", 0)]  # as if there had been
    told = {one["label"]: one["steps"] for one in record(match.log, match.referee, {}).meta["captions"]}

    def at(label, t):
        return [text for since, text in told[label] if since <= t][-1]

    goals = [event.side for event in match.referee.events if event.what == "goal" and event.t < 8.0]
    ours, theirs = goals.count(0), goals.count(1)
    assert at("score", 7.9) == f"{ours} : {theirs}" and at("score", 8.1) == f"{ours} : {theirs + 1}"
    assert at("last call", 8.1) == "goal for yellow" and at("last call", 9.1) == "double touch by blue"
    assert at("clock", 8.5) == "0:08, first half" and at("clock", 12.1) == "0:12, second half"
    times, plays = np.array(match.log.times), match.log.plays
    for t in (0.5, 5.0, 12.0):
        k = int(np.searchsorted(times, t, side="right")) - 1
        assert (at("blue plays", t), at("yellow plays", t)) == plays[k]
        assert ("stopped" in at("referee", t)) == (match.log.states[k] == State.STOP)
    assert {"kick-off for blue", "kick-off for yellow"} & {text for _, text in told["referee"]}


def test_teams_change_ends_at_half_time():
    match = play_match("reactive", "reactive", MatchOptions(minutes=0.1), seed=2)
    times, robots, _ = match.log.tracks()
    assert [event.what for event in match.referee.events if event.what in ("half time", "end")] == [
        "half time",
        "end",
    ]
    half = times > 3.0 - 1e-6
    keepers = robots[:, [0, 6], 0]
    assert (keepers[~half, 0] < -3.5).all() and (keepers[~half, 1] > 3.5).all()
    assert (keepers[half, 0] > 3.5).all() and (keepers[half, 1] < -3.5).all()
    assert 0.4 < half.mean() < 0.6
    last, was = match.world.robots[0, 3], robots[-1, 3]  # of the row before
    assert np.allclose(was[:2], -last[:2], atol=0.2) and np.allclose(was[3:5], -last[3:5], atol=0.4)
    assert np.cos(was[2] - last[2]) < -0.9


def test_the_picture_of_the_world_is_better_than_what_is_seen():
    """Places and speeds after the filter and the run over the latency, of a robot that brakes and turns."""
    field = load_field("division-b")
    world = MatchWorld(field)
    world.robots[0, :, 1] = np.linspace(-2.5, 2.5, 12)
    world.robots[0, :, 0] = 3.0
    world.robots[0, 0, :2] = -3.0, 0.0
    world.place_ball(-1.0, -1.0)
    world.ball[0, 3] = world.ball[0, 6] = 2.0
    tracker = Tracker(world, Sight(place=0.002, latency=4), np.random.default_rng(2))
    errors, speeds, late = [], [], []
    for k in range(180):
        tracker.look()
        robots, ball = tracker.believed()
        commands = np.zeros((12, 6))
        commands[0, :2] = 2.0 * np.cos(0.05 * k), 2.0 * np.sin(0.05 * k)
        if k > 30:
            errors.append(np.hypot(*(robots[0, 0, :2] - world.robots[0, 0, :2])))
            speeds.append(np.hypot(*(ball[0, 3:5] - world.ball[0, 3:5])))
            late.append(np.hypot(*(robots[1, 0, :2] - world.robots[0, 0, :2])))
        world.step(commands)
        tracker.sent(commands)
    assert np.mean(errors) < 0.012  # it knows what it told the robot; the picture is 13 cm late
    assert np.mean(late) > 1.5 * np.mean(errors)  # the other side does not
    assert np.mean(speeds) < 0.1


def test_the_command_tells_a_person_what_it_tells_a_program(tmp_path, capsys):
    words = ["match", "--blue", "reactive", "--minutes", "0.05", "--out", str(tmp_path)]
    assert run([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert run(words) == 0
    shown = {" ".join(line.split()) for line in capsys.readouterr().out.splitlines()}
    assert {"kicks {} : {}".format(*told["kicks"]), "passes {} : {}".format(*told["passes"])} <= shown
    assert any(line.startswith("possession ") and line.endswith(" %") for line in shown)
    assert "fouls " + " : ".join(str(sum(fouls.values())) for fouls in told["fouls"]) in shown


def test_a_mind_of_ones_own_can_play():
    class Still:
        def decide(self, robots, ball, situation):
            return np.zeros((6, 6))

    field = load_field("division-b")
    sides = (Team(load_playbook("swerve"), field, 0), Still())
    match = Match(field, sides, 4.0, Sight(), seed=1).play()
    assert match.log.frames == 240 and match.log.plays[-1][1] == ""


@pytest.mark.parametrize(
    "told, why",
    [
        (None, r"shape \(6, 6\), got \(\)"),
        (5.0, r"shape \(6, 6\), got \(\)"),
        (np.ones((1, 6)), r"shape \(6, 6\), got \(1, 6\)"),
        (np.zeros((6, 3)), r"shape \(6, 6\), got \(6, 3\)"),
        (np.full((6, 6), np.nan), "must be finite"),
        (np.full((6, 6), 1e308), "at most 1e"),
        ("left", "array of numbers"),
    ],
)
def test_a_mind_that_gives_no_commands_is_told_so(told, why):
    class Odd:
        def decide(self, robots, ball, situation):
            return told

    match = Match(load_field("division-b"), (Odd(), Odd()), 4.0, Sight(), seed=1)
    with pytest.raises(BadInput, match=f"blue's commands: .*{why}"):
        match.frame()
    assert np.isfinite(match.world.robots).all()


def test_no_frame_waits_for_the_garbage_collector():
    class Still:
        def decide(self, robots, ball, situation):
            collecting.append(gc.isenabled())
            return np.zeros((6, 6))

    collecting = []
    Match(load_field("division-b"), (Still(), Still()), 1.2, Sight(), seed=1).play()
    assert len(collecting) == 144 and not any(collecting) and gc.isenabled()


def test_nobody_plays_on_when_the_time_is_over():
    match = play_match("reactive", "reactive", MatchOptions(minutes=0.05), seed=2)
    assert match.referee.events[-1].what == "end" and match.referee.half == 2


def test_an_orange_ball_is_shown_orange():
    ball, robot = colours_of(["orange ball", "blue robot (disc)"])
    assert ball == COLOUR_WORDS["orange"] and robot == COLOUR_WORDS["blue"]


def test_kicks_and_passes_of_restarts_count():
    field = load_field("division-b")
    world, judge, log = MatchWorld(field), Referee(field, 60.0), Log(field)

    def frame(state, x, who=-1, kicker=-1):
        judge.state = state
        world.place_ball(x, 0.0)
        log.note(world, Happened(np.zeros(12, bool), np.zeros((12, 12)), who, kicker, 0.0), judge, ())

    frame(State.STOP, 3.0, 4, 4)  # before the ball is put down
    frame(State.KICK_OFF, 0.0, 4, 4)
    frame(State.KICK_OFF, 0.0, 2, 2)
    frame(State.RUNNING, 0.06)
    frame(State.RUNNING, 1.0, 3)
    assert (log.kicks, log.passes) == ([1, 0], [1, 0]) and log.possession == [1.0, 0.0]
    frame(State.STOP, 1.0, 3, 3)
    frame(State.FREE_KICK, 1.0)
    frame(State.RUNNING, 3.0, 4)
    assert (log.kicks, log.passes) == ([1, 0], [1, 0])


def test_who_carries_on_what_it_kicked_and_hands_it_over_has_not_passed():
    field = load_field("division-b")
    for touches, passes in (((), 1), ((0.3, 0.6, 0.9), 0), ((0.03,), 1)):
        world, judge, log = MatchWorld(field), Referee(field, 60.0), Log(field)
        judge.state, log.on = State.RUNNING, True
        for x, who, kicker in ((0.0, 2, 2), *((x, 2, -1) for x in touches), (1.0, 3, -1)):
            world.place_ball(x, 0.0)
            log.note(world, Happened(np.zeros(12, bool), np.zeros((12, 12)), who, kicker, 0.0), judge, ())
        assert log.passes == [passes, 0]


def test_a_row_tells_of_touches_in_frames_that_are_not_written_down():
    field = load_field("division-b")
    world, judge, log = MatchWorld(field), Referee(field, 60.0), Log(field, keep=3)
    for frame in range(7):
        met = np.zeros((12, 12))
        met[2, 8] = frame == 1
        log.note(world, Happened(np.zeros(12, bool), met, -1, -1, 0.0), judge, (None, None))
    assert [np.flatnonzero(row).tolist() for row in log.contact] == [[], [2, 8], []]


def test_the_lines_of_a_field_are_drawn_whole():
    """Those in the middle of a road are dashed."""
    roles = [line["role"] for line in load_field("division-b").scenery()["lines"]]
    assert roles.count("line") == 5 and set(roles) == {"wall", "line", "goal"}
