"""The study of other people's roads: who stands when the time is up is waited for, and packed files count."""

import gzip

from swerve.city import Simulation, SimulationOptions, grid
from swerve.city.traffic import KeepSpeed
from swerve.studies.roads import STUCK, WAITS, drive_file, wait_for_those_who_stand

ROAD = """<OpenDRIVE><header/><road id="1" length="180" junction="-1"><link/>
<planView><geometry s="0" x="0" y="0" hdg="0" length="180"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><width sOffset="0" a="3.5"/></lane></right></laneSection></lanes>
</road></OpenDRIVE>"""


def test_who_never_moves_again_is_stuck():
    simulation = Simulation(grid(3, 3), vehicles=3, seed=1, options=SimulationOptions(dt=0.25))
    simulation.traffic.behaviours = [KeepSpeed(speed=0.0)]
    while simulation.referee.longest_stand < WAITS + 1.0:
        simulation.step()
    simulation.traffic.behaviours = [KeepSpeed(speed=0.0, who=simulation.groups.of_template(0))]
    wait_for_those_who_stand(simulation)
    assert simulation.referee.longest_stand > STUCK
    assert (simulation.referee.standing < STUCK).any()


def test_a_packed_file_is_driven_like_another(tmp_path):
    path = tmp_path / "road.xodr.gz"
    path.write_bytes(gzip.compress(ROAD.encode()))
    row = drive_file(path, range(1, 2))
    assert row["loaded"] == "yes" and row["contacts"] == row["stuck"] == 0 and row["mean speed [m/s]"] > 5.0
