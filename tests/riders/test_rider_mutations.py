"""Broken files are refused in one line, or ridden as what they say: bytes, words, numbers changed at random.

`SWERVE_RIDERS_MUTATIONS=300` runs as many; by default eleven, one of them a rider.
"""

import json
import os
import re

import numpy as np
import pytest
from standin import standin

from plain_mutations import refusals
from swerve.core.errors import BadInput
from swerve.riders import Glide, MapOptions, MobilityMap, load_map, load_rider, load_tuned
from swerve.riders.bodies.rider import DATA
from swerve.riders.steering.curves import Course
from swerve.riders.steering.follow import paces_for
from swerve.riders.steering.obstacles import read_obstacles
from swerve.riders.steering.tune import STORED

COUNT = int(os.environ.get("SWERVE_RIDERS_MUTATIONS", "11"))
WORDS = ("", "nan", "inf", "-inf", "1e400", "-1", "0", "true", "null", "[]", "{}", "é", "9" * 40, "x", "\0")
NUMBERS = ("0", "-1", "1e-9", "1e-4", "1e9", "1e300", ".nan", "-.inf", "3", "[]", "null")
NUMBER = re.compile(rb"(?<![\w.])-?\d+\.?\d*(?![\w.])")


def ride_by(map_):
    """A second on the map, steered by it."""
    ride, steering = Glide(map_, 2), load_tuned("standin").navigator(map_, "path")
    ride.put(np.zeros(2), np.array([0.0, 9.0]), np.zeros(2))
    for _ in range(10):
        motion = ride.motion()
        reference = np.tile([[[50.0, 1.0, 0.0]]], (2, steering.ticks, 1))
        ride.advance(motion.yaw + steering.turns(motion, reference), np.full(2, map_.speed), 0.1)


def made(folder):
    """A good file of every kind, and what reads and uses it."""
    small = MobilityMap.build(standin(), MapOptions(states=8, actions=4, seconds=2.0))
    small.save(folder / "map.npz")
    way = "\n".join(f"{k},{5.0 * k},{2 * np.sin(k):.3f},3.0,4.0" for k in range(20))
    texts = {
        "rider.yaml": (DATA / "human.yaml").read_text(),
        "way.csv": f"t,x,y,right,left\n{way}\n",
        "bare.csv": "0,0\n30,0\n60,8\n90,0\n0,0.5\n",
        "stones.csv": "x,y,radius\n10,0,1\n30,2.5,0.5\n",
        "weights.json": json.dumps({"standin": json.loads(STORED.read_text())["human"]}),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {
        "way.csv": lambda f: paces_for([Course.read(f)], small),
        "map.npz": lambda f: ride_by(load_map(f)),
        "bare.csv": lambda f: paces_for([Course.read(f)], small),
        "weights.json": lambda f: load_tuned("standin", f).navigator(small, "path"),
        "stones.csv": read_obstacles,
        "rider.yaml": lambda f: load_rider(f).start(1).advance(np.zeros(1), np.full(1, 9.0), 0.1),
    }


def mutated(data, rng):
    """The bytes with some changed or cut off, a word in place of another, or a number changed."""
    kind = rng.random()
    if kind < 0.2:
        spoiled = bytearray(data)
        for k in rng.integers(0, len(data), 1 + rng.integers(4)):
            spoiled[k] = rng.integers(256)
        return bytes(spoiled)
    if kind < 0.3:
        return data[: rng.integers(0, len(data))]
    found = list(NUMBER.finditer(data))
    if kind < 0.7 and found:
        one = found[rng.integers(len(found))]
        return data[: one.start()] + NUMBERS[rng.integers(len(NUMBERS))].encode() + data[one.end() :]
    at = rng.integers(0, len(data))
    return data[:at] + WORDS[rng.integers(len(WORDS))].encode() + data[at + rng.integers(12) :]


@pytest.mark.filterwarnings("ignore")
def test_changed_files_are_refused_in_one_line_or_ridden(tmp_path):
    readers = made(tmp_path)
    refused = refusals(tmp_path, readers, mutated, COUNT, 16)
    assert 0.3 * COUNT < refused < COUNT
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(readers)


@pytest.mark.parametrize(
    "array, value", [("controls", np.nan), ("controls", 0.0), ("node_velocity", np.nan), ("fell", -np.inf)]
)
def test_no_number_of_a_map_may_be_none(tmp_path, array, value):
    map_ = MobilityMap.build(standin(), MapOptions(states=4, actions=2, seconds=1.0))
    held = dict(np.load(map_.save(tmp_path / "map.npz")))
    shape = (len(held[array]), 2) if array == "controls" else held[array].shape
    np.savez(tmp_path / "map.npz", **{**held, array: np.full(shape, value)})
    with pytest.raises(BadInput, match=re.escape("map.npz")) as told:
        load_map(tmp_path / "map.npz")
    assert "\n" not in str(told.value)


def test_weights_are_numbers_and_streets_have_a_width(tmp_path):
    given = json.loads(STORED.read_text())
    given["human"]["lod"]["path"]["t_max"] = True
    (tmp_path / "weights.json").write_text(json.dumps(given))
    with pytest.raises(BadInput, match="True is no number"):
        load_tuned("human", tmp_path / "weights.json")
    (tmp_path / "way.csv").write_text("x,y,right,left\n0,0,0,0\n50,0,0,0\n")
    with pytest.raises(BadInput, match="edges above 0 m"):
        Course.read(tmp_path / "way.csv")


def test_a_body_that_no_push_moves_is_refused_in_one_line(tmp_path, capfd, recwarn):
    """LAPACK complained in lines of its own before anything was said."""
    text = (DATA / "human.yaml").read_text()
    (tmp_path / "rider.yaml").write_text(re.sub(r"fork_mass: .*", "fork_mass: 1.0e+30", text))
    with pytest.raises(BadInput, match="cannot be made to ride"):
        load_rider(tmp_path / "rider.yaml")
    assert capfd.readouterr() == ("", "") and not recwarn.list
