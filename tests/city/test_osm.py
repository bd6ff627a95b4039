"""Towns from OpenStreetMap: streets lie where the map has them, signs, lights and restrictions hold."""

from collections import Counter

import numpy as np
import pytest

from swerve.city import Simulation, load_town
from swerve.city.nets.earth import MiddleMap
from swerve.city.nets.osm_tags import lanes_of, open_to_cars, speed_of
from swerve.city.roads.roads import CONNECTOR, LANE, LEFT, LIGHT, RIGHT, STOP, STRAIGHT, YIELD
from swerve.core.errors import BadInput

# metres, at 48° north: C is a crossing of a main road with side streets; from Q to R a bridge leads over it
NODES = {
    "W": (-150, 0),
    "C": (0, 0),
    "E": (150, 0),
    "S": (0, -120),
    "s": (0, -15),
    "N": (40, 130),
    "P": (80, -160),
    "Q": (80, -60),
    "R": (80, 60),
    "T": (80, 160),
}
WAYS = {
    "main": (["W", "C", "E"], {"highway": "secondary", "maxspeed": "30 mph", "lanes": "4"}),
    "side": (["S", "s", "C"], {"highway": "residential"}),
    "north": (["C", "N"], {"highway": "residential", "oneway": "yes"}),
    "ramp": (["P", "Q"], {"highway": "secondary", "lanes": "1", "oneway": "yes"}),
    "over": (["Q", "R"], {"highway": "secondary", "lanes": "2", "oneway": "yes", "bridge": "yes"}),
    "down": (["R", "T"], {"highway": "secondary", "oneway": "yes"}),
    "walk": (["S", "N"], {"highway": "footway"}),
}


def town_of(folder, signal="", sign="", banned="", spoil=("", ""), left_hand=False):
    origin, rows = (48.0, 11.0), ["<osm version='0.6'>"]
    for name, (x, y) in NODES.items():
        lat, lon = origin[0] + y / 111_190.0, origin[1] + x / 74_600.0
        tag = {"C": signal, "s": sign}.get(name)
        inner = f"<tag k='highway' v='{tag}'/>" if tag else ""
        rows.append(f"<node id='{name}' lat='{lat}' lon='{lon}'>{inner}</node>")
    for name, (nodes, tags) in WAYS.items():
        inner = "".join(f"<nd ref='{node}'/>" for node in nodes)
        inner += "".join(f"<tag k='{key}' v='{value}'/>" for key, value in tags.items())
        rows.append(f"<way id='{name}'>{inner}</way>")
    if banned:
        members = zip(("way", "node", "way"), ("side", "C", "main"), ("from", "via", "to"), strict=True)
        inner = "".join(f"<member type='{kind}' ref='{ref}' role='{role}'/>" for kind, ref, role in members)
        inner += f"<tag k='type' v='restriction'/><tag k='restriction' v='{banned}'/>"
        rows.append(f"<relation id='9'>{inner}</relation>")
    path = folder / "corner.osm"
    path.write_text("\n".join([*rows, "</osm>"]).replace(*spoil))
    return load_town(path, left_hand=left_hand)


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    return town_of(tmp_path_factory.mktemp("map"))


def strip_at(town, x, y, heading):
    """The lane at a place of the map that leads so [degrees]."""
    roads = town.roads
    place = np.array(list(NODES.values()))
    middle = (place.min(axis=0) + place.max(axis=0)) / 2
    found, _, lateral, headings = roads.under(*(np.array([x, y]) - middle))
    along = np.cos(headings - np.radians(heading)) > 0.9
    return int(found[along][np.argmin(np.abs(lateral[along]))])


def onwards(roads, strip):
    return roads.after[roads.after_first[strip] : roads.after_first[strip + 1]]


def test_streets_have_the_lanes_and_limits_of_the_map(town):
    roads = town.roads
    kerb, inner = strip_at(town, -100, -4.9, 0), strip_at(town, -100, -1.6, 0)
    assert roads.inner[kerb] == inner and roads.limit[kerb] == pytest.approx(30 * 0.44704)
    assert strip_at(town, -100, 1.6, 180) not in (kerb, inner)
    assert roads.limit[strip_at(town, 1.6, -60, 90)] == pytest.approx(30 / 3.6)
    assert (roads.kind[[kerb, inner]] == LANE).all() and town.reference.startswith("+proj=tmerc")
    assert town.notes == ("not used: ways that are not for cars or private (footway)",)


@pytest.mark.parametrize(
    ("given", "wanted"),  # [km/h]
    [
        ("50", 50), ("30 mph", 48.28), ("30mph", 48.28), ("walk", 7), ("none", 130), ("DE:urban", 50),
        ("FR:rural", 80), ("DE:motorway", 130), ("GB:nsl_single", 96.56), ("DE:zone:30", 30),
        ("GB:20", 32.19), ("80;60", 60), ("signals", None), ("fast", None), ("", None), ("0", None),
        ("1e9", None), ("-5", None),
    ],
)  # fmt: skip
def test_speeds_are_understood_or_not(given, wanted):
    found = speed_of(given)
    assert found is None if wanted is None else found == pytest.approx(wanted / 3.6, abs=0.01)


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        ({"lanes": "3", "lanes:backward": "2"}, (1, 2)),
        ({"lanes": "5", "lanes:both_ways": "1"}, (2, 2)),
        ({"lanes": "4", "lanes:forward": "1"}, (1, 3)),
        ({"lanes": "1"}, (1, 1)),
        ({"lanes": "2", "oneway": "yes"}, (2, 0)),
        ({"lanes": "99"}, (6, 6)),
    ],
)
def test_lanes_there_and_back(tags, wanted):
    odd = Counter()
    assert lanes_of({"highway": "primary"} | tags, odd) == wanted and not odd


def test_what_is_not_understood_or_not_used_is_said(tmp_path):
    odd = "<tag k='maxspeed:forward' v='walk'/><tag k='maxspeed:backward' v='soon'/><tag k='lanes' v='"
    town = town_of(tmp_path, spoil=("<tag k='lanes' v='", odd))
    assert (
        town.notes[-1] == "not used: tags that are not understood (maxspeed:backward=soon): as if not there"
    )
    there, back = strip_at(town, -100, -1.6, 0), strip_at(town, -100, 1.6, 180)
    assert town.roads.limit[[there, back]] == pytest.approx([7 / 3.6, 30 * 0.44704])
    odd = "'signals'/><tag k='bus:lanes' v='|designated'/><tag k='lanes' v='1."
    town = town_of(tmp_path, spoil=("'30 mph'/><tag k='lanes' v='", odd))
    assert town.notes[-2:] == (
        "not used: tags that are not understood (lanes=1.4, maxspeed=signals): as if not there",
        "not used: tags of ways (bus:lanes)",
    )


def test_the_most_special_tag_says_who_may_drive():
    street = {"highway": "residential"}
    assert open_to_cars(street | {"access": "no", "motor_vehicle": "yes"})
    assert not open_to_cars(street | {"vehicle": "no"}) and not open_to_cars(street | {"motorcar": "private"})
    assert not open_to_cars({"highway": "footway"})


def test_lanes_turn_as_drivers_expect_and_side_streets_give_way(town):
    roads = town.roads
    kerb, inner = strip_at(town, -100, -4.9, 0), strip_at(town, -100, -1.6, 0)
    assert set(roads.turn[onwards(roads, kerb)]) == {STRAIGHT, RIGHT}
    assert set(roads.turn[onwards(roads, inner)]) == {STRAIGHT, LEFT}
    side = onwards(roads, strip_at(town, 1.6, -60, 90))
    assert set(roads.turn[side]) == {STRAIGHT, LEFT, RIGHT} and (roads.control[side] == YIELD).all()


def test_signs_lights_and_restrictions_hold(tmp_path):
    stop = town_of(tmp_path, sign="stop")
    assert (stop.roads.control[onwards(stop.roads, strip_at(stop, 1.6, -60, 90))] == STOP).all()
    lit = town_of(tmp_path, signal="traffic_signals").roads
    ways = onwards(lit, int(np.argmax(lit.inner >= 0)))
    assert (lit.control[ways] == LIGHT).all() and len(lit.lights)
    banned = town_of(tmp_path, banned="no_left_turn")
    side = onwards(banned.roads, strip_at(banned, 1.6, -60, 90))
    assert set(banned.roads.turn[side]) == {STRAIGHT, RIGHT}  # the way lies on both sides; its left is meant


def test_a_bridge_passes_over_and_widens_without_a_door(town):
    roads = town.roads
    over = [strip_at(town, 78.4, 0, 90), strip_at(town, 81.6, 0, 90)]
    at = roads.length[over] / 2
    assert (roads.height(np.array(over), at) > 5.5).all() and over[0] != over[1]
    assert (roads.before_first[np.array(over) + 1] > roads.before_first[over]).all()  # somebody leads there
    ways = np.flatnonzero(roads.kind == CONNECTOR)
    assert not set(onwards(roads, over[0])) & set(ways[roads.control[ways] == YIELD])
    assert abs(float(roads.height(np.array([over[0]]), np.array([0.0]))[0])) > 5.0


def test_traffic_flows_from_end_to_end_on_both_sides_of_the_road(tmp_path):
    for left_hand in (False, True):
        town = town_of(tmp_path, signal="traffic_signals", left_hand=left_hand)
        assert town.roads.left_hand == left_hand
        simulation = Simulation(town, vehicles=12, seed=5)
        for _ in range(120):
            simulation.step()
        figures = simulation.figures()
        assert figures["collisions"] == 0 and figures["off_road"] == 0 and figures["arrived"] > 0


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (("lat='48.0'", "lat='north'"), "node lat"),
        (("lat='48.0'", "lat='89'"), "lat: must be at most 85"),
        (("highway' v='secondary", "railway' v='rail"), None),
        (("<osm", "<!DOCTYPE osm><osm"), "document types"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path, spoil, said):
    if said is None:  # a map may lose its main road and still be one
        assert len(town_of(tmp_path, spoil=spoil).roads) > 0
        return
    with pytest.raises(BadInput, match=said):
        town_of(tmp_path, spoil=spoil)


def test_the_map_is_the_projection_that_it_says():
    pyproj = pytest.importorskip("pyproj")
    middle = MiddleMap(48.1, 11.5)
    lat, lon = np.array([48.13, 48.07, 48.1]), np.array([11.44, 11.55, 11.5])
    there = pyproj.Transformer.from_crs("EPSG:4326", middle.reference, always_xy=True)
    assert np.abs(np.array(middle.project(lat, lon)) - there.transform(lon, lat)).max() < 1e-3
