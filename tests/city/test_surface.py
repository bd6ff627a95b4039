"""The ground of roads that climb and bank at once: offsets are turned by roll, then pitch, then heading."""

import numpy as np
import pytest
from test_open_roads import lane, load, road  # noqa: F401

from swerve.city import Simulation
from swerve.city.opendrive import load_opendrive
from swerve.city.opendrive.lines import Line
from swerve.city.opendrive.read import read_opendrive
from swerve.city.opendrive.surface import Spine, beside
from swerve.city.openscenario.actors import Actor, on_road
from swerve.city.openscenario.road_map import RoadMap
from swerve.city.roads.roads import LANE
from swerve.city.simulator.outsiders import CarModel, DriverCar, Walker
from swerve.city.simulator.platform import Bicycle, BicycleBody
from swerve.core import attitude
from swerve.core.errors import BadInput

SLOPE = '<elevationProfile><elevation s="0" b="0.3" c="0.002"/></elevationProfile>'
BANK = '<lateralProfile><superelevation s="0" a="0.5" b="0.004"/></lateralProfile>'


def ground(s, t, up=0.0):
    """A point of the road of `SLOPE` and `BANK` along x, by rotating (0, t, up)."""
    climb, bank = np.arctan(0.3 + 0.004 * s), 0.5 + 0.004 * s
    across = attitude.turned(attitude.quaternion(0.0, climb, bank), np.array([0.0, t, up]))
    return np.array([s, 0.0, 0.3 * s + 0.002 * s * s]) + across


@pytest.mark.parametrize(
    ("s", "t", "place", "slope", "bank"),
    [  # as esmini states for its roads `tilted_crest` and `pitch_by_super_elevation`
        (1.0, -2.5, (1.7677, 1.4845, -1.5550, 1.5707), None, None),
        (1.0, 11.25, (1.0, 11.2449, -0.3374, 6.2730), -0.3254, -0.0317),
        (36.0, -11.25, (36.0, -5.3024, 9.9220, 0.2893), 0.1513, -1.1022),
    ],
)
def test_places_and_slopes_of_known_roads(s, t, place, slope, bank):
    crest = t == -2.5
    line = Line(0.0, s, np.pi / 2, 0.0) if crest else Line(s, 0.0, 0.0, 0.0)
    steep = 0.3 * s - 0.015 * s * s
    if crest:
        bend = (0.3 - 0.03 * s) / (1 + steep**2)
        spine = Spine(line, 0.15 * s * s - 0.005 * s**3, np.arctan(steep), np.pi / 4, bend, 0.0)
    else:
        spine = Spine(line, 0.0, 0.0, -0.03 * s, 0.0, -0.03)
    found = beside(spine, np.float64(t), np.float64(0.0))
    assert [*found[:3]] == pytest.approx(place[:3], abs=1e-3)
    if slope is not None:
        assert found.heading % (2 * np.pi) == pytest.approx(place[3], abs=1e-3)
        assert found.slope == pytest.approx(slope, abs=2e-3)
        roll = np.arctan(np.tan(found.bank) * np.cos(found.slope))
        assert roll == pytest.approx(bank, abs=2e-3)


def test_cars_stand_on_a_road_that_climbs_and_banks(load):  # noqa: F811
    """Under the middle of each, and square to the ground there, by differences of `ground`."""
    town = load(road("1", 90, [(0, lane(1), lane(-1))], profile=SLOPE + BANK))
    lean, above = how_cars_stand(town, ground)
    assert len(lean) > 1 and lean.max() < 0.3 and np.abs(above).max() < 0.02


FALL = (
    '<crossfall side="left" s="0" a="0.04" b="0.001"/><crossfall side="right" s="0" a="0.1"/>'
    '<crossfall side="right" s="40" a="0.1" b="-0.002"/>'
)
CROWN = "".join(
    f'<shape s="{s}" t="-6" a="{a}" b="0.1" c="0.02"/>'
    f'<shape s="{s}" t="0" a="{a + 1.32}" b="-0.05" d="0.001"/>'
    for s, a in ((0, 0.0), (60, -0.4))
)


def fallen(s, t):
    """On the road with `FALL` besides: so far below its plane as the fall of that side says."""
    fall = 0.04 + 0.001 * s if t > 0 else 0.1 - 0.002 * max(s - 40.0, 0.0)
    return ground(s, t, -abs(t) * np.tan(fall))


def crowned(s, t):
    """On the road with `CROWN` besides, the same all the way but for 40 cm down from 0 to 60 m."""
    v = t + 6.0
    up = 0.1 * v + 0.02 * v * v if t < 0 else 1.32 - 0.05 * t + 0.001 * t**3
    return ground(s, t, up - 0.4 * min(s / 60.0, 1.0))


@pytest.mark.parametrize("left_hand", [False, True])
@pytest.mark.parametrize(("more", "where"), [(FALL, fallen), (CROWN, crowned)])
def test_cars_stand_on_ground_that_falls_to_the_sides(tmp_path, more, where, left_hand):
    bank = BANK.replace("</lateralProfile>", more + "</lateralProfile>")
    whole = road("1", 90, [(0, lane(1), lane(-1))], profile=SLOPE + bank)
    if left_hand:
        whole = whole.replace('junction="-1"', 'junction="-1" rule="LHT"')
    (tmp_path / "roads.xodr").write_text(f"<OpenDRIVE>{whole}</OpenDRIVE>")
    town = load_opendrive(tmp_path / "roads.xodr")
    assert town.notes == ()
    lean, above = how_cars_stand(town, where)
    assert len(lean) > 1 and lean.max() < 0.3 and np.abs(above).max() < 0.02
    roads = RoadMap(read_opendrive(tmp_path / "roads.xodr"))
    found = roads.pose("1", 30.0, -1.2)
    assert [found.x, found.y, found.z] == pytest.approx(where(30.0, -1.2), abs=0.005)
    rise = (where(30.01, -1.2) - where(29.99, -1.2)) / 0.02
    assert np.tan(found.slope) == pytest.approx(rise[2] / np.hypot(*rise[:2]), abs=0.005)


def test_a_fall_to_no_side_is_refused(tmp_path):
    bank = '<lateralProfile><crossfall side="up" s="0" a="0.04"/></lateralProfile>'
    whole = road("1", 90, [(0, lane(1), lane(-1))], profile=bank)
    (tmp_path / "roads.xodr").write_text(f"<OpenDRIVE>{whole}</OpenDRIVE>")
    with pytest.raises(BadInput, match="road 1, crossfall side: must be one of left, right, both, got 'up'"):
        read_opendrive(tmp_path / "roads.xodr")


def test_people_stand_on_pavements_of_roads_that_climb_and_fall(load):  # noqa: F811
    """On kerbs 12 cm high, of which none is level."""
    kerb = '<width sOffset="0" a="2"/><height sOffset="0" inner="0.12" outer="0.12"/>'
    walk = [f'<lane id="{name}" type="sidewalk">{kerb}</lane>' for name in (2, -2)]
    bank = BANK.replace("</lateralProfile>", FALL + "</lateralProfile>")
    sides = [(0, lane(1) + walk[0], lane(-1) + walk[1])]
    simulation = Simulation(load(road("1", 90, sides, profile=SLOPE + bank)), 2, 12, seed=3)
    for _ in range(30):
        simulation.step()
    motion, up = simulation.people.motion(), simulation.people.outline[:, 2] / 2
    for x, y, z in zip(motion.x, motion.y, motion.z - up, strict=True):
        s, t = x, y
        for _ in range(60):
            gap = np.array([x, y]) - fallen(s, t)[:2]
            s, t = s + gap[0], t + gap[1]
        assert z == pytest.approx(fallen(s, t)[2] + 0.12, abs=0.02)


def how_cars_stand(town, ground):
    """Of cars after a while, how much [deg] they lean off `ground` (s, t), and how far above [m] they are."""
    traffic = Simulation(town, 4, seed=3).traffic
    for _ in range(40):
        traffic.advance(0.1)
    here = traffic.fleet.strip >= 0
    motion = traffic.motion()
    turned = attitude.quaternion(motion.yaw, motion.pitch, motion.roll)
    lean, above = [], []
    for i in np.flatnonzero(here):
        up = attitude.turned(turned[i], np.array([0.0, 0.0, 1.0]))
        foot = np.array([motion.x[i], motion.y[i], motion.z[i]]) - up * traffic.outline[i, 2] / 2
        s, t = place_under(ground, foot)
        if not 5.0 < s < 85.0:
            continue
        lean.append(np.degrees(np.arccos(up @ normal_of(ground, s, t))))
        above.append(foot[2] - ground(s, t)[2])
    return np.array(lean), np.array(above)


def test_cars_keep_to_the_ground_over_a_crest_of_three_metres_radius(load):  # noqa: F811
    """Bank and crest as of esmini's `tilted_crest`; half a degree and 5 cm are promised."""

    def crest(s, t):
        climb = np.arctan(0.3 * s - 0.015 * s * s)
        across = attitude.turned(attitude.quaternion(0.0, climb, np.pi / 4), np.array([0.0, t, 0.0]))
        return np.array([s, 0.0, 0.15 * s * s - 0.005 * s**3]) + across

    profile = '<elevationProfile><elevation s="0" c="0.15" d="-0.005"/></elevationProfile>'
    bank = f'<lateralProfile><superelevation s="0" a="{np.pi / 4}"/></lateralProfile>'
    town = load(road("1", 20, [(0, "", lane(-1))], profile=profile + bank))
    traffic = Simulation(town, 1, seed=3).traffic
    strip = np.flatnonzero(town.roads.kind == LANE)[0]
    for station in np.arange(5.0, 21.0, 0.7):
        traffic.place([0], strip, station, 8.0)
        motion = traffic.motion()
        up = attitude.turned(
            attitude.quaternion(motion.yaw, motion.pitch, motion.roll)[0], np.array([0.0, 0.0, 1.0])
        )
        foot = np.array([motion.x[0], motion.y[0], motion.z[0]]) - up * traffic.outline[0, 2] / 2
        s, t = place_under(crest, foot)
        tilt = np.degrees(np.arccos(up @ normal_of(crest, s, t)))
        assert tilt < 0.4, station
        assert foot[2] == pytest.approx(crest(s, t)[2], abs=0.01)


def place_under(ground, foot):
    """s and t of the place of a ground that lies under a point in plan."""
    s, t = foot[:2]
    for _ in range(200):
        gap = foot[:2] - ground(s, t)[:2]
        s, t = s + gap[0], t + gap[1]
    return s, t


def normal_of(ground, s, t):
    found = np.cross(ground(s + 1e-4, t) - ground(s - 1e-4, t), ground(s, t + 1e-4) - ground(s, t - 1e-4))
    return found / np.linalg.norm(found)


@pytest.mark.parametrize(("row", "askew"), [(0, 0.0), (1, 0.0), (1, 0.2)])
def test_the_drivers_car_stands_as_the_traffic_beside_it_does(load, row, askew):  # noqa: F811
    traffic = Simulation(
        load(road("1", 90, [(0, lane(1), lane(-1))], profile=SLOPE + BANK)), 2, seed=3
    ).traffic
    strip = np.flatnonzero(traffic.town.roads.kind == LANE)[row]
    traffic.place([0], strip, 40.0, 8.0)
    fleet, (length, width, height) = traffic.fleet, traffic.outline[0]
    fleet.heading[0] += askew
    car = DriverCar(99, (length, width, height), CarModel(BicycleBody(Bicycle())), traffic.town.roads)
    car.put(fleet.x[0], fleet.y[0], fleet.heading[0], 8.0)
    theirs, ours = traffic.motion(), car.motion()
    assert abs(theirs.roll[0]) > 0.3
    for name in ("x", "y", "z", "pitch", "roll"):
        assert getattr(ours, name)[0] == pytest.approx(getattr(theirs, name)[0], abs=0.03), name


def test_people_of_scenarios_walk_on_the_ground(load):  # noqa: F811
    roads = load(road("1", 90, [(0, lane(1), lane(-1))], profile=SLOPE + BANK)).roads
    person = Walker(9, 0.25, 1.8, *ground(30.0, 4.0)[:2], 0.0, roads)
    assert person.motion().z[0] - 0.9 == pytest.approx(ground(30.0, 4.0)[2], abs=0.05)
    goal = ground(45.0, -4.0)
    person.step((goal[:2] - (person.x, person.y))[None] / 5.0, 5.0)
    assert person.motion().z[0] - 0.9 == pytest.approx(goal[2], abs=0.05)


@pytest.mark.parametrize("heading", [0.0, np.pi])
def test_actors_of_scenarios_lean_with_the_road(tmp_path, heading):
    path = tmp_path / "roads.xodr"
    path.write_text(f"<OpenDRIVE>{road('1', 90, [(0, lane(1), lane(-1))], profile=SLOPE + BANK)}</OpenDRIVE>")
    roads, actor = RoadMap(read_opendrive(path)), Actor("a", "vehicle", (4.5, 1.8, 1.5))
    at = ground(40.0, -1.75)
    actor.put(on_road(roads, at[0], at[1], heading))
    actor.settle(roads)
    assert (actor.here.s, actor.here.offset) == pytest.approx((40.0, 0.0), abs=0.01)
    assert [actor.here.x, actor.here.y, actor.here.z] == pytest.approx(at, abs=0.01)
    turned = attitude.quaternion(actor.here.heading, actor.pitch, actor.roll)
    up = attitude.turned(turned, np.array([0.0, 0.0, 1.0]))
    normal = np.cross(ground(40.01, -1.75) - ground(39.99, -1.75), ground(40.0, -1.74) - ground(40.0, -1.76))
    assert np.degrees(np.arccos(up @ normal / np.linalg.norm(normal))) < 0.1
