"""Names become names of files: none may lead out of the folder that was asked for."""

import pytest
import yaml

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.core.files import file_name
from swerve.core.library import MotionLibrary
from swerve.race import load_tree
from swerve.riders.bodies.rider import DATA


@pytest.mark.parametrize("name", ["../../evil", "/evil", "..", ".hidden", "a\\b", "", "x" * 300, "a\nb"])
def test_names_that_lead_elsewhere_are_refused(name, tmp_path, capsys):
    with pytest.raises(ValueError, match="name of a file"):
        file_name(name)
    rider = yaml.safe_load((DATA / "human.yaml").read_text()) | {"name": name}
    (tmp_path / "rider.yaml").write_text(yaml.safe_dump(rider))
    assert run(["ride", "body", "--rider", str(tmp_path / "rider.yaml"), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["rider.yaml"]


def test_names_of_move_trees_too():
    tree = load_tree("five")
    with pytest.raises(BadInput, match="name of a file"):
        MotionLibrary("../x", tree.clips, tree.source, tree.target, tree.node_names, tree.node_velocity)
