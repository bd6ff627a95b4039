"""Broken files are refused in one line, or read as what they say: bytes and values changed at random.

`SWERVE_TERRAIN_MUTATIONS=500` runs as many, drawn by `SWERVE_TERRAIN_MUTATIONS_SEED`; by default a hundred.
"""

import importlib.util
import json
import math
import os

import numpy as np
import pytest

from plain_mutations import refusals
from swerve.terrain import SurfacePath, Terrain, Vehicle, speed_profile
from swerve.terrain.circuit import Circuit
from swerve.terrain.cover import with_mobility
from swerve.terrain.geo import read_obstacles
from swerve.terrain.rounding import read_line
from swerve.terrain.scene_file import load_scene

try:
    import tifffile
except ImportError:
    tifffile = None
PACKED = {"lzw.tif": ("lzw", np.int16), "floats.tif": ("zlib", np.float32)}  # both with a predictor
if tifffile is None or importlib.util.find_spec("imagecodecs") is None:
    PACKED = {}

COUNT = int(os.environ.get("SWERVE_TERRAIN_MUTATIONS", "100"))
SEED = int(os.environ.get("SWERVE_TERRAIN_MUTATIONS_SEED", "5"))
FLAT = Terrain.from_heights(np.zeros((9, 9)), 10.0)
PATH = SurfacePath.from_points(np.column_stack([np.linspace(0, 80, 20), 5 * np.sin(np.linspace(0, 3, 20))]))
WORDS = (
    "",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "-1",
    "0",
    "true",
    "null",
    "[]",
    "{}",
    "é",
    "9" * 40,
    "x",
    '"a"',
    "\0",
)


def made(folder):
    """A good file of every kind, and what reads it."""
    a = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rows = [f"{50 * math.cos(u):.3f},{50 * math.sin(u):.3f},5.0,5.0" for u in a]
    ring = [[10, 10], [40, 10], [40, 40], [10, 10]]
    shape = {"type": "Polygon", "coordinates": [ring]}
    feature = {"type": "Feature", "properties": {"mobility": 0.5}, "geometry": shape}
    grid = "\n".join(" ".join(["1.5"] * 6) for _ in range(6))
    texts = {
        "map.asc": f"ncols 6\nnrows 6\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n{grid}\n",
        "car.yaml": "mass: 1200\nengine_force: 4000\nfriction: 0.9\nforce_curve: [[0, 4000], [30, 2000]]\n",
        "walls.geojson": json.dumps({"type": "FeatureCollection", "features": [feature, feature]}),
        "track.csv": "# x_m,y_m,w_tr_right_m,w_tr_left_m\n" + "\n".join(rows) + "\n",
        "line.csv": "s_m,x_m,y_m\n" + "\n".join(f"{k},{row[:-8]}" for k, row in enumerate(rows)) + "\n",
        "scene.yaml": "map: good.asc\nfrom: [10, 10]\nto: [40, 40]\nvehicle: {mass: 900}\ngrid: 5\n",
    }
    (folder / "good.asc").write_text(texts["map.asc"])
    np.save(folder / "map.npy", np.ones((6, 6)))
    if tifffile is not None:
        keys = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633)
        placed = [(33550, "d", 3, (10.0, 10.0, 0.0)), (33922, "d", 6, (0.0, 0.0, 0.0, 5e5, 5.3e6, 0.0))]
        places = [*placed, (34735, "H", len(keys), keys)]
        tifffile.imwrite(folder / "map.tif", np.ones((6, 6), np.float32), extratags=places)
        for name, (packing, kind) in PACKED.items():
            heights = np.arange(400).reshape(20, 20).astype(kind)
            tifffile.imwrite(
                folder / name, heights, extratags=places, compression=packing, predictor=True, rowsperstrip=5
            )
    np.savez(folder / "map.npz", heights=np.ones((6, 6)), spacing=5.0)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {
        "map.asc": Terrain.read,
        "map.npy": Terrain.read,
        "map.npz": Terrain.read,
        **({} if tifffile is None else {"map.tif": Terrain.read}),
        **dict.fromkeys(PACKED, Terrain.read),
        "car.yaml": lambda f: speed_profile(PATH, Vehicle.read(f)),
        "walls.geojson": lambda f: [read_obstacles(f, FLAT), with_mobility(FLAT, f)],
        "track.csv": lambda f: Circuit.read(f).profile(Circuit.read(f).centre, Vehicle.racing_car()),
        "line.csv": read_line,
        "scene.yaml": load_scene,
    }


def mutated(data, rng):
    """The bytes with some changed, cut off, doubled, or a word put in place of another."""
    if rng.random() < 0.3:
        spoiled = bytearray(data)
        for k in rng.integers(0, len(data), 1 + rng.integers(4)):
            spoiled[k] = rng.integers(256)
        return bytes(spoiled)
    if rng.random() < 0.2:
        return data[: rng.integers(0, len(data))]
    a, b = sorted(rng.integers(0, len(data), 2))
    return data[:a] + WORDS[rng.integers(len(WORDS))].encode() + data[min(b, a + rng.integers(12)) :]


@pytest.mark.filterwarnings("ignore")
def test_changed_files_are_refused_in_one_line_or_read(tmp_path, capfd):
    readers = made(tmp_path)
    for name, read in readers.items():  # the good ones first: kernels compile, which is said
        read(tmp_path / name)
    capfd.readouterr()
    refused = refusals(tmp_path, readers, mutated, COUNT, SEED)
    assert 0.3 * COUNT < refused < COUNT
    assert capfd.readouterr() == ("", "")  # no reader talks besides
