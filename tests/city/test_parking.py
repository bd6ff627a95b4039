"""Cars park in bays at the kerb and touch nobody: into the bay, out of it, and while others pass."""

import json

import numpy as np
import pytest

from swerve.city import WHEELED, Characters, Simulation, SimulationOptions, Traffic, grid
from swerve.city.districts import Districts
from swerve.city.ground.mesh_of import mesh_of
from swerve.city.towns.winding_plan import winding
from swerve.city.traffic.fleet import PARKED, PULLS_IN, PULLS_OUT
from swerve.cli.main import run
from swerve.core.contact import Touch
from swerve.core.errors import BadInput
from swerve.core.geometry import outlines

BUSY = SimulationOptions(parking=1.0, stay=15.0)


def corners(fleet, i):
    pose = np.array([[fleet.x[i], fleet.y[i], fleet.heading[i]]])
    return outlines(pose, float(fleet.length[i]), float(fleet.width[i]))[0]


@pytest.mark.parametrize("left_hand", [False, True])
def test_cars_park_and_go_on_and_touch_nobody(left_hand):
    town = grid(3, 3, left_hand=left_hand, bays=True)
    simulation = Simulation(town, 60, 10, emergency=1, seed=12, options=BUSY)
    fleet = simulation.traffic.fleet
    seen, left, before = set(), 0, fleet.berth.copy()
    for _ in range(500):
        simulation.step()
        for i in np.flatnonzero((fleet.berth == PARKED) & (before == PULLS_IN)):
            seen.add(int(i))
            x, y = corners(fleet, i).T
            strip = np.full(4, fleet.strip[i])
            lane = town.roads.place(strip, np.full(4, float(fleet.station[i])))
            aside = (y - lane[1]) * np.cos(lane[2]) - (x - lane[0]) * np.sin(lane[2])
            beyond = aside if left_hand else -aside
            assert beyond.min() > 1.75 and beyond.max() < 1.75 + 2.4  # out of the lane, inside the bay
            turned = (fleet.heading[i] - lane[2][0] + np.pi) % (2 * np.pi) - np.pi
            assert abs(turned) < np.radians(4.0)
        left += int(((fleet.berth == 0) & (before == PULLS_OUT)).sum())
        before = fleet.berth.copy()
    figures = simulation.figures()
    assert figures["parkings"] == pytest.approx(len(seen), abs=10) and len(seen) >= 5 and left >= 5
    assert figures["collisions"] == figures["off_road"] == figures["red_light_violations"] == 0
    assert figures["longest_stand"] < 100.0 and figures["deadlocks"] == 0
    assert figures["parked"] == int((fleet.berth == PARKED).sum())


def test_in_bent_streets_too():
    simulation = Simulation(winding(9, 4, 4, bays=True), 40, seed=2, options=BUSY)
    for _ in range(350):
        simulation.step()
    figures = simulation.figures()
    assert figures["parkings"] >= 5 and figures["collisions"] == figures["off_road"] == 0


def one_parked(stay=5.0, others=0):
    """A car in the first bay of some lane, and others who are nowhere yet."""
    town = grid(3, 2, block=300.0, bays=True)
    characters = Characters()
    characters.add(WHEELED, 1 + others, parks=0.0)
    traffic = Traffic(town, characters, 1)
    traffic.fleet.strip[:] = -1
    bays = traffic.parking
    strip, front = int(bays.strip[0]), float(bays.front[0])
    traffic.place([0], strip, np.array([front]))
    fleet = traffic.fleet
    heading = float(fleet.heading[0])
    fleet.x[0] -= bays.lateral[0] * np.sin(heading)
    fleet.y[0] += bays.lateral[0] * np.cos(heading)
    fleet.lateral[0] = fleet.shift_from[0] = fleet.shift_to[0] = bays.lateral[0]
    fleet.berth[0], bays.bay[0], bays.taken[0], bays.left[0] = PARKED, 0, 0, stay
    return traffic, strip, front


def test_nobody_minds_who_stands_in_a_bay():
    """Another passes as if the bay were empty."""

    def way(parked):
        traffic, strip, front = one_parked(stay=1000.0, others=1)
        if not parked:
            traffic.fleet.strip[0] = -1
        traffic.place([1], strip, np.array([front - 15.0]), 10.0)
        for _ in range(60):
            traffic.advance(0.1)
        return float(traffic.fleet.x[1]), float(traffic.fleet.y[1]), float(traffic.fleet.speed[1])

    assert way(True) == way(False)


def test_one_pulls_out_behind_who_comes_not_before():
    traffic, strip, front = one_parked(stay=0.1, others=1)
    traffic.place([1], strip, np.array([front - 16.0]), 12.0)
    hardest = 0.0
    for _ in range(400):
        traffic.advance(0.1)
        hardest = min(hardest, float(traffic.fleet.accel[1]))
        if traffic.fleet.berth[0] != PARKED:
            break
    assert traffic.fleet.berth[0] == PULLS_OUT and traffic.fleet.station[1] > traffic.fleet.station[0]
    assert hardest > -2.0
    empty, _, _ = one_parked(stay=0.1)
    empty.advance(0.1)
    empty.advance(0.1)
    assert empty.fleet.berth[0] == PULLS_OUT  # with nobody about it goes at once


def test_a_car_that_was_pushed_out_of_its_bay_is_minded_again():
    traffic, strip, front = one_parked(stay=1000.0, others=1)
    shove = np.array([[-np.sin(traffic.fleet.heading[0]), np.cos(traffic.fleet.heading[0])]]) * 2.0
    kick = np.array([[*(shove[0] * 0.5), 0.0]])
    none, flat = np.zeros(1), np.zeros((1, 3))
    traffic.touched(Touch(np.array([0]), np.array([-1]), np.array(["car"]), flat, flat, none, kick, shove))
    for _ in range(120):
        traffic.advance(0.1)
    traffic.place([1], strip, np.array([front - 25.0]), 4.0)
    fleet = traffic.fleet
    for _ in range(20):
        traffic.advance(0.1)
        assert fleet.berth[0] != PARKED
        assert fleet.station[1] + fleet.overhang[1] < fleet.station[0] + fleet.overhang[0] - fleet.length[0]


@pytest.mark.parametrize("name, value", [("parks", 1.0), ("stay", 200.0)])
def test_attributes_act_when_changed(name, value):
    """A driver who comes to the middle of the road it wants to, and parks there if it parks at all."""

    def where(changed):
        town = grid(3, 2, block=300.0, bays=True)
        characters = Characters()
        characters.add(WHEELED, 1, parks=float(name == "stay"), stay=2.0, max_speed=8.0)
        traffic = Traffic(town, characters, 1)
        strip = int(traffic.parking.strip[0])
        traffic.parking.seeks[:], traffic.fleet.berth[:] = False, 0
        traffic.place([0], strip, np.array([100.0]), 8.0)
        row = traffic.paths.rows_of(town.roads.road[[strip]])
        traffic.paths.send(traffic.fleet, np.array([0]), row)
        for k in range(350):
            if k == 1 and changed:
                characters.set(traffic.ids, name, value)
            traffic.advance(0.1)
        return int(traffic.fleet.berth[0]), traffic.parking.parkings

    assert where(True) == ((PARKED, 1) if name == "stay" else (0, 1))
    assert where(False) == (0, int(name == "stay"))


@pytest.mark.parametrize("build", [grid, winding])
def test_pavements_beside_bays_hang_together_and_end_at_them(build):
    """People get to wherever they got without bays, and no pavement covers one."""
    numbers = (3, 3) if build is grid else (4, 4, 4)
    town, plain = build(*numbers, bays=True), build(*numbers)
    mesh = mesh_of(town)
    assert len(np.unique(mesh.parts())) == len(np.unique(mesh_of(plain).parts()))
    rows = town.roads.lay_bys
    assert len(rows) > 10
    share = np.linspace(0.02, 0.98, 25)
    for strip, start, end in zip(rows.strip, rows.start, rows.end, strict=True):
        lane, along = np.full(25, strip), start + share * (end - start)
        for beyond, paved in ((1.85, False), (3.9, False), (4.4, True), (6.9, True)):
            x, y, _ = town.roads.place(lane, along, -beyond)
            assert ((mesh.locate(x, y) >= 0) == paved).all()


def test_refused():
    with pytest.raises(BadInput, match="has no bays"):
        Simulation(grid(3, 2), 5, options=BUSY)
    with pytest.raises(BadInput, match="parking: must be from 0 to 1"):
        SimulationOptions(parking=1.5)
    with pytest.raises(BadInput, match="stay"):
        SimulationOptions(parking=0.5, stay=0.0)
    options = SimulationOptions(parking=0.5, referee=False)
    with pytest.raises(BadInput, match="parking"):
        Districts(Simulation(grid(3, 2, bays=True), 5, options=options), 2)


def test_by_command_and_by_file(tmp_path, capsys):
    file = tmp_path / "kerbs.yaml"
    file.write_text("bays: true\ngrid: {columns: 3, rows: 3}\n")
    arguments = ["--vehicles", "30", "--seconds", "40", "--parking", "0.9", "--stay", "10", "--no-page"]
    said = []
    for scene in (str(file), "grid"):
        blocks = [] if scene == str(file) else ["--blocks", "3"]
        assert run(["city", scene, *arguments, *blocks, "--out", str(tmp_path / "o"), "--json"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    for one in said:
        assert one["parkings"] > 0 and one["collisions"] == 0
    assert said[0]["parkings"] == said[1]["parkings"]  # the same town


def test_vehicles_of_flows_park_too_and_nobody_is_needed_for_it():
    """With no vehicle but those of a flow, and with none at all."""
    from swerve.city import Demand, Flow

    town = grid(3, 3, bays=True)
    strip = int(town.roads.lay_bys.strip[0])
    flow = Flow(**{"from": {"strip": strip, "station": 5}, "to": {"strip": strip + 20}}, per_hour=900, end=10)
    simulation = Simulation(town, 0, seed=1, demand=Demand(flows=[flow]), options=BUSY)
    assert (simulation.characters.get(simulation.traffic.ids, "parks") == 1.0).all()
    Simulation(town, 0, 3, seed=1, options=BUSY).step()


@pytest.mark.parametrize("seed", [241528, 515508])
def test_pieces_of_pavement_are_convex(seed):
    for piece in winding(seed, 3, 3, 120.0, bays=True).paving:
        side = np.roll(piece, -1, axis=0) - piece
        after = np.roll(side, -1, axis=0)
        turn = side[:, 0] * after[:, 1] - side[:, 1] * after[:, 0]
        assert (turn > -1e-6).all() or (turn < 1e-6).all()
