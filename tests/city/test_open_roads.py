"""Roads whose lanes begin and end, roads on top of each other, open ends, slopes and banks."""

import sys
from pathlib import Path

import numpy as np
import pytest

from swerve.city import Simulation, SimulationOptions
from swerve.city.opendrive import load_opendrive
from swerve.city.roads.roads import CONNECTOR, LANE

sys.path.append(str(Path(__file__).parents[1]))
from plain_referee import touching_pairs

WIDE = '<width sOffset="0" a="3.5"/>'


def lane(name, width=WIDE, before=None, after=None, more=""):
    links = "".join(
        f'<{tag} id="{to}"/>' for tag, to in (("predecessor", before), ("successor", after)) if to is not None
    )
    return f'<lane id="{name}" type="driving"><link>{links}</link>{width}{more}</lane>'


def road(name, length, sections, x=0.0, y=0.0, heading=0.0, link="", profile="", shape="<line/>"):
    """`sections` are (start, left lanes, right lanes)."""
    lanes = "".join(
        f'<laneSection s="{s}"><left>{left}</left><center><lane id="0" type="none"/></center>'
        f"<right>{right}</right></laneSection>"
        for s, left, right in sections
    )
    return f"""<road id="{name}" length="{length}" junction="-1"><link>{link}</link>
 <planView><geometry s="0" x="{x}" y="{y}" hdg="{heading}" length="{length}">{shape}</geometry></planView>
 {profile}<lanes>{lanes}</lanes></road>"""


@pytest.fixture
def load(tmp_path):
    def write(*parts):
        path = tmp_path / "roads.xodr"
        path.write_text(f"<OpenDRIVE>{''.join(parts)}</OpenDRIVE>")
        return load_opendrive(path)

    return write


# narrows from 150 to 200 m
TAPER = f'{WIDE}<width sOffset="150" a="3.5" c="-0.0042" d="0.000056"/><width sOffset="200" a="0"/>'


def drive(town, vehicles, seconds, seed=1):
    """The simulation after so long, with its recording looked at again by other means."""
    simulation = Simulation(town, vehicles, seed=seed, options=SimulationOptions(record=True))
    for _ in range(round(10 * seconds)):
        simulation.step()
    assert simulation.figures()["collisions"] == 0
    assert touching_pairs(simulation.recorder.recording({}, lights=False)) == []
    assert simulation.figures()["longest_stand"] < 120
    return simulation


def test_a_lane_that_vanishes_is_left_in_time(load):
    town = load(road("1", 400, [(0, "", lane(-1) + lane(-2, TAPER))]))
    roads = town.roads
    shifts = np.flatnonzero(roads.kind == CONNECTOR)
    assert len(shifts) == 2 and roads.control[shifts].max() == 1  # who moves over gives way
    assert roads.breadth[np.repeat(roads.kind, np.diff(roads.first)) == LANE].min() >= 2.3
    simulation = drive(town, 12, 45)
    assert simulation.traffic.doors.left > 6 and simulation.figures()["mean_speed"] > 5


def test_roads_of_a_direct_junction_share_their_way(load):
    after = '<successor elementType="junction" elementId="9"/>'
    before = '<predecessor elementType="junction" elementId="9"/>'
    town = load(
        road("1", 150, [(0, "", lane(-1, after=-1))], link=after),
        road("2", 150, [(0, "", lane(-1, before=-1))], x=150, link=before),
        road("3", 150, [(0, "", lane(-1, before=-1))], x=150, link=before, shape='<arc curvature="-0.004"/>'),
        '<junction id="9" type="direct">'
        '<connection id="0" incomingRoad="1" linkedRoad="2" contactPoint="start">'
        '<laneLink from="-1" to="-1"/></connection>'
        '<connection id="1" incomingRoad="1" linkedRoad="3" contactPoint="start">'
        '<laneLink from="-1" to="-1"/></connection></junction>',
    )
    assert (town.roads.kind == LANE).sum() == 3 and (town.roads.kind == CONNECTOR).sum() == 2
    ends = town.roads.length[(town.roads.kind == LANE)]
    assert ends.min() < 125  # what lies on top of each other is no lane
    assert drive(town, 8, 40).traffic.doors.left > 5


def test_roads_that_cross_without_a_junction_do_not_collide_and_bridges_pass_over(load):
    def cross(height):
        climb = f'<elevationProfile><elevation s="0" a="{height}"/></elevationProfile>'
        return load(
            road("1", 200, [(0, lane(1), lane(-1))]),
            road("2", 200, [(0, lane(1), lane(-1))], x=100, y=-100, heading=np.pi / 2, profile=climb),
        )

    level = cross(0.0)
    assert (level.roads.kind == CONNECTOR).sum() == 4 and len(level.roads.conflict_with) > 0
    drive(level, 12, 30)
    bridge = cross(7.0)
    assert (bridge.roads.kind == LANE).all()
    assert drive(bridge, 12, 15).figures()["mean_speed"] > 10


def test_lanes_that_are_used_otherwise_than_the_file_says_are_noted(load):
    kinds = ("bus", "HOV", "biking", "bidirectional", "shoulder")
    lanes = "".join(lane(-k - 2).replace('type="driving"', f'type="{kind}"') for k, kind in enumerate(kinds))
    assert load(road("1", 200, [(0, "", lane(-1) + lanes)])).notes == (
        "not used: that lanes are for some alone (bus): all drive there",
        "not used: that lanes are for both directions (bidirectional): driven one way",
        "not used: lanes of other types (HOV, biking)",
    )


def test_cars_come_and_go_by_open_ends(load):
    simulation = drive(load(road("1", 120, [(0, lane(1), lane(-1))])), 6, 40)
    traffic = simulation.traffic
    assert traffic.doors.left > 12 and traffic.doors.left - traffic.doors.entered == traffic.waiting <= 6
    recording = simulation.recorder.recording({}, lights=False).whole()
    assert (np.abs(recording["x"]) < 200).all()  # nobody is recorded who is not there
    counts = np.unique(recording["t"], return_counts=True)[1]
    assert counts.min() < counts.max() <= 6


@pytest.mark.parametrize("at", [0, 100], ids=["one section", "two"])
def test_limits_of_lanes_hold_from_where_the_file_says(load, at):
    """Told in no order, for one direction; in between the road's own holds for a while."""

    def slow(*limits):
        return "".join(f'<speed sOffset="{s}" max="{most}" unit="m/s"/>' for s, most in limits)

    later = slow((300 - at, 5), (200 - at, "no limit"), (0, 20))
    sections = [
        (0, lane(1, after=1), lane(-1, after=-1, more=slow((0, 20)))),
        (100, lane(1, before=1), lane(-1, before=-1, more=later)),
    ]
    sections = sections if at else [(0, lane(1), lane(-1, more=later))]
    kind = '<type s="0" type="town"><speed max="10" unit="m/s"/></type>'
    roads = load(road("1", 600, sections, profile=kind)).roads
    east = np.cos(roads.heading[roads.first[:-1]]) > 0.0
    order = np.argsort(roads.x[roads.first[:-1]])
    found = [(round(float(roads.x[roads.first[i]])), roads.limit[i]) for i in order if east[i]]
    lanes = [(x, limit) for k, (x, limit) in enumerate(found) if k == 0 or limit != found[k - 1][1]]
    assert [limit for _, limit in lanes] == [20.0, 10.0, 5.0]
    assert [x for x, _ in lanes] == pytest.approx([0, 200, 300], abs=15)
    assert set(roads.limit[~east]) == {10.0}


def test_limits_hold_from_where_the_file_says(load):
    """Four of them on one road, told in no order, for both directions."""
    types = "".join(
        f'<type s="{s}" type="town"><speed max="{most}" unit="km/h"/></type>'
        for s, most in ((120, 30), (0, 60), (250, 50), (395, 10))  # the last is too short to count
    )
    town = load(road("1", 400, [(0, lane(1), lane(-1))], profile=types))
    east = np.cos(town.roads.heading[town.roads.first[:-1]]) > 0.0
    ways = [np.flatnonzero(east), np.flatnonzero(~east)]
    limits = [(3.6 * town.roads.limit[some]).round().tolist() for some in ways]
    assert sorted(limits[0]) == sorted(limits[1]) == [30, 50, 60]
    simulation = drive(town, 8, 40)
    recording = simulation.recorder.recording({}, lights=False).whole()
    slow = (recording["x"] > 125) & (recording["x"] < 245)
    speed = np.hypot(recording["vx"], recording["vy"])
    assert speed[slow].max() < 1.1 * 30 / 3.6 + 0.1 and speed.max() > 1.3 * 30 / 3.6


def test_pieces_count_by_their_stations_not_by_their_order(load):
    straight = road("1", 300, [(0, lane(1), lane(-1))])
    climb = [f'<elevation s="{s}" a="{a}"/>' for s, a in ((0, 0.0), (100, 1.0), (200, 2.0))]
    plans = [
        f'<geometry s="{s}" x="{s}" y="0" hdg="0" length="100"><line/></geometry>' for s in (0, 100, 200)
    ]
    start = straight.index("<geometry"), straight.index("</planView>")
    towns = []
    for order in ((0, 1, 2), (2, 0, 1)):
        lines, heights = ("".join(some[k] for k in order) for some in (plans, climb))
        mixed = straight[: start[0]] + lines + straight[start[1] :]
        towns.append(load(mixed.replace("<lanes>", f"<elevationProfile>{heights}</elevationProfile><lanes>")))
    for name in ("x", "y", "z", "heading"):
        assert (getattr(towns[0].roads, name) == getattr(towns[1].roads, name)).all()


def test_signals_that_nobody_obeys_are_told(load):
    signs = (
        '<signals><signal id="1" s="50" t="3" orientation="+" dynamic="no" type="274"/>'
        '<signal id="2" s="150" t="3" orientation="+" dynamic="yes" type="1000001"/></signals>'
    )
    town = load(road("1", 200, [(0, lane(1), lane(-1))]).replace("</road>", f"{signs}</road>"))
    assert town.notes == ("not used: signs (274)", "not used: lights away from junctions (1)")


def test_borders_are_as_good_as_widths(load):
    def borders(*values):
        return "".join(
            f'<lane id="{-k}" type="driving"><border sOffset="0" a="{-v}"/></lane>'
            for k, v in enumerate(values, 1)
        )

    town = load(road("1", 100, [(0, "", borders(3.0, 6.5))]))
    assert sorted(town.roads.width) == pytest.approx([3.0, 3.5])
    assert sorted(town.roads.y[town.roads.first[:-1]]) == pytest.approx([-4.75, -1.5])


@pytest.mark.parametrize("forward", [True, False])
def test_attitude_is_that_of_the_files_polynomials(load, forward):
    slope = '<elevationProfile><elevation s="0" a="2" b="0.1" c="-0.0004" d="0.000001"/></elevationProfile>'
    bank = '<lateralProfile><superelevation s="0" a="0.02" b="0.0006"/></lateralProfile>'
    lanes = (lane(1), "") if not forward else ("", lane(-1))
    simulation = Simulation(
        load(road("1", 200, [(0, *lanes)], profile=slope + bank)),
        3,
        seed=2,
        options=SimulationOptions(record=True),
    )
    for _ in range(80):
        simulation.step()
    motion, here = simulation.traffic.motion(), simulation.traffic.fleet.strip >= 0
    s, sign = motion.x[here], 1 if forward else -1
    theta = 0.02 + 0.0006 * s
    aside = motion.y[here] / np.cos(theta)
    road_z = 2 + 0.1 * s - 0.0004 * s**2 + 0.000001 * s**3 + aside * np.sin(theta)
    grade = 0.1 - 0.0008 * s + 0.000003 * s**2 + aside * np.cos(theta) * 0.0006
    assert here.any()
    up = simulation.traffic.outline[here, 2] / 2
    assert np.abs(motion.z[here] - up - road_z).max() < 0.05
    assert np.degrees(np.abs(motion.pitch[here] - sign * np.arctan(grade))).max() < 0.5
    assert np.degrees(np.abs(motion.roll[here] - sign * theta)).max() < 0.5
    assert motion.vz[here] == pytest.approx(np.hypot(motion.vx, motion.vy)[here] * sign * grade, abs=0.05)


def test_in_a_banked_bend_that_is_level_nobody_pitches(load):
    """The rear axle is further inside than the front one, on a bank therefore lower or higher; both are where
    they are."""
    bank = '<lateralProfile><superelevation s="0" a="-0.7"/></lateralProfile>'
    bend = '<arc curvature="0.02"/>'
    town = load(road("1", 150, [(0, "", lane(-1))], profile=bank, shape=bend))
    traffic = Simulation(town, 3, seed=2).traffic
    for _ in range(40):
        traffic.advance(0.1)
    here = (traffic.fleet.strip >= 0) & (traffic.fleet.station > 5.0)
    motion = traffic.motion()
    out = np.stack([motion.x, 50.0 - motion.y], -1)[here]
    across = np.arctan2(out[:, 0], out[:, 1])  # [rad] of the way round, and the heading of a bend there
    rise = np.tan(0.7) * np.sin(across - motion.yaw[here])  # of a straight body on a cone
    assert here.sum() > 1
    assert np.degrees(np.abs(motion.pitch[here] - np.arctan(rise))).max() < 0.3


TIGHT = """<road id="{0}" length="4.7124" junction="9"><link>
 <predecessor elementType="road" elementId="1" contactPoint="end"/>
 <successor elementType="road" elementId="2" contactPoint="start"/></link>
 <planView><geometry s="0" x="100" y="0" hdg="0" length="4.7124"><arc curvature="-0.3333"/></geometry>
 </planView>
 <lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>{1}</right></laneSection></lanes>
 </road>"""


def test_a_turn_tighter_than_cars_steer_is_eased(load):
    after = '<successor elementType="junction" elementId="9"/>'
    before = '<predecessor elementType="junction" elementId="9"/>'
    town = load(
        road("1", 100, [(0, "", lane(-1))], link=after),
        road("2", 100, [(0, "", lane(-1))], x=103, y=-3, heading=-np.pi / 2, link=before),
        TIGHT.format("3", lane(-1, before=-1, after=-1)),
        '<junction id="9"><connection id="0" incomingRoad="1" connectingRoad="3" contactPoint="start">'
        '<laneLink from="-1" to="-1"/></connection></junction>',
    )
    assert (town.roads.kind == CONNECTOR).sum() == 1
    assert 1 / np.abs(town.roads.curvature).max() > 5.0
    drive(town, 4, 30)


def test_the_study_of_a_folder_tells_what_it_found(tmp_path, monkeypatch):
    from swerve.core.errors import BadInput
    from swerve.studies import roads as study

    monkeypatch.setattr(study, "SECONDS", 5.0)
    whole = f"<OpenDRIVE>{road('1', 200, [(0, lane(1), lane(-1))])}</OpenDRIVE>"
    (tmp_path / "good.xodr").write_text(whole)
    (tmp_path / "bad.xodr").write_text("<OpenDRIVE/>")
    report = study.run(tmp_path, 0, 1, tmp_path)
    bad, good = report.rows
    assert "no road" in bad["loaded"] and bad["vehicles"] is None
    assert good["loaded"] == "yes" and good["vehicles"] == 10 and good["contacts"] == good["stuck"] == 0
    assert good["mean speed [m/s]"] > 1 and [c.holds for c in report.conclusions] == [False, True, True, True]
    with pytest.raises(BadInput, match="folder"):
        study.run(tmp_path, 0, 1, None)
