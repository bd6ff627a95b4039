"""A town in districts ends with the same bytes as in one piece, and says in a line what goes wrong.

At length: `SWERVE_DISTRICT_SEEDS=10 pytest tests/city/test_districts.py`.
"""

import os
import pickle
import signal
import sys

import numpy as np
import pytest

from swerve.city import Simulation, SimulationOptions, grid, load_town
from swerve.city.districts import Districts, cut, digest, district
from swerve.city.districts.cut import cells_of
from swerve.city.roads.roads import LANE
from swerve.cli.main import run
from swerve.core.errors import BadInput, SwerveError
from swerve.core.workers import Workers

SEEDS = int(os.environ.get("SWERVE_DISTRICT_SEEDS", 0))
PLAIN = SimulationOptions(referee=False)
STREET = (  # its number and where it lies
    '<road id="{0}" length="120" junction="-1"><planView><geometry s="0" x="0" y="{1}" hdg="0" length="120">'
    '<line/></geometry></planView><lanes><laneSection s="0"><left><lane id="1" type="driving">'
    '<width sOffset="0" a="3.5"/></lane></left><center><lane id="0" type="none"/></center><right>'
    '<lane id="-1" type="driving"><width sOffset="0" a="3.5"/></lane></right></laneSection></lanes></road>'
)


class InTurn:
    """Districts of this process, one after another, that share nothing but what they are told."""

    def __init__(self):
        self.kept, self.results = {}, []

    def tell(self, work, items):
        self.results = []
        for k, item in enumerate(items):
            district._here = self.kept.get(k)
            self.results.append(pickle.loads(pickle.dumps(work(pickle.loads(pickle.dumps(item))))))
            self.kept[k] = district._here

    def hear(self):
        return self.results

    def close(self):
        district._here = None


def whole(simulation, frames):
    for _ in range(frames):
        simulation.step()
    return simulation


def parted(simulation, count, frames, hosts=None):
    with Districts(simulation, count, hosts or InTurn()) as districts:
        for frame in range(frames):
            districts.step()
            if frame == frames // 2:
                districts.gather()  # one may look in between
        districts.gather()
    return districts


def test_districts_of_any_number_end_with_the_same_bytes():
    town = grid(4, 3)

    def fresh():
        return Simulation(town, 130, 20, 6, seed=3, options=PLAIN)

    one = whole(fresh(), 60)
    for count in (1, 3):
        simulation = fresh()
        districts = parted(simulation, count, 60)
        assert digest(simulation) == digest(one)
        assert simulation.traffic.arrivals == one.traffic.arrivals
        assert (districts.exchanged > 0) == (districts.crossed > 0) == (count > 1)


def test_cars_come_in_and_leave_by_open_roads(tmp_path):
    path = tmp_path / "roads.xodr"
    path.write_text(f"<OpenDRIVE>{STREET.format(1, 0)}{STREET.format(2, 60)}</OpenDRIVE>")
    town = load_town(path)
    one = whole(Simulation(town, 12, seed=1, options=PLAIN), 150)
    assert one.traffic.doors.left > 0 and one.traffic.doors.entered > 0
    simulation = Simulation(town, 12, seed=1, options=PLAIN)
    parted(simulation, 2, 150)
    assert digest(simulation) == digest(one)
    assert simulation.traffic.doors.entered == one.traffic.doors.entered


@pytest.mark.parametrize("seed", range(100, 100 + SEEDS))
def test_at_length(seed):
    rng = np.random.default_rng(seed)
    side = int(rng.integers(3, 8))
    vehicles, people = int(rng.integers(4, 14) * side**2), int(rng.integers(0, 6) * side**2)
    town = grid(side, side)

    def fresh():
        return Simulation(town, vehicles, people, vehicles // 8, seed=seed, options=PLAIN)

    one = digest(whole(fresh(), 600))
    for count in (2, 4, 7):
        simulation = fresh()
        parted(simulation, count, 600)
        assert digest(simulation) == one, (seed, count)


def test_a_cut_goes_round_junctions_and_shares_out_the_lanes():
    roads = grid(6, 6).roads
    made, cell = cut(roads, 4), cells_of(roads)
    start = np.repeat(np.arange(len(roads)), np.diff(roads.after_first))
    from_lane = roads.kind[start] == LANE
    assert (cell[start[from_lane]] == cell[roads.after[from_lane]]).all()
    for k in np.unique(cell):
        assert len(np.unique(made.owner[cell == k])) == 1
    lane = np.bincount(made.owner, np.where(roads.kind == LANE, roads.length, 0.0))
    assert lane.max() < 1.2 * lane.mean()
    own = (made.interest >> made.owner) & 1
    assert own.all()


def test_what_cannot_be_cut_is_refused():
    town = grid(3, 3)
    with pytest.raises(BadInput, match="districts: must be at most 9"):
        cut(town.roads, 10)
    with pytest.raises(BadInput, match="referee: there must be none"):
        Districts(Simulation(town, 5), 2, InTurn())


def test_characters_cannot_be_changed_while_districts_run():
    simulation = Simulation(grid(3, 3), 8, seed=1, options=PLAIN)
    with Districts(simulation, 1, InTurn()) as districts:
        districts.step()
        simulation.characters.set(0, "headway", 2.0)
        with pytest.raises(BadInput, match="characters: must stay as they are"):
            districts.step()


def test_a_district_that_is_killed_ends_the_run_in_a_line():
    hosts = Workers(1)
    simulation = Simulation(grid(3, 3), 20, options=PLAIN)
    with Districts(simulation, 1, hosts) as districts:
        districts.step()
        (process,) = hosts._lines.values()
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(SwerveError, match="a worker process ended by itself"):
            for _ in range(3):
                districts.step()
    assert not process.is_alive()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--districts", "0"], "--districts: must be between 1 and 60, got 0"),
        (["--districts", "-3"], "--districts: must be between 1 and 60, got -3"),
        (["--districts", "30", "--blocks", "3"], "--districts: must be at most 9, "),
        (["--districts", "2", "--record", "a.parquet"], "--record: is not for --districts"),
        (["--districts", "2", "--page"], "--page: is not for --districts"),
        (["--ray", "local"], "--ray: is for --districts"),
        (["--districts", "2", "--ray", "local"], "--ray: needs Ray"),
    ],
)
def test_bad_options_are_named(words, line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)
    assert run(["city", "grid", "--vehicles", "20", *words]) == 2
    assert capsys.readouterr().err.startswith(f"swerve: {line}")
