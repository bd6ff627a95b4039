"""`swerve play`: what it answers, and what it refuses."""

import json

import pytest

from swerve.cli.main import run
from swerve.core.recording import Recording
from swerve.tactics.loop import (
    PlayOptions,
    outlook,
    soccer,
)
from swerve.tactics.loop.reality import FRAME

pytest.importorskip("pymunk")


def test_play_answers_as_promised(tmp_path, capsys):
    arguments = ["play", "minigolf-one-bounce", "--reality", "pymunk", "--nodes", "400", "--seed", "3"]
    assert run([*arguments, "--json", "--out", str(tmp_path)]) == 0
    result = json.loads(capsys.readouterr().out)
    fields = ("success_rate", "interval_95", "collision_rate", "planning_seconds", "nodes_per_plan")
    assert set(fields) | {"frames", "frames_missed", "recording"} <= set(result)
    recording = Recording.read(result["recording"])
    assert len(recording.times) == result["frames"] + 1  # as it ended
    assert result["latency_ms"] == pytest.approx(1000 * 3 * FRAME)
    assert (tmp_path / "play.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["cricket"], "game: must be one of minigolf"),
        (["minigolf", "--noise", "-1"], "noise: must be within 0 and 1000"),
        (["hallway", "--noise", "1e200"], "noise: must be within 0 and 1000"),
        (["minigolf", "--rate-noise", "1e300"], "rate-noise: must be within 0 and 1000"),
        (["minigolf", "--latency", "5000"], "latency: must be within 0 and 1 s"),
        (["minigolf", "--interval", "0.5"], "interval: minigolf plans once"),
        (["minigolf", "--parameters", "nowhere.json"], "no such file"),
        (["hallway", "--opponent", "chase"], "opponent: hallway has no opponent, got 'chase'"),
    ],
)
def test_bad_input_is_one_line(arguments, word, tmp_path, capsys):
    assert run(["play", *arguments, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err.strip()
    assert word in error and "\n" not in error and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("game", "held", "words"),
    [
        ("minigolf-one-bounce", '{"ball.frictin": 1}', ["ball.frictin", "restitution"]),
        ("minigolf-one-bounce", '{"nobody.friction": 1}', ["nobody.friction", "walls"]),
        ("minigolf-one-bounce", '{"ball.friction": NaN}', ["friction", "nan"]),
        ("hallway", '{"ball.friction": 1}', ["hallway", "minigolf"]),
    ],
)
def test_parameters_that_a_game_does_not_have_are_refused_in_a_line(game, held, words, tmp_path, capsys):
    path = tmp_path / "p.json"
    path.write_text(held)
    code = run(["play", game, "--parameters", str(path), "--out", str(tmp_path / "out")])
    said = capsys.readouterr().err
    assert code == 2 and said.count("\n") == 1 and not (tmp_path / "out").exists()
    assert all(word in said for word in [*words, *([str(path)] if "NaN" not in held else [])])


@pytest.mark.parametrize(
    ("game", "options", "word"),
    [
        ("soccer", ["--driven", "action"], "driven"),
        ("soccer", ["--rate-noise", "0.5"], "rate-noise"),
        ("soccer", ["--margin", "0.1"], "margin"),
        ("minigolf", ["--margin", "0.1"], "margin"),
        ("hallway", ["--margin", "-0.1"], "margin"),
        ("maze", ["--margin", "inf"], "margin"),
        ("hallway", ["--rate-noise", "0.1"], "rate-noise"),
        ("minigolf-one-bounce", ["--rate-noise", "0.1"], "rate-noise"),
        ("minigolf", ["--opponent", "chase"], "opponent"),
        ("hallway", ["--opponent", "guard"], "opponent"),
        ("minigolf", ["--rate-noise", "nan"], "rate-noise"),
        ("minigolf", ["--noise", "inf"], "noise"),
        ("soccer", ["--attacker", "reactive", "--nodes", "7"], "nodes"),
        ("soccer", ["--attacker", "reactive", "--planner", "bgt"], "planner"),
    ],
)
def test_options_that_a_game_does_not_read_are_refused(game, options, word, tmp_path, capsys):
    assert run(["play", game, *options, "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert word in said and said.count("\n") == 1


def test_soccer_plans_with_the_planner_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(outlook, "Search", lambda problem, planner, *_, **__: asked.append(planner))
    with pytest.raises(AttributeError):  # there is no search
        soccer.trial("soccer", PlayOptions(planner="uniform"), 0)
    assert asked == ["uniform"]
