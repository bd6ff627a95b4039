"""The study of other people's roads: who stands when the time is up is waited for, and packed files count."""

import gzip

import numpy as np

from swerve.city import Simulation, SimulationOptions, grid
from swerve.city.roads.roads import LANE
from swerve.studies.roads import STUCK, WAITS, drive_file, wait_for_those_who_stand

ROAD = """<OpenDRIVE><header/><road id="1" length="180" junction="-1"><link/>
<planView><geometry s="0" x="0" y="0" hdg="0" length="180"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><width sOffset="0" a="3.5"/></lane></right></laneSection></lanes>
</road></OpenDRIVE>"""


def test_who_never_moves_again_is_stuck():
    """Two wait behind cars that stand of their own will; one of these drives on."""
    town = grid(3, 3, block=200.0, signals=False, pavements=False)
    simulation = Simulation(town, vehicles=4, seed=1, options=SimulationOptions(dt=0.25))
    free = np.flatnonzero((town.roads.kind == LANE) & (town.roads.length > 100))[[0, 4]]
    for k, lane in enumerate(free):
        simulation.traffic.place([2 * k, 2 * k + 1], [lane, lane], np.array([80.0, 68.0]), 0.0)
        simulation.characters.set(2 * k, "max_speed", 0.0)
        simulation.characters.set(2 * k + 1, "keeps_lane", True)
    while simulation.referee.longest_stand < WAITS + 1.0:
        simulation.step()
    simulation.characters.set(2, "max_speed", 15.0)
    wait_for_those_who_stand(simulation)
    assert simulation.referee.standing[1] > STUCK
    assert simulation.referee.standing[3] < WAITS


def test_a_packed_file_is_driven_like_another(tmp_path):
    path = tmp_path / "road.xodr.gz"
    path.write_bytes(gzip.compress(ROAD.encode()))
    row = drive_file(path, range(1, 2))
    assert row["loaded"] == "yes" and row["contacts"] == row["stuck"] == 0 and row["mean speed [m/s]"] > 5.0
