"""The ground of roads that climb and bank at once: offsets are turned by roll, then pitch, then heading."""

import numpy as np
import pytest
from test_open_roads import lane, load, road  # noqa: F401

from swerve.city import Simulation
from swerve.city.opendrive.lines import Line
from swerve.city.opendrive.read import read_opendrive
from swerve.city.opendrive.surface import Spine, beside
from swerve.city.openscenario.actors import Actor, on_road
from swerve.city.openscenario.road_map import RoadMap
from swerve.core import attitude

SLOPE = '<elevationProfile><elevation s="0" b="0.3" c="0.002"/></elevationProfile>'
BANK = '<lateralProfile><superelevation s="0" a="0.5" b="0.004"/></lateralProfile>'


def ground(s, t):
    """A point of the road of `SLOPE` and `BANK` along x, by rotating (0, t, 0)."""
    climb, bank = np.arctan(0.3 + 0.004 * s), 0.5 + 0.004 * s
    across = attitude.turned(attitude.quaternion(0.0, climb, bank), np.array([0.0, t, 0.0]))
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
    traffic = Simulation(town, 4, seed=3).traffic
    for _ in range(40):
        traffic.advance(0.1)
    here = traffic.fleet.strip >= 0
    motion = traffic.motion()
    turned = attitude.quaternion(motion.yaw, motion.pitch, motion.roll)
    checked = 0
    for i in np.flatnonzero(here):
        up = attitude.turned(turned[i], np.array([0.0, 0.0, 1.0]))
        foot = np.array([motion.x[i], motion.y[i], motion.z[i]]) - up * traffic.outline[i, 2] / 2
        s, t = foot[:2]
        for _ in range(60):
            gap = foot[:2] - ground(s, t)[:2]
            s, t = s + gap[0], t + gap[1]
        if not 5.0 < s < 85.0:
            continue
        normal = np.cross(
            ground(s + 1e-4, t) - ground(s - 1e-4, t), ground(s, t + 1e-4) - ground(s, t - 1e-4)
        )
        tilt = np.degrees(np.arccos(up @ normal / np.linalg.norm(normal)))
        assert tilt < 0.3
        assert foot[2] == pytest.approx(ground(s, t)[2], abs=0.02)
        checked += 1
    assert checked > 1


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
