"""The map with its ways is drawn from plain arrays, by a process that has not loaded what plans."""

import pickle
import subprocess
import sys

import numpy as np
from PIL import Image

from swerve.terrain import PathOptions, Terrain, Vehicle, fastest_path
from swerve.terrain.ground_picture import SeenGround, SeenWay


def test_who_draws_the_map_need_not_load_what_plans(tmp_path):
    ground = Terrain.from_heights(np.add.outer(np.arange(5.0), np.zeros(5)), 25.0)
    routes = fastest_path(ground, (10, 10), (90, 90), Vehicle(), options=PathOptions(paths=2, keep=1))
    ways = [SeenWay.of(route) for route in routes.found]
    (tmp_path / "seen").write_bytes(pickle.dumps((SeenGround.of(ground), ways)))
    code = (
        "import pickle, sys; from swerve.terrain.ground_picture import draw_ground_first as draw; "
        "ground, ways = pickle.load(open('seen', 'rb')); "
        "draw('map.png', ground, lambda: (ways, ways[:1]), (10, 10), (90, 90), 'A slope'); "
        "print('numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
    with Image.open(tmp_path / "map.png") as picture:
        colours = np.asarray(picture.convert("RGB")).reshape(-1, 3)
    assert (colours == (0xD1, 0x49, 0x5B)).all(axis=1).sum() > 300  # the best way, in its colour
