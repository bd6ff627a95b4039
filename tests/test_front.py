"""What `import swerve` offers: quickly, completely, and one door for everything that has a name or a file."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import swerve
from swerve.core.errors import BadInput
from swerve.core.plan import Status
from swerve.core.recording import Recording
from swerve.scenes import load as loading
from swerve.scenes.bodies import KNOWN

ROOT = Path(__file__).resolve().parents[1]


def test_importing_swerve_imports_nothing_else():
    code = "import sys, swerve; print([m for m in ('numpy', 'numba', 'typer', 'mujoco') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_every_name_of_the_face_is_there():
    for name in swerve.__all__:
        assert getattr(swerve, name) is not None
    assert set(swerve.__all__) <= set(dir(swerve)) and set(swerve.WINGS) <= set(dir(swerve))
    assert {"World", "Plan", "Recording", "Motion", "Bodies", "PlainBody", "Way", "load"} <= set(
        swerve.__all__
    )


def test_wings_are_reached_without_importing_them():
    assert swerve.race.drive is swerve.drive and swerve.city.Simulation is swerve.Simulation


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Wrold'"):
        swerve.Wrold  # noqa: B018


def test_type_checkers_see_the_same_names_from_the_same_places():
    tree = ast.parse(Path(inspect.getfile(swerve)).read_text())
    blocks = (node for node in tree.body if isinstance(node, ast.If))
    block = next(one for one in blocks if ast.unparse(one.test) == "TYPE_CHECKING")
    seen = {
        alias.name: f"swerve.{node.module}"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == swerve._HOME
    assert {*seen, "__version__"} == set(swerve.__all__)


@pytest.mark.parametrize("wing", [*swerve.WINGS, "scenes"])
def test_every_wing_has_a_face(wing):
    face = getattr(swerve, wing)
    assert face.__doc__ and len(face.__all__) >= 3
    for name in face.__all__:
        assert hasattr(face, name)


def test_names_that_load_knows_are_one_thing_each():
    names = loading.names()
    assert {"sharp-cornered", "large", "human", "grid", "mountain", "minigolf"} <= set(names)
    assert len(names) == sum(
        len(list(group))
        for group in (
            swerve.scenes.SCENES,
            swerve.race.tracks.NAMED,
            swerve.race.trees.NAMES,
            KNOWN,
            ("grid", "town"),
            swerve.terrain.scenes.SCENES,
            swerve.tactics.DOMAINS,
        )
    )


def test_load_tells_files_apart(tmp_path):
    t = np.arange(3.0)
    pose = np.stack([t, t, 0 * t], -1)
    path = Recording.planar(t, 1, "car", pose, np.ones((3, 2)), (4, 2, 1)).write(tmp_path / "a.parquet")
    assert isinstance(swerve.load(path), Recording)
    plan = swerve.Plan(Status.SOLVED, t, pose, ("x", "y", "heading"))
    assert isinstance(swerve.load(plan.save(tmp_path / "b.parquet")), swerve.Plan)
    data = Path(inspect.getfile(swerve)).parent
    assert type(swerve.load(data / "riders" / "data" / "human-map.npz")).__name__ == "MobilityMap"
    assert type(swerve.load(data / "race" / "data" / "five.npz")).__name__ == "MotionLibrary"
    assert type(swerve.load(ROOT / "docs" / "scenes" / "vans.yaml")).__name__ == "Scene"
    swerve.race.tracks.write_circuit(swerve.load_track("cornered"), tmp_path / "mine.csv")
    assert type(swerve.load(tmp_path / "mine.csv")).__name__ == "Track"
    (tmp_path / "town.yaml").write_text("grid: {columns: 3, rows: 3}\n")
    assert type(swerve.load(tmp_path / "town.yaml")).__name__ == "Town"
    assert type(swerve.load("minigolf")).__name__ == "Problem"


@pytest.mark.parametrize(
    "name, words",
    [
        ("finall", "did you mean final?"),
        ("zzz", "known are"),
        ("none.parquet", "no such file"),
        ("broken.parquet", "not a readable Parquet file"),
        ("note.txt", "must end in one of .parquet"),
        (".", "is not a file"),
    ],
)
def test_load_refuses_in_one_line(name, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.parquet").write_text("no")
    (tmp_path / "note.txt").write_text("no")
    with pytest.raises(BadInput) as error:
        swerve.load(name)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_a_car_is_a_body_that_load_knows():
    assert len(swerve.load("car").start(2)) == len(swerve.load_body("car").start(2)) == 2


def test_dice_are_known_by_how_many_there_are():
    assert swerve.load("dice-5").name == "dice-5"
    with pytest.raises(BadInput):
        swerve.load("dice-many")
