"""Towns from SUMO's networks: lanes lie where the file says, its lights and its right of way hold."""

import gzip
import re
from itertools import pairwise

import numpy as np
import pytest

from swerve.city import Simulation, load_town
from swerve.city.nets.rounded import rounded
from swerve.city.roads.lights import GREEN, RED, YELLOW
from swerve.city.roads.roads import CONNECTOR, LANE, LIGHT, STRAIGHT, YIELD
from swerve.core.errors import BadInput

# a road of two lanes from the west to the east, and a side road from the south that turns into it
NET = """<net version="1.20"{hand}>
<location netOffset="500.00,-100.00" projParameter="+proj=utm +zone=32 +ellps=WGS84 +units=m"/>
<edge id=":C_0" function="internal">
  <lane id=":C_0_0" index="0" speed="8" shape="1.6,-10 3,-4 10,-1.6"/></edge>
<edge id=":C_1" function="internal"><lane id=":C_1_0" index="0" speed="8" shape="-10,-4.8 10,-4.8"/>
  <lane id=":C_1_1" index="1" speed="8" shape="-10,-1.6 10,-1.6"/></edge>
<edge id=":C_c0" function="crossing"><lane id=":C_c0_0" index="0" speed="1" shape="-9,0 -9,5"/></edge>
<edge id="in" from="W" to="C"><lane id="in_0" index="0" speed="13.9" shape="-120,-4.8,0 -10,-4.8,2"/>
  <lane id="in_1" index="1" speed="13.9" shape="-120,-1.6,0 -10,-1.6,2"/></edge>
<edge id="out" from="C" to="E"><lane id="out_0" index="0" speed="13.9" shape="10,-4.8,2 60,-4.8,2 120,20,2"/>
  <lane id="out_1" index="1" speed="13.9" width="3.2" shape="10,-1.6,2 60,-1.6,2 120,23.4,2"/></edge>
<edge id="side" from="S" to="C"><lane id="side_0" index="0" speed="8.3" shape="1.6,-110,2 1.6,-10,2"/></edge>
<edge id="path" from="S" to="W">
  <lane id="path_0" index="0" allow="bicycle" speed="5" shape="0,-110 -110,0"/></edge>
{logic}
<junction id="C" type="priority" x="0" y="0" incLanes="side_0 in_0 in_1" intLanes=":C_0_0 :C_1_0 :C_1_1">
  <request index="0" response="110" foes="110" cont="0"/>
  <request index="1" response="000" foes="001" cont="0"/>
  <request index="2" response="000" foes="001" cont="0"/></junction>
<connection from="side" to="out" fromLane="0" toLane="1" via=":C_0_0" dir="r" state="m"{lights[0]}/>
<connection from="in" to="out" fromLane="0" toLane="0" via=":C_1_0" dir="s" state="M"{lights[1]}/>
<connection from="in" to="out" fromLane="1" toLane="1" via=":C_1_1" dir="s" state="M"{lights[2]}/>
<connection from="side" to="path" fromLane="0" toLane="0" dir="l" state="m"/>
</net>"""
LOGIC = """<tlLogic id="C" type="actuated" programID="0" offset="10">
<phase duration="30" state="rGG"/><phase duration="4" state="ryy"/><phase duration="16" state="Grr"/>
<phase duration="0" state="rrr"/></tlLogic>"""


def town_of(folder, lit=False, hand="", net=NET):
    path = folder / "cross.net.xml"
    lights = [f' tl="C" linkIndex="{k}"' if lit else "" for k in range(3)]
    path.write_text(net.format(hand=hand, logic=LOGIC if lit else "", lights=lights))
    return load_town(path)


def strip_at(roads, x, y):
    return int(roads.nearest(np.array([x]), np.array([y]))[0][0])


def test_lanes_lie_where_the_file_says(tmp_path):
    roads = town_of(tmp_path).roads
    for shape, away in (
        ([(-120, -4.8), (-10, -4.8)], 0.01),
        ([(1.6, -110), (1.6, -10)], 0.01),
        ([(10, -1.6), (60, -1.6), (120, 23.4)], 0.55),  # half a metre at the rounded corner
    ):
        at = np.concatenate([np.linspace(a, b, 40) for a, b in pairwise(shape)])
        _, _, lateral = roads.nearest(*at.T)
        assert np.abs(lateral).max() < away
    first = strip_at(roads, -100, -4.8)
    assert roads.inner[first] == strip_at(roads, -100, -1.6) and roads.kind[first] == LANE
    assert roads.length[first] == pytest.approx(110.0) and roads.limit[first] == 13.9
    assert float(roads.height(np.array([first]), np.array([55.0]))[0]) == pytest.approx(1.0)


def test_the_side_road_gives_way(tmp_path):
    roads = town_of(tmp_path).roads
    ways = np.flatnonzero(roads.kind == CONNECTOR)
    side = ways[roads.control[ways] == YIELD]
    assert len(ways) == 3 and len(side) == 1 and (roads.turn[np.setdiff1d(ways, side)] == STRAIGHT).all()
    own = slice(*roads.conflict_first[side[0] : side[0] + 2])
    assert len(roads.conflict_rank[own]) and (roads.conflict_rank[own] == -1).all()


def test_lights_keep_the_programme_of_the_file(tmp_path):
    town = town_of(tmp_path, lit=True)
    roads = town.roads
    ways = np.flatnonzero(roads.kind == CONNECTOR)
    assert (roads.control[ways] == LIGHT).all()
    side = [w for w in ways if roads.turn[w] != STRAIGHT]
    straight = [w for w in ways if roads.turn[w] == STRAIGHT]
    for t, green, other in ((10.1, RED, GREEN), (41.0, RED, YELLOW), (45.0, GREEN, RED), (61.0, RED, GREEN)):
        state = roads.lights.state(t)
        assert set(state[roads.light[side]]) == {green} and set(state[roads.light[straight]]) == {other}
    assert any("actuated" in note for note in town.notes)


def test_left_hand_networks_are_not_reflected(tmp_path):
    net = re.sub(r"(-?[\d.]+),(-?[\d.]+)", lambda m: f"{m[1]},{-float(m[2])}", NET)  # south is north now
    roads = town_of(tmp_path, hand=' lefthand="true"', net=net).roads
    kerb, middle = strip_at(roads, -100, 4.8), strip_at(roads, -100, 1.6)
    assert roads.left_hand and roads.inner[kerb] == middle
    assert np.abs(roads.nearest(np.array([-100.0, 1.6]), np.array([4.8, 50.0]))[2]).max() < 0.01


def test_ends_are_open_and_what_is_not_used_is_listed(tmp_path):
    town = town_of(tmp_path)
    assert set(town.notes) >= {
        "not used: crossings without sidewalks on both sides, or on too short a road (1)",
        "not used: edges that are not for cars (1)",
    }
    assert town.reference.startswith("+proj=utm") and town.offset[:2] == (-500.0, 100.0)
    simulation = Simulation(town, vehicles=6, seed=3)
    for _ in range(250):
        simulation.step()
    figures = simulation.figures()
    assert figures["collisions"] == 0 and figures["arrived"] > 0 and figures["spawned"] > 6


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("-120,-4.8,0", "-120;-4.8", "edge in, lane shape"),
        ('speed="13.9"', 'speed="fast"', "edge in, lane speed"),
        ('fromLane="0" toLane="1"', 'fromLane="7" toLane="1"', "connection from side to out, lane"),
        ("<net ", "<town ", "root element"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path, old, new, said):
    spoilt = NET.replace(old, new).replace("</net>", "</town>" if new == "<town " else "</net>")
    with pytest.raises(BadInput, match=said):
        town_of(tmp_path, net=spoilt)


def test_corners_become_arcs_that_a_car_can_drive():
    s, line = rounded(np.array([(0.0, 0.0), (50.0, 0.0), (50.0, -60.0)]), beside=3.0)
    assert np.abs(line.curvature).max() <= 1 / 9.0 + 1e-9  # 6 m at the lane 3 m to the right
    assert np.hypot(np.diff(line.x), np.diff(line.y)).sum() == pytest.approx(s[-1], abs=0.01)
    assert line.heading[-1] == pytest.approx(-np.pi / 2) and (line.x[-1], line.y[-1]) == (50.0, -60.0)


def test_a_packed_network_is_the_same_town(tmp_path):
    town = town_of(tmp_path)
    packed = tmp_path / "cross.net.xml.gz"
    packed.write_bytes(gzip.compress((tmp_path / "cross.net.xml").read_bytes()))
    assert np.array_equal(load_town(packed).roads.x, town.roads.x)
    packed.write_bytes(packed.read_bytes()[:-40])
    with pytest.raises(BadInput, match="cannot be read"):
        load_town(packed)
