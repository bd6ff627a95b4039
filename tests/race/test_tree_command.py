"""`swerve race tree`: what it prints, writes and refuses."""

import json

import pytest
from typer.testing import CliRunner

from swerve.cli.race_tree import app
from swerve.core.errors import BadInput
from swerve.race.drivers import cruise, in_turn, record, straight_at, turn
from swerve.race.trees import load_tree


def run(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_inspect_tells_a_program_and_a_person():
    told = json.loads(run("inspect", "large", "--json"))
    assert told["nodes"] == 7 and told["clips"] == len(load_tree("large").clips)
    assert told["worst_seam"] < 1e-6 and told["skids"] > 20 and told["reverses"]
    assert told["by_node"][0]["node"] == "stop"
    text = run("inspect", "large")
    assert "worst seam" in text and "medium" in text


def test_build_writes_a_tree_that_can_be_used(tmp_path):
    file = tmp_path / "mine.npz"
    told = json.loads(run("build", "five", "--out", file, "--json"))
    assert told["file"] == str(file) and told["clips"] == 5
    assert json.loads(run("inspect", file, "--json"))["clips"] == 5


def written_weave(folder):
    """Somebody who steers left and right all the time, as a recording."""
    weave = in_turn(*[(1.0, turn(10.0, w)) for w in (0.3, -0.3) * 5], (2.0, cruise(10.0)))
    (take,) = record(weave, straight_at([10.0]), 12.0)
    return take.to_recording().write(folder / "drive.parquet")


def test_build_makes_a_graph_of_somebodys_driving(tmp_path):
    drive = written_weave(tmp_path)
    told = json.loads(run("build", "graph", "--take", drive, "--out", tmp_path / "g.npz", "--json"))
    assert told["kind"] == "motion graph" and told["worst_seam"] < 0.4
    assert told["report"]["counts"]["takes"] == 1
    assert load_tree(tmp_path / "g.npz").meta["epsilon"] == 0.4


def test_draw_writes_a_picture(tmp_path):
    """Of a tree with one node; one with several is drawn by a command of the page on racing."""
    picture = tmp_path / "tree.png"
    run("draw", "seven", "--out", picture)
    assert picture.read_bytes()[:4] == b"\x89PNG" and picture.stat().st_size > 20_000


def test_a_tree_that_cannot_be_built_is_refused_with_those_that_can():
    result = CliRunner().invoke(app, ["build", "nine"])
    assert result.exit_code == 2 and "'graph'" in result.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("inspect", "nine"), "five, seven, large"),
        (("inspect", "absent.npz"), "no such file"),
        (("build", "five", "--out", "tree.txt"), "must end in .npz"),
        (("build", "graph", "--epsilon", "-1"), "epsilon"),
        (("build", "graph", "--take", "absent.parquet"), "no such file"),
        (("build", "five", "--take", "mine.parquet"), "is for graph"),
        (("draw", "five", "--out", "tree.gif"), "must end in .png"),
    ],
)
def test_bad_input_is_refused(arguments, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=says) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_thinning_of_a_graph_is_an_option(tmp_path):
    """k_c and k_s of the thesis: the more frames are skipped, the fewer places to cut are left."""
    clips, drive = [], written_weave(tmp_path)
    for k_s in (4, 30):
        words = "build", "graph", "--take", drive, "--k-c", 12, "--k-s", k_s, "--json"
        clips.append(json.loads(run(*words, "--out", tmp_path / f"{k_s}.npz"))["clips"])
    assert clips[1] < clips[0]
    with pytest.raises(BadInput, match="k_s"):
        run("build", "graph", "--k-s", -1, "--out", tmp_path / "no.npz")


def test_build_cuts_a_tree_from_somebodys_driving(tmp_path):
    drive, file = written_weave(tmp_path), tmp_path / "t.npz"
    told = json.loads(run("build", "takes", "--take", drive, "--speed", 10, "--out", file, "--json"))
    assert told["kind"] == "move tree" and told["nodes"] == 1 and told["worst_seam"] < 0.8
    tree = load_tree(file)
    assert tree.node_names == ("10 m/s",) and len(tree.clips) == told["clips"] >= 5


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("takes",), "give --take FILE"),
        (("five", "--speed", 10), "is for takes"),
        (("five", "--take", "drive.parquet"), "made without recordings"),
    ],
)
def test_build_says_what_takes_need(arguments, says):
    with pytest.raises(BadInput, match=says):
        run("build", *arguments)
