"""Models that are no models are refused in a line that names the place."""

import pytest

from swerve.city.ground.mesh_read import read_obj
from swerve.core.errors import BadInput

SQUARE = ["v 0 0 0", "v 9 0 0", "v 9 0 9", "v 0 0 9", "f 1 4 3", "f 1 3 2"]


@pytest.mark.parametrize(
    "row, line, told",
    [
        (1, "v 9 0", "line 2: cannot be understood, got 'v 9 0'"),
        (1, "v 9 x 0", "line 2: cannot be understood"),
        (4, "f 1 4 7", "line 5: cannot be understood"),
    ],
)
def test_a_spoilt_line_is_named(row, line, told, tmp_path):
    path = tmp_path / "place.obj"
    path.write_text("\n".join(line if k == row else given for k, given in enumerate(SQUARE)))
    with pytest.raises(BadInput, match=told):
        read_obj(path)
