"""Broken riders, paths, maps, weights and obstacles through the command: status 2 and one line, or a ride;
and nothing is written outside `--out`. `SWERVE_RIDE_COMMANDS=300` runs as many; by default four, one of
each kind but riders, which take seconds to try out.
"""

import json
import os

import numpy as np
import pytest
from standin import standin
from test_rider_mutations import mutated

from swerve.cli.main import run
from swerve.riders import MapOptions, MobilityMap
from swerve.riders.bodies.rider import DATA
from swerve.riders.steering.tune import STORED

COUNT = int(os.environ.get("SWERVE_RIDE_COMMANDS", "4"))
STATUS = (0, 1, 2)


def good_files(folder):
    """A file of every kind that `swerve ride` reads, and the command that reads it."""
    rows = "\n".join(f"{k},{6.0 * k},{2 * np.sin(k / 2):.3f},3.0,4.0" for k in range(12))
    small = MobilityMap.build(standin(), MapOptions(states=6, actions=4, seconds=1.5))
    small.save(folder / "map.npz")
    texts = {
        "rider.yaml": (DATA / "human.yaml").read_text(),
        "way.csv": f"t,x,y,right,left\n{rows}\n",
        "stones.csv": "x,y,radius\n10,0,1\n30,2.5,0.5\n",
        "weights.json": json.dumps(json.loads(STORED.read_text())),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    herd = ["herd", "--detail", "map", "--riders", "2", "--seconds", "0.2"]
    return {
        "way.csv": ["path", "--detail", "map", "--path"],
        "map.npz": [*herd, "--map"],
        "weights.json": [*herd, "--weights"],
        "stones.csv": [*herd, "--obstacles"],
        "rider.yaml": ["stop", "--from", "9", "--map", str(folder / "map.npz"), "--rider"],
    }


@pytest.mark.filterwarnings("ignore")
def test_the_command_refuses_what_is_broken_in_one_line(tmp_path, capsys, monkeypatch):
    inputs, work = tmp_path / "in", tmp_path / "work"
    inputs.mkdir()
    work.mkdir()
    monkeypatch.chdir(work)
    commands = good_files(inputs)
    rng = np.random.default_rng(1616)
    statuses = []
    for k in range(COUNT):
        name = list(commands)[k % len(commands)]
        good = (inputs / name).read_bytes()
        spoiled = inputs / f"spoiled-{name}"
        spoiled.write_bytes(mutated(good, rng))
        status = run(["ride", *commands[name], str(spoiled), "--out", str(work / "out"), "--json"])
        printed = capsys.readouterr()
        assert status in STATUS, (name, k, printed.err)
        assert "Traceback" not in printed.err
        if status == 2:
            assert len(printed.err.strip().splitlines()) == 1 and not printed.out, (name, k, printed.err)
        statuses.append(status)
        spoiled.unlink()
    assert 2 in statuses
    assert {path.name for path in work.iterdir()} <= {"out"}
    assert {path.name for path in inputs.iterdir()} == set(commands)
