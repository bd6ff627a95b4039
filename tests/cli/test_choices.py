"""Choices of the command are those of the wings, and shells complete them."""

import os
import subprocess
import sys

import pytest

from swerve.city.cigi.link import PACES
from swerve.cli import choices, names
from swerve.cli.main import run
from swerve.core.show.export import FORMS
from swerve.race.drive import GOALS
from swerve.race.trees import NAMES
from swerve.soccer.eyes.pitch import PITCHES
from swerve.soccer.eyes.scene import DRIFTS
from swerve.soccer.match.field import FIELDS
from swerve.tactics.loop.play import ATTACKERS
from swerve.tactics.plan import FIDELITIES, MEASURES, PLANNERS
from swerve.terrain.refine import METHODS


@pytest.mark.parametrize(
    "choice, words",
    [
        (choices.Goal, GOALS),
        (choices.TreeKind, (*NAMES, "graph", "takes")),
        (choices.Planner, PLANNERS),
        (choices.Measure, MEASURES),
        (choices.Fidelity, FIDELITIES),
        (choices.Attacker, ATTACKERS),
        (choices.Method, METHODS),
        (choices.Pace, PACES),
        (choices.ExportedAs, FORMS),
        (choices.FieldName, PITCHES),
        (choices.FieldName, FIELDS),
        (choices.Drifting, DRIFTS),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_choices_are_those_of_the_wing(choice, words):
    assert {one.value for one in choice} == set(words)


@pytest.fixture
def refused(capsys, tmp_path, monkeypatch):
    """The one line that a command that is refused says."""

    def line(words):
        monkeypatch.chdir(tmp_path)
        assert run(words) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1
        return err

    return line


@pytest.mark.parametrize(
    "words, told",
    [
        (
            ["race", "final", "--goal", "finsh"],
            "--goal: must be one of finish, progress, far, got 'finsh'. Did",
        ),
        (["race", "final", "--execute", "x"], "--execute: must be one of playback, physics, got 'x'\n"),
        (["plan", "pool", "--tactic", "defualt"], "Did you mean 'default'?"),
        (["terrain", "mountain", "--cost", "money"], "--cost: must be one of time, distance"),
        (["ride", "herd", "--detail", "much"], "--detail: must be one of full, map, mixed, got 'much'"),
        (["ride", "path", "--controller", "none"], "--controller: must be one of lod, simple"),
        (["city", "grid", "--cigi-pace", "slow"], "--cigi-pace: must be one of generator, clock, none"),
        (["show", "x.parquet", "--as", "hmtl"], "Did you mean 'html'?"),
        (["race", "tree", "build", "graaph"], "NAME: must be one of five, seven, large, bends, graph"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_word_that_is_no_choice_gets_one_line(words, told, refused):
    assert told in refused(words)


@pytest.mark.parametrize(
    "words, told",
    [
        (["city", "grid", "--stay", "5"], "--stay: needs --parking, got 5.0"),
        (["city", "grid", "--layout", "wheel"], "--layout: needs --wheel"),
        (["city", "grid", "--cigi-pace", "clock"], "--cigi-pace: needs --cigi"),
        (["ride", "herd", "--near", "5"], "--near: is for --detail mixed, not for full"),
        (["ride", "herd", "--most", "5"], "--most: is for --detail mixed"),
        (["ride", "path", "--controller", "simple", "--rule", "seed"], "--rule: is for --controller lod"),
        (["terrain", "mountain", "--watch", "10,10"], "--watch: is for a --cost with exposure, not for time"),
        (["race", "track", "final", "--length", "300"], "--length: is for generated tracks, not for final"),
        (
            ["race", "tree", "build", "takes", "--take", "a", "--speed", "9", "--k-c", "3"],
            "--k-c: is for graph",
        ),
        (["race", "tree", "build", "five", "--epsilon", "1"], "--epsilon: is for graph and takes, not for"),
        (["match", "--port", "10300"], "--port: needs --listen, got 10300"),
        (["plan", "pool", "--planner", "rrt", "--mu", "1"], "--mu: is for bgt and hybrid, not for rrt"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_option_that_would_not_be_used_is_refused(words, told, refused):
    assert told in refused(words)


@pytest.mark.parametrize(
    "line, offered",
    [
        ("swerve ra", {"race"}),
        ("swerve race shar", {"sharp-cornered"}),
        ("swerve race final --goal ", {"finish", "progress", "far"}),
        ("swerve plan minigolf-", {"minigolf-one-bounce", "minigolf-two-bounces"}),
        ("swerve study zickler-6.1", {f"zickler-6.1{k}" for k in ("", 1, 2, 3)}),
    ],
)
def test_shells_complete(line, offered):
    words = line.split(" ")
    about = {
        "_SWERVE_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "swerve"], env=os.environ | about, capture_output=True, text=True
    )
    assert set(done.stdout.split()) == offered, done.stderr


def test_every_name_that_is_offered_is_known(capsys):
    assert set(names.bench_names()) > {"race", "city"} and "hynes" in names.study_names()
    assert {"human", "car"} <= set(names.rider_names()) and "mountain" in names.place_names()
    assert names.town_names() and "race" in names.stop_names() and "large" in names.tree_names()
    assert isinstance(names.scene_names(), list)
