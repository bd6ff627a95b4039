"""A road that passes over itself is driven on two levels."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from swerve.cli.main import app
from swerve.core.errors import BadInput
from swerve.core.geometry import outlines
from swerve.race import Entry, Setting, Track, drive, read_circuit
from swerve.race.car import LENGTH, WIDTH
from swerve.race.drive import by_line
from swerve.race.racer import Reality
from swerve.race.touch import first_touch, leaving, touching
from swerve.race.tracks import write_circuit
from swerve.race.traffic import no_traffic

HALF = 5.0  # [m] of road on either side


def eight(flat: float = 1.0, size: float = 90.0) -> np.ndarray:
    """A figure of eight (n, 2), flatter where its roads cross at a smaller angle; it begins at the bridge."""
    t = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    return size * np.column_stack([np.sin(t), flat * np.sin(t) * np.cos(t)])


@pytest.fixture(scope="module")
def circuit(tmp_path_factory) -> Track:
    path = tmp_path_factory.mktemp("eight") / "eight.csv"
    rows = np.column_stack([eight(), np.full((400, 2), HALF)])
    np.savetxt(path, rows, delimiter=",", header="x_m,y_m,w_tr_right_m,w_tr_left_m")
    return read_circuit(path)


def stays_on_its_own_road(states: np.ndarray) -> bool:
    """Whether every corner of the car is within the road of the stretch that it is driving on, found by going
    along the figure from the start."""
    line = np.tile(eight(), (2, 1))
    at = 0
    for corners, state in zip(outlines(states[:, :3], LENGTH, WIDTH), states, strict=True):
        window = line[max(0, at - 5) : at + 30]
        at = max(0, at - 5) + int(np.argmin(np.hypot(*(window - state[:2]).T)))
        near = line[max(0, at - 20) : at + 21]
        apart = np.hypot(*(corners[:, None] - near[None]).transpose(2, 0, 1)).min(axis=1)
        if apart.max() > HALF:
            return False
    return True


def test_a_figure_of_eight_has_a_bridge_and_is_driven(circuit, large):
    (bridge,) = circuit.bridges
    apart = circuit.pose(bridge.under)[:2] - circuit.pose(bridge.over)[:2]
    assert circuit.closed and np.hypot(*apart) < 0.5 and bridge.over > bridge.under
    for reality in (Reality(), Reality(True, 0.1, 0.1, 0.1)):
        result = drive(circuit, large, Setting(laps=1), entry=Entry(reality=reality))
        assert result.finished and not result.crashed and stays_on_its_own_road(result.states)
        assert first_touch(circuit, result.states[:, :3], no_traffic()) == -1
        assert result.seconds < 1.3 * result.bound  # nobody brakes for the other road's walls


def test_each_level_has_its_own_walls_and_no_others(circuit):
    (bridge,) = circuit.bridges
    for station in (bridge.under, bridge.over):
        along = circuit.pose(station + np.linspace(-25.0, 25.0, 60))
        assert touching(along, circuit.walls).any() and not leaving(circuit, along).any()
        into_the_wall = circuit.pose(station + np.linspace(-25.0, 25.0, 60), HALF - 0.5)
        assert leaving(circuit, into_the_wall).all()
        assert first_touch(circuit, into_the_wall, no_traffic()) == 0


def test_clips_are_refused_there(circuit, large):
    with pytest.raises(BadInput, match="must be line: eight passes over itself"):
        drive(circuit, large, Setting(planner="tree"))


def test_roads_that_run_into_each_other_are_still_refused(tmp_path):
    for line in (eight(flat=0.2, size=200.0), eight(size=17.0)):
        with pytest.raises(BadInput, match="crosses or touches itself"):
            Track.from_centre("eight", line, HALF, HALF, closed=True, bridges=True)


def test_a_bridge_is_read_again_as_it_was_written(circuit, tmp_path):
    path = write_circuit(circuit, tmp_path / "again.csv")
    told = CliRunner().invoke(app(), ["race", "track", str(path), "--json"])
    assert json.loads(told.stdout)["bridges"] == 1
    again = read_circuit(path)
    assert len(again.bridges) == 1
    assert again.bridges[0].over == pytest.approx(circuit.bridges[0].over, abs=0.5)


def test_nobody_has_to_know_that_bridges_need_the_line(circuit, large):
    """Once a road with a bridge and cars was refused for a tree that nobody had asked for."""
    assert by_line(large, circuit, Setting(cars=8)) and by_line(large, circuit, Setting())
    assert not by_line(large, circuit, Setting(cars=8, planner="tree"))
