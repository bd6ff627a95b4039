"""Flows and trips: vehicles come when they are due, go where they want to, and are counted."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest

from swerve.city import Demand, Simulation, SimulationOptions, Traffic, grid, load_demand
from swerve.city.opendrive import load_opendrive
from swerve.city.roads.roads import LANE
from swerve.cli.main import run
from swerve.core.errors import BadInput

sys.path.append(str(Path(__file__).parents[1]))
from plain_referee import touching_pairs

STREET = """<OpenDRIVE><road id="1" length="400" junction="-1"><planView>
<geometry s="0" x="0" y="0" hdg="0" length="400"><line/></geometry></planView><lanes><laneSection s="0">
<center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><width sOffset="0" a="3.5"/></lane></right>
</laneSection></lanes></road></OpenDRIVE>"""


def driven(town, demand, seconds, **options):
    simulation = Simulation(
        town, 0, demand=Demand.model_validate(demand), options=SimulationOptions(record=True), **options
    )
    for _ in range(round(10 * seconds)):
        simulation.step()
    return simulation


@pytest.fixture
def street(tmp_path):
    (tmp_path / "street.xodr").write_text(STREET)
    return load_opendrive(tmp_path / "street.xodr")


def test_warming_up_leaves_no_trace(street):
    trip = {"name": "first", "depart": 0, "from": "in", "to": "out"}
    simulation = Simulation(street, 0, demand=Demand.model_validate({"trips": [trip]}))
    fleet = simulation.traffic.fleet.copy()
    simulation.warm_up()
    assert (simulation.traffic.fleet == fleet).all()
    assert (simulation.figures()["spawned"], simulation.figures()["arrived"]) == (0, 0)
    for _ in range(5):
        simulation.step()
    assert np.isfinite(simulation.trips()["entered"]).all()
    assert np.isnan(simulation.trips()["ended"]).all()


def test_a_flow_through_a_street_is_as_large_as_it_was_asked_for(street):
    flow = {"name": "f", "from": "in", "to": "out", "per_hour": 720, "end": 30, "spacing": "even"}
    simulation = driven(street, {"flows": [flow]}, 70)
    trips, figures = simulation.trips(), simulation.figures()
    assert trips["due"].tolist() == [5.0 * k for k in range(6)]
    assert (figures["spawned"], figures["arrived"], figures["waiting"]) == (6, 6, 0)
    assert (trips["entered"] - trips["due"]).max() < 0.3 and figures["collisions"] == 0
    assert trips["distance"] == pytest.approx(400, abs=8) and (trips["delay"] < 15).all()
    recording = simulation.recorder.recording({}, lights=False)
    assert touching_pairs(recording) == []
    assert np.unique(recording["id"]).tolist() == trips["id"].tolist()


def test_who_finds_no_room_waits(street):
    some = [{"name": f"t{k}", "depart": 1, "from": {"strip": 0}, "to": "out"} for k in range(4)]
    simulation = driven(street, {"trips": some}, 1.2)
    assert simulation.figures()["waiting"] == 3 and simulation.figures()["spawned"] == 1
    for _ in range(600):
        simulation.step()
    trips = simulation.trips()
    assert simulation.figures()["arrived"] == 4 and (np.diff(trips["entered"]) > 0.5).all()
    assert simulation.figures()["collisions"] == 0


def test_a_trip_ends_on_the_road_it_wants():
    town = grid(3, 3)
    lanes = np.flatnonzero(town.roads.kind == LANE)
    start, goal = int(lanes[0]), int(lanes[-1])
    demand = {"trips": [{"depart": 2, "from": {"strip": start, "station": 30}, "to": {"strip": goal}}]}
    simulation = driven(town, demand, 2, seed=3)
    for k in range(1200):
        simulation.step()
        if k % 20 == 0 and simulation.figures()["arrived"]:
            break
    trips = simulation.trips()
    assert np.isfinite(trips["ended"]).all() and trips["entered"][0] == pytest.approx(2.0, abs=0.11)
    recording = simulation.recorder.recording({}, lights=False)
    x, y = recording["x"][-1:], recording["y"][-1:]
    assert town.roads.road[town.roads.nearest(x, y)[0][0]] == town.roads.road[goal]
    assert trips["seconds"][0] > trips["free_seconds"][0] * 0.5


def test_free_seconds_are_those_of_the_way_that_is_driven(street):
    """From the place where a trip begins to the one where it ends: halfway along its last lane."""
    trips = [
        {"name": str(at), "depart": depart, "from": {"strip": 0, "station": at}, "to": {"strip": 0}}
        for at, depart in ((20, 0), (100, 40))
    ]
    found = driven(street, {"trips": trips}, 75).trips()
    limit = float(street.roads.limit[0])
    assert found["free_seconds"] == pytest.approx([180 / limit, 100 / limit], abs=0.3)
    assert found["distance"] == pytest.approx([180, 100], abs=3) and (found["delay"] > 1.0).all()


def test_trips_end_at_their_places_in_their_lanes():
    town = grid(3, 3, block=120.0, lanes=2)
    roads = town.roads
    inner = int(np.flatnonzero((roads.kind == LANE) & (roads.outer >= 0))[-1])
    kerb = int(roads.outer[inner])
    start = int(np.flatnonzero((roads.kind == LANE) & (roads.road != roads.road[inner]))[0])
    length = float(roads.length[inner])
    places = [(kerb, 40.0), (inner, 60.0), (kerb, 3.0), (inner, length)]
    trips = [
        {"name": str(k), "depart": 6.0 * k, "from": {"strip": start}, "to": {"strip": lane, "station": at}}
        for k, (lane, at) in enumerate(places)
    ]
    middle = roads.place(np.array([inner]), np.array([70.0]))
    trips.append({"name": "4", "depart": 24.0, "from": {"strip": start},
                  "to": {"x": float(middle[0][0]), "y": float(middle[1][0])}})  # fmt: skip
    simulation = Simulation(town, 0, demand=Demand.model_validate({"trips": trips}))
    while simulation.traffic.trips.done < 5 and simulation.time < 400:
        simulation.step()
    told = simulation.trips()
    wanted = [*places, (inner, 70.0)]
    assert told["strip"].tolist() == [lane for lane, _ in wanted]
    late = told["station"] - [min(at, length - 3.0) for _, at in wanted]
    assert (late >= 0).all() and (late < 1.5)[[0, 1, 3, 4]].all() and late[2] < 5.0  # a car is 4.5 m long
    assert (told["delay"] > 0).all()


def test_who_begins_beyond_its_place_comes_round(street):
    town = grid(3, 3, block=120.0)
    lane = int(np.flatnonzero(town.roads.kind == LANE)[3])
    trip = {"depart": 0, "from": {"strip": lane, "station": 60}, "to": {"strip": lane, "station": 20}}
    simulation = Simulation(town, 0, demand=Demand.model_validate({"trips": [trip]}))
    while not simulation.traffic.trips.done and simulation.time < 400:
        simulation.step()
    told = simulation.trips()
    assert told["strip"] == [lane] and 20 <= told["station"][0] < 21.5
    assert told["distance"][0] > 300 and told["free_seconds"][0] < told["seconds"][0] < 200
    with pytest.raises(BadInput, match="trip, to: no way leads there"):
        back = {**trip, "from": {"strip": 0, "station": 60}, "to": {"strip": 0, "station": 20}}
        Simulation(street, 0, demand=Demand.model_validate({"trips": [back]}))


def test_who_vanishes_at_a_narrowing_has_not_arrived(tmp_path):
    widths = ((0, 3.5, 0), (180, 3.5, -0.075), (200, 2.0, 0), (220, 2.0, 0.075), (240, 3.5, 0))
    given = "".join(f'<width sOffset="{s}" a="{a}" b="{b}"/>' for s, a, b in widths)
    (tmp_path / "narrow.xodr").write_text(STREET.replace('<width sOffset="0" a="3.5"/>', given))
    town = load_opendrive(tmp_path / "narrow.xodr")
    assert town.notes == (
        "lanes break off where no car has a way on, though the road goes on: road 1 lane -1 at 196 m",
    )
    trips = [
        {"depart": 0, "from": {"strip": k, "station": 100}, "to": "out"}
        for k in np.flatnonzero(town.roads.kind == LANE)
    ]
    demand = Demand.model_validate({"trips": trips})
    simulation = Simulation(town, 2, seed=1, demand=demand)
    for _ in range(300):
        simulation.step()
    told, figures, doors = simulation.trips(), simulation.figures(), simulation.traffic.doors
    assert np.isfinite(told["ended"]).tolist() == [False, True]
    assert doors.left > 0 and doors.vanished > 0 and figures["collisions"] == 0
    assert (figures["arrived"], figures["vanished"]) == (doors.left + 1, doors.vanished + 1)


def test_trips_among_other_traffic_touch_nobody():
    town = grid(3, 3)
    lanes = np.flatnonzero(town.roads.kind == LANE)
    flow = {"from": {"strip": int(lanes[2]), "station": 40}, "to": {"strip": int(lanes[-3])},
            "per_hour": 900, "end": 40}  # fmt: skip
    simulation = Simulation(
        town,
        40,
        seed=5,
        demand=Demand.model_validate({"flows": [flow]}),
        options=SimulationOptions(record=True),
    )
    for _ in range(450):
        simulation.step()
    assert simulation.figures()["collisions"] == 0 and simulation.figures()["spawned"] > 42
    assert touching_pairs(simulation.recorder.recording({}, lights=False)) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"per_hour": 0}, "per_hour"),
        ({"from": {"x": 3}}, "must be x and y, or a strip"),
        ({"from": {"strip": 99999}}, "must be below"),
        ({"to": "out"}, "no road leads out of this town"),
        ({"speed": 3}, "extra inputs are not permitted"),
        ({"end": 0.5, "begin": 1}, "must be after 1"),
        ({"from": {"x": 1e6, "y": 0}}, "far from every lane"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, change, said):
    flow = {"from": {"strip": 0}, "to": {"strip": 1}, "per_hour": 60, "end": 60} | change
    (tmp_path / "flows.yaml").write_text(json.dumps({"flows": [flow]}))
    with pytest.raises(BadInput, match=said):
        demand = load_demand(tmp_path / "flows.yaml")
        Traffic(grid(3, 3), Simulation(grid(3, 3), 2).characters).serve(demand)


def test_the_command_writes_the_trips(tmp_path, capsys):
    (tmp_path / "street.xodr").write_text(STREET)
    (tmp_path / "f.yaml").write_text("flows: [{name: a<b, from: in, to: out, per_hour: 720, end: 20}]")
    words = ["city", str(tmp_path / "street.xodr"), "--flows", str(tmp_path / "f.yaml"), "--seconds", "70"]
    assert run([*words, "--json", "--no-page", "--out", str(tmp_path / "out")]) == 0
    result = json.loads(capsys.readouterr().out)
    table = pq.read_table(result["trips"]).to_pydict()
    assert result["spawned"] == len(table["id"]) > 0 and result["collisions"] == 0
    infos = ElementTree.parse(result["tripinfo"]).getroot()
    assert len(infos) == result["arrived"] > 0 and infos[0].get("id") == "a<b 0"
    assert float(infos[0].get("duration")) == pytest.approx(table["seconds"][0], abs=0.01)


def test_a_trip_goes_over_the_roads_it_is_told(tmp_path):
    town = grid(4, 3, block=120.0)
    lanes = np.flatnonzero((town.roads.kind == LANE) & (town.roads.outer < 0))
    start, over, end = (int(lanes[k]) for k in (0, len(lanes) // 2, len(lanes) - 1))
    trip = {"depart": 0, "from": {"strip": start, "station": 40}, "to": {"strip": end}}
    ways = []
    for via in ([], [{"strip": over}]):
        simulation = Simulation(town, 0, demand=Demand.model_validate({"trips": [{**trip, "via": via}]}))
        been = []
        while np.isnan(simulation.trips()["ended"]).all() and simulation.time < 300:
            simulation.step()
            strip = int(simulation.traffic.fleet.strip[0])
            been += [int(town.roads.road[strip])] if strip >= 0 and town.roads.kind[strip] == LANE else []
        ways.append((been, simulation.trips()))
    (straight, plain), (round_about, told) = ways
    road = town.roads.road
    assert int(road[over]) not in straight and int(road[over]) in round_about
    assert straight[-1] == round_about[-1] == int(road[end])
    assert told["distance"][0] > plain["distance"][0] + 50 and told["free_seconds"] > plain["free_seconds"]
    with pytest.raises(BadInput, match="trip, via, strip"):
        Simulation(town, 0, demand=Demand.model_validate({"trips": [{**trip, "via": [{"strip": 99999}]}]}))


def test_detectors_count_who_drives_over_them(street, tmp_path):
    flow = {"name": "f", "from": "in", "to": "out", "per_hour": 720, "end": 30, "spacing": "even"}
    loops = [{"name": f"at {s}", "at": {"strip": 0, "station": s}, "every": 20} for s in (1.0, 200.0, 399.9)]
    simulation = driven(street, {"flows": [flow], "detectors": loops}, 70)
    told = {name: np.array(column) for name, column in simulation.detectors().items()}
    for loop in loops:
        mine = told["name"] == loop["name"]
        assert told["count"][mine].sum() == 6
        assert told["begin"][mine].tolist() == [0.0, 20.0, 40.0, 60.0]
        assert told["end"][mine].tolist() == pytest.approx([20.0, 40.0, 60.0, 70.0])
    recording = simulation.recorder.recording({}, lights=False).whole()
    front = recording["x"] + recording["length"] / 2
    passed, covered = [], set()
    for i in np.unique(recording["id"]):
        own = recording["id"] == i
        t, x, long = recording["t"][own], front[own], recording["length"][own]
        passed += t[1:][(x[:-1] < 200) & (x[1:] >= 200)].tolist()
        covered |= {round(float(v), 1) for v in t[(x >= 200) & (x - long < 200)]}
    mine = told["name"] == "at 200.0"
    known = [
        sum(a < t <= b for t in passed) for a, b in zip(told["begin"][mine], told["end"][mine], strict=True)
    ]
    assert told["count"][mine].tolist() == known
    seconds = (told["end"] - told["begin"])[mine]
    assert (told["occupancy"][mine] * seconds).sum() == pytest.approx(0.1 * len(covered), abs=0.35)
    assert told["per_hour"][mine] == pytest.approx(3600 * told["count"][mine] / seconds)
    quick = told["count"] > 0
    assert (told["mean_speed"][quick] > 5).all() and np.isnan(told["mean_speed"][~quick]).all()


def test_the_command_writes_what_detectors_told(tmp_path, capsys):
    (tmp_path / "street.xodr").write_text(STREET)
    (tmp_path / "f.yaml").write_text(
        "flows: [{from: in, to: out, per_hour: 900, end: 20}]\n"
        "detectors: [{name: a, at: {strip: 0, station: 9}}]\n"
    )
    words = ["city", str(tmp_path / "street.xodr"), "--flows", str(tmp_path / "f.yaml"), "--seconds", "20"]
    assert run([*words, "--out", str(tmp_path), "--no-page", "--json"]) == 0
    table = pq.read_table(json.loads(capsys.readouterr().out)["detectors"]).to_pydict()
    assert table["name"] == ["a"] and table["count"][0] > 0 and table["end"] == [20.0]


def test_arrivals_on_a_ring_are_counted_once_a_round(tmp_path):
    end, on = ('<{} elementType="road" elementId="1" contactPoint="{}"/>', '<{} id="-1"/>')
    links = end.format("predecessor", "end") + end.format("successor", "start")
    lanes = on.format("predecessor") + on.format("successor")
    bend = f'<arc curvature="{2 * np.pi / 400}"/></geometry></planView>'
    ring = STREET.replace("<line/></geometry></planView>", bend).replace(
        "<planView>", f"<link>{links}</link><planView>"
    )
    ring = ring.replace('type="driving">', f'type="driving"><link>{lanes}</link>')
    (tmp_path / "ring.xodr").write_text(ring)
    simulation = Simulation(load_opendrive(tmp_path / "ring.xodr"), 3, seed=2)
    for _ in range(1200):
        simulation.step()
    rounds = simulation.traffic.fleet.odometer / 400
    assert (np.abs(simulation.traffic.fleet.arrivals - rounds) <= 1.0).all() and rounds.min() > 2
