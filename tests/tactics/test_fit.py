"""Fitting: errors that mean something, optimisers that find what made the episodes, and files of users."""

import json
from importlib import import_module

import numpy as np
import pytest

from swerve.cli.fit import _readable
from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.core.ledger import Ledger
from swerve.core.seeding import generator
from swerve.core.sweep import sweeping
from swerve.tactics import load_domain
from swerve.tactics.loop import fit, practice, with_materials
from swerve.tactics.loop.episodes import (
    ANGLES,
    BOUNCE_SPEEDS,
    SPEEDS,
    Episode,
    bounce,
    check_made_of,
    recorded_episodes,
    roll,
    simulated,
    yard,
)
from swerve.tactics.loop.errors import angle_error, collision, place_error, velocity_error
from swerve.tactics.loop.fit import GUESSED, MINIGOLF, parse_bounds, read_parameters, read_scatter
from swerve.tactics.loop.frames import Log
from swerve.tactics.loop.pymunk_world import Carpet
from swerve.tactics.loop.reality import FRAME, rolled
from swerve.tactics.loop.record import record
from swerve.tactics.loop.strikes import measured_strikes, with_strikes
from swerve.tactics.planar import PlanarEngine

fit_module = import_module("swerve.tactics.loop.fit")


def bounced(ratio, speed=4.0, angle=0.6, frames=60):
    """A way to the wall x = 0 and back, with the outgoing angle `ratio` times the incoming one."""
    t = (np.arange(frames) - 15.5)[:, None] * FRAME * speed
    before, after = np.array([[np.cos(angle), np.sin(angle)]]), ratio * angle
    return np.where(t < 0, t * before, t * np.array([[-np.cos(after), np.sin(after)]]))


def test_the_velocity_error_is_relative():
    t = np.arange(60) * FRAME
    one, other = (np.column_stack([v * t, 0 * t]) for v in (4.0, 3.0))
    assert velocity_error(one, other) == pytest.approx(0.25) and velocity_error(one, one) == 0.0


def test_the_angle_error_compares_out_over_in():
    assert collision(bounced(1.0)) in (14, 15, 16)
    assert angle_error(bounced(1.2), bounced(0.9)) == pytest.approx(0.3, abs=0.02)
    straight = np.column_stack([np.arange(60.0), np.zeros(60)]) * 0.05
    assert angle_error(bounced(1.0), straight) == 1.0


def test_the_place_error_is_over_the_way():
    way = np.column_stack([np.linspace(0, 2, 50), np.zeros(50)])
    assert place_error(way, way + np.array([0.0, 0.1])) == pytest.approx(0.05)


@pytest.fixture(scope="module")
def episodes():
    """A few putts whose materials are known."""
    world = with_materials(yard().world, {"ball.restitution": 0.6, "floor.rolling": 0.002})
    slot, found = world.slot("ball"), []
    for kind, place, velocity in (
        ("rolling", (3.0, 0.0), (3.0, 0.0)),
        ("bouncing", (-0.5, 0.0), (3.0, 1.5)),
        ("bouncing", (-0.5, 0.0), (2.5, 2.5)),
    ):
        row = world.initial.copy()
        row[slot.qpos : slot.qpos + 2], row[slot.qvel : slot.qvel + 2] = place, velocity
        found.append(Episode(kind, "ball", np.zeros((50, 2)), row))
    ways = simulated(world, found)
    return [Episode(e.kind, "ball", way, e.start) for e, way in zip(found, ways, strict=True)]


@pytest.mark.parametrize("method", ["nelder-mead", "cma-es"])
def test_fitting_finds_what_made_the_episodes(episodes, method):
    bounds = {"ball.restitution": (0.3, 0.95), "floor.rolling": (1e-4, 4e-3)}
    found = fit(yard().world, episodes, bounds, method, evaluations=70, threads=2)
    assert found.error_after < 0.2 * found.error_before
    assert found.after["ball.restitution"] == pytest.approx(0.6, abs=0.04)
    errors = [step["error"] for step in found.course]
    assert errors == sorted(errors, reverse=True) and found.before["ball.restitution"] == 0.75


def test_the_numbers_to_fit_can_say_what_reality_does():
    """The mean of two frictions is felt: one that the ball keeps must not hide the wood's or the carpet's."""
    for name, real in (("walls.friction", Carpet().rub), ("floor.friction", Carpet().sliding)):
        low, high = ((GUESSED["ball.friction"] + bound) / 2 for bound in MINIGOLF[name])
        assert low < 0.8 * real < 1.2 * real < high


def test_strikes_are_measured_through_noise():
    pytest.importorskip("pymunk")
    rebound, friction = measured_strikes(generator(1, "strikes"))
    assert rebound == pytest.approx(Carpet().strike, abs=0.05) and friction == pytest.approx(0.2, abs=0.05)


def test_a_robot_gets_what_makes_its_strikes_with_the_ball_at_hand():
    found = with_strikes({"ball.restitution": 0.8, "ball.friction": 0.0}, 0.5, 0.2)
    assert found["robot.restitution"] == pytest.approx(0.2) and found["robot.friction"] == pytest.approx(0.4)
    assert with_strikes({}, 0.5, 0.2)["robot.restitution"] == pytest.approx(0.5)


def test_slow_putts_are_watched_until_they_lie():
    """What slows a ball that hardly rolls any more does not show while it is fast."""
    pytest.importorskip("pymunk")
    way = roll(yard().world, Carpet(), generator(1, "episodes"), SPEEDS[0]).xy
    late, early = (np.hypot(*(way[k] - way[k - 15])) / (15 * FRAME) for k in (-1, 100))
    assert late < 0.02 and early > 0.5


BELIEVED = {**GUESSED, "ball.restitution": 0.8, "floor.friction": 0.4}  # nearly so


def test_practice_tells_how_much_of_a_planned_strike_the_ball_gets():
    """The more a model believes that robots throw balls back, the less of that comes."""
    pytest.importorskip("pymunk")
    believed = with_strikes(BELIEVED, Carpet().strike, 0.2)
    found = practice.practised(believed, 3, putts=3)
    assert 0.93 < found.factor < 1.02 and 0 < found.uneven < 0.05 and 0 < found.awry < 0.03
    assert practice.practised(believed, 3, putts=3) == found
    livelier = practice.practised(with_strikes(believed, Carpet().strike + 0.09, 0.2), 3, putts=3)
    assert livelier.factor == pytest.approx(found.factor * 1.5 / 1.59, rel=0.02)


def test_practice_makes_strikes_come_out_as_planned(monkeypatch):
    """A ball that gets 0.95 of 1 + 0.6 times a speed has a rebound of 0.52: the mean of both numbers."""
    monkeypatch.setattr(practice, "practised", lambda *_: practice.Scatter(0.95, 0.02, 0.01))
    changed, scatter = practice.with_practice({"ball.restitution": 0.8, "robot.restitution": 0.4}, 1)
    assert changed == {"ball.restitution": 0.8, "robot.restitution": pytest.approx(2 * 0.52 - 0.8)}
    assert scatter == practice.Scatter(1.0, 0.02, 0.01)


@pytest.mark.parametrize(("ball", "factor"), [(0.98, 0.9), (0.1, 1.5)])
def test_what_no_rebound_of_a_robot_can_make_so_stays_a_factor(monkeypatch, ball, factor):
    """It was said to be 1, though strikes came out weaker or stronger than planned."""
    monkeypatch.setattr(practice, "practised", lambda *_: practice.Scatter(factor, 0.02, 0.01))
    before = {"ball.restitution": ball, "robot.restitution": 0.1}
    changed, scatter = practice.with_practice(before, 1)
    really = (1 + (ball + 0.1) / 2) * factor
    assert changed["robot.restitution"] in (0.0, 1.0)
    assert scatter.factor * (1 + (ball + changed["robot.restitution"]) / 2) == pytest.approx(really)


@pytest.mark.parametrize("strikes", [0, 1, practice.FEWEST - 1])
def test_where_hardly_a_putt_can_be_played_practice_changes_nothing(monkeypatch, strikes):
    """With a ball that does not get far in the model fitting ended in an error, or in a scatter of NaN."""
    left = iter([(np.array([0.05, 0.0]), np.array([0.04, 0.0]))] * strikes)
    monkeypatch.setattr(practice, "_putt", lambda *_: next(left, None))
    with sweeping(1):
        assert practice.with_practice(BELIEVED, 1) == (BELIEVED, None)


def test_putts_that_were_practised_are_not_practised_again_when_a_run_goes_on(monkeypatch, tmp_path):
    """They are a sweep: written down as they come, and done wherever sweeps are."""
    made = []

    def putt(options, seed):
        made.append(seed)
        return None if seed % 3 else (np.array([0.05, 0.0]), np.array([0.04, 0.001 * seed]))

    putt.__module__, putt.__qualname__ = practice.__name__, "_putt"
    monkeypatch.setattr(practice, "_putt", putt)
    found = []
    for _ in range(2):
        with Ledger(tmp_path / "fit.ledger") as ledger, sweeping(1, ledger=ledger):
            found.append(practice.practised(BELIEVED, 0, putts=12))
    assert made == list(range(12)) and found[0] == found[1] and found[0].uneven > 0


@pytest.mark.long
def test_after_practice_the_ball_gets_what_was_planned():
    pytest.importorskip("pymunk")
    changed, _ = practice.measured(BELIEVED, 5)
    assert practice.practised(changed, 6).factor == pytest.approx(1.0, abs=0.012)


@pytest.mark.parametrize("speed", [BOUNCE_SPEEDS[0], BOUNCE_SPEEDS[-1]])
def test_episodes_begin_with_what_was_seen_before_the_bounce(speed):
    """First states come from first frames, in which the fastest ball must not have met the bar."""
    pytest.importorskip("pymunk")
    episode = bounce(yard().world, Carpet(), generator(1, "episodes"), ANGLES[0], speed)
    slot = yard().world.slot("ball")
    found = float(np.hypot(*episode.start[slot.qvel : slot.qvel + 2]))
    assert episode.kind == "bouncing" and found == pytest.approx(speed, rel=0.05)


def test_a_simplex_that_came_to_rest_is_not_the_end(monkeypatch, episodes):
    """Another begins at the best that is known, until all evaluations are spent."""
    monkeypatch.setattr(fit_module, "simulated", lambda world, *_: world.by_name["ball"].material)
    monkeypatch.setattr(fit_module, "total_error", lambda _, made: abs(made.restitution - 0.6))
    found = fit(yard().world, episodes, {"ball.restitution": (0.3, 0.95)}, evaluations=150)
    assert found.evaluations == 150 and found.after["ball.restitution"] == pytest.approx(0.6, abs=1e-4)


def test_both_fidelities_repeat_an_episode_alike(episodes):
    ways = [simulated(yard().world, episodes, fidelity=what) for what in ("full", "planar")]
    assert max(np.abs(a - b).max() for a, b in zip(*ways, strict=True)) < 0.03
    with pytest.raises(BadInput, match="fidelity"):
        fit(load_domain("pool").world, episodes, {"yellow ball.restitution": (0.3, 0.9)}, fidelity="planar")


def test_bad_bounds_are_named(episodes):
    with pytest.raises(BadInput, match="LOW:HIGH"):
        parse_bounds(["ball.restitution"])
    with pytest.raises(BadInput, match="field must be one of"):
        fit(yard().world, episodes, {"ball.colour": (0.0, 1.0)})


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("ball.restitution:0:inf", "LOW less than HIGH"),
        ("ball.restitution:nan:1", "LOW less than HIGH"),
        ("ball.restitution:0.9:0.3", "LOW less than HIGH"),
        ("ball.restitution:-5:9", r"restitution must be in \[0, 1\]"),
        ("ball.friction:-1:1", "friction must be zero or more"),
        ("ball.mass:0:1", "mass must be positive"),
    ],
)
def test_bounds_that_no_material_has_are_refused_as_they_were_given(word, why):
    with pytest.raises(BadInput, match=f"^--parameter: {why}, got '{word}'$" if "LOW" not in why else why):
        parse_bounds([word])


def test_a_person_is_told_what_was_fitted():
    """The table held no numbers that were fitted, only the file in which they are."""
    told = _readable(
        {
            "parameters_before": {"wall.restitution": 0.5, "puck.spin_damping": None},
            "parameters_after": {"wall.restitution": 0.90461, "puck.spin_damping": 0.08},
            "without_influence": ["puck.spin_damping"],
            "at_ends": [],
            "interval_95_after": [0.5, 0.98765],
        }
    )
    assert told["fitted"] == "wall.restitution  0.5 → 0.9046\npuck.spin_damping  – → 0.08"
    assert told["without_influence"] == "puck.spin_damping" and told["at_ends"] is None
    assert told["interval_95_after"] == "0.50 to 0.99"


def test_a_file_without_numbers_is_none_of_parameters(tmp_path):
    (tmp_path / "p.json").write_text("{}")
    with pytest.raises(BadInput, match="holds no numbers"):
        read_parameters(tmp_path / "p.json")


def test_numbers_that_cannot_be_together_name_their_file():
    found = {"ball.friction": 0.3, "ball.static_friction": 0.1}
    with pytest.raises(BadInput, match=r"^parameters p.json: body ball, material.static_friction"):
        with_materials(yard().world, found, "parameters p.json")


def test_a_number_has_one_range():
    """The last one counted without a word."""
    with pytest.raises(BadInput, match=r"there twice, got 'ball.mass:1:3'"):
        parse_bounds(["ball.mass:1:2", "ball.friction:0:1", "ball.mass:1:3"])


@pytest.mark.parametrize("method", ["nelder-mead", "cma-es"])
@pytest.mark.parametrize("most", [1, 3, 12])
def test_no_more_is_evaluated_than_allowed(episodes, method, most):
    found = fit(yard().world, episodes[:1], {"ball.damping": (0.0, 0.05)}, method, evaluations=most)
    assert found.evaluations == most


@pytest.mark.parametrize("value", ["true", '"1"', "null", "[1]"])
def test_what_is_no_number_is_no_parameter(value, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(f'{{"ball.mass": {value}}}')
    with pytest.raises(BadInput, match="is not a mapping of numbers"):
        read_parameters(path)


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ({"factor": 1.0}, "another scatter"),
        ([1, 2], "another scatter"),
        ({"factor": 1, "uneven": -1, "awry": 0}, "-1"),
    ],
)
def test_a_scatter_that_is_none_is_refused(held, words, tmp_path):
    file = tmp_path / "parameters.json"
    file.write_text(json.dumps({"parameters_after": {"ball.restitution": 0.8}, "scatter": held}))
    with pytest.raises(BadInput, match=words):
        read_scatter(file)


def test_a_scatter_is_read_where_there_is_one(tmp_path):
    file = tmp_path / "parameters.json"
    file.write_text('{"scatter": {"factor": 1.0, "uneven": 0.02, "awry": 0.01}}')
    assert read_scatter(file) == practice.Scatter(1.0, 0.02, 0.01)
    file.write_text('{"ball.restitution": 0.8}')
    assert read_scatter(file) is None


def seen(problem, rows):
    """A recording of the ball and the robot in some rows."""
    log = Log(truth=list(rows), estimate=list(rows), planned=[None] * len(rows), commands=[{}] * len(rows))
    log.touched = [np.zeros(len(problem.world.watch), dtype=bool)] * len(rows)
    return record(log, problem, {"scene": "minigolf-one-bounce", "seed": 3})


def rolling(problem, speed=2.0):
    """Rows in which the ball rolls and the robot turns, in the model."""
    ball, robot, row = problem.world.slot("ball"), problem.world.slot("robot"), problem.start.copy()
    row[ball.qpos : ball.qpos + 2], row[ball.qvel] = (0.3, 0.5), speed
    row[robot.qpos : robot.qpos + 3] = (0.3, 1.4, 0.7)
    row[robot.qvel + 2] = 0.5
    rolled(problem.world, "ball", row)
    engine, rows = PlanarEngine(problem.world), [row]
    for _ in range(24):
        rows.append(engine.step(rows[-1][None], np.zeros((1, problem.world.model.nv)))[0][0])
    return np.array(rows)


def test_a_users_ball_begins_rolling_and_bodies_begin_turned_as_they_were_seen():
    problem = load_domain("minigolf-one-bounce", 3)
    rows = rolling(problem)
    (episode,) = recorded_episodes(problem, seen(problem, rows), "here")
    (way,) = simulated(problem.world, [episode], fidelity="planar")
    assert np.abs(way - episode.xy).max() < 0.01
    robot = problem.world.slot("robot")
    assert episode.start[robot.qpos + 2] == pytest.approx(0.7, abs=1e-3)
    assert episode.start[robot.qvel + 2] == pytest.approx(0.5, abs=0.02)


def test_what_a_model_cannot_repeat_is_refused():
    problem = load_domain("minigolf-one-bounce", 3)
    still = rolling(problem, 0.0)
    late = np.concatenate([still[:12], rolling(problem)])
    late[:, 0] = np.arange(len(late)) * FRAME
    with pytest.raises(BadInput, match="at rest"):
        recorded_episodes(problem, seen(problem, late), "here")
    recording = seen(problem, still)
    check_made_of(recording, "minigolf-one-bounce", problem.world, 3, "here")
    check_made_of(recording, "minigolf", problem.world, 0, "here")
    with pytest.raises(BadInput, match="--seed 3"):
        check_made_of(recording, "minigolf-one-bounce", problem.world, 0, "here")


def test_a_recording_of_another_world_of_that_name_is_refused():
    """No seed of soccer has the bodies of a game of one against one."""
    problem = load_domain("minigolf-one-bounce", 3)
    recording = seen(problem, rolling(problem))
    recording.meta["scene"] = "soccer"
    with pytest.raises(BadInput, match=r"another world: soccer has no robot$"):
        check_made_of(recording, "soccer", load_domain("soccer").world, 5, "here")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("errors", [(0.2, 0.01), (0.2, 0.19), (0.1, 0.0), (0.0,)])
def test_errors_of_any_size_are_drawn(tmp_path, errors):
    course = [{"evaluation": k + 1.0, "error": e, "ball.damping": 0.1 * k} for k, e in enumerate(errors)]
    found = fit_module.Fit(("ball.damping",), {}, {}, errors[0], errors[-1], len(errors), course)
    for each in (found, {"nelder-mead": found, "cma-es": found}):
        assert fit_module.draw_course(each, tmp_path / "fit.png").stat().st_size > 5_000


def test_numbers_that_change_nothing_are_named():
    problem = load_domain("minigolf-one-bounce", 3)
    episodes = recorded_episodes(problem, seen(problem, rolling(problem, 0.8)), "here")
    bounds = {"floor.rolling": (1e-4, 4e-3), "robot.restitution": (0.1, 0.9)}
    assert fit(problem.world, episodes, bounds, evaluations=4).unfelt == ("robot.restitution",)
    with pytest.raises(BadInput, match="change nothing"):
        fit(problem.world, episodes, {"robot.restitution": (0.1, 0.9)}, evaluations=4)


def test_a_users_recordings_are_fitted(tmp_path, capsys):
    problem = load_domain("minigolf-one-bounce", 3)
    file = seen(problem, rolling(problem, 0.8)).write(tmp_path / "recording.parquet")
    arguments = ["fit", "minigolf-one-bounce", str(file), "--evaluations", "12", "--seed", "3"]
    bounds = ["--parameter", "floor.rolling:0.0001:0.004", "--parameter", "ball.damping:0:0.01"]
    assert run([*arguments, *bounds, "--json", "--out", str(tmp_path / "fit")]) == 0
    result = json.loads(capsys.readouterr().out)
    assert set(result["parameters_after"]) == {"floor.rolling", "ball.damping"}
    assert result["error_after"] <= result["error_before"] and result["without_influence"] == []
    assert read_parameters(tmp_path / "fit" / "parameters.json") == result["parameters_after"]
    assert run([*arguments, "--out", str(tmp_path / "fit")]) == 2
    assert "--parameter" in capsys.readouterr().err
    assert run([*arguments[:-1], "4", *bounds, "--out", str(tmp_path / "fit")]) == 2
    assert "--seed 3" in capsys.readouterr().err


def test_both_optimisers_stand_side_by_side_and_the_better_counts(tmp_path, capsys):
    problem = load_domain("minigolf-one-bounce", 3)
    file = seen(problem, rolling(problem, 0.8)).write(tmp_path / "recording.parquet")
    arguments = ["fit", "minigolf-one-bounce", str(file), "--seed", "3", "--parameter", "ball.damping:0:0.01"]
    told = {}
    for method in ("both", *fit_module.METHODS):
        more = ["--method", method, "--evaluations", "9", "--json", "--out", str(tmp_path / method)]
        assert run([*arguments, *more]) == 0
        told[method] = json.loads(capsys.readouterr().out)
    both = told.pop("both")
    assert set(both["methods"]) == set(told) and "methods" not in told["cma-es"]
    for method, alone in told.items():
        beside = both["methods"][method]
        assert {name: alone[name] for name in beside if name in alone} == {
            name: beside[name] for name in beside if name in alone
        }
    best = min(told, key=lambda method: told[method]["error_after"])
    assert both["method"] == best and both["parameters_after"] == told[best]["parameters_after"]
    assert read_parameters(tmp_path / "both" / "parameters.json") == both["parameters_after"]
