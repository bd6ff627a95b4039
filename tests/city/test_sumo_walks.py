"""Crossings and walking areas of SUMO's networks: people cross before the junction, and cars let them."""

import sys
from pathlib import Path

import numpy as np
import pytest

from swerve.city import Simulation, SimulationOptions
from swerve.city.ground import mesh_of_town
from swerve.city.load import load_town
from swerve.city.roads.lights import GREEN
from swerve.city.roads.roads import CONNECTOR

sys.path.append(str(Path(__file__).parents[1]))
from plain_referee import touching_pairs

ARMS = [(1, 0), (0, 1), (-1, 0), (0, -1)]  # east, north, west, south


def at(d, out, aside):
    """A place so far out along an arm and to its left."""
    return f"{out * d[0] - aside * d[1]:.2f},{out * d[1] + aside * d[0]:.2f}"


def crossroads(lit=True, sidewalks=(0, 1, 2, 3)):
    """Four arms of 100 m with a lane and a sidewalk each way; cars of an axis have green in turns."""
    rows, links = [], []
    for k, d in enumerate(ARMS):
        for name, side, ends in ((f"in{k}", 1, (100, 10)), (f"out{k}", -1, (10, 100))):
            start, end = (f"n{k}", "C") if side > 0 else ("C", f"n{k}")
            kinds = 'allow="pedestrian"' if k in sidewalks else 'allow="tram"'
            walk, lane = (" ".join(at(d, out, side * aside) for out in ends) for aside in (4.2, 1.6))
            rows.append(
                f'<edge id="{name}" from="{start}" to="{end}"><lane id="{name}_0" index="0" {kinds} speed="9"'
                f' width="2" length="90" shape="{walk}"/><lane id="{name}_1" index="1" disallow="pedestrian" '
                f'speed="13" width="3.2" length="90" shape="{lane}"/></edge>'
            )
        over = " ".join(at(d, 8, aside) for aside in (-3.2, 3.2))
        rows.append(
            f'<edge id=":C_c{k}" function="crossing" crossingEdges="out{k} in{k}"><lane id=":C_c{k}_0" '
            f'index="0" allow="pedestrian" speed="1" length="6.4" width="4" shape="{over}"/></edge>'
        )
        corner = " ".join(at(d, *p) for p in ((10, 3.2), (10, 5.2), (5.2, 10), (3.2, 10), (4, 6), (6, 4)))
        rows.append(
            f'<edge id=":C_w{k}" function="walkingarea"><lane id=":C_w{k}_0" index="0" allow="pedestrian" '
            f'speed="1" length="5" width="2" shape="{corner}"/></edge>'
        )
        after = (k + 1) % 4
        links += [(f"in{k}", f":C_w{k}", 0, ""), (f":C_w{k}", f"out{after}", 0, "")]
        links += [(f":C_w{k}", f":C_c{k}", 0, f"{12 + k}"), (f":C_c{k}", f":C_w{(k + 3) % 4}", 0, "")]
        links += [(f"in{k}", f"out{(k + j) % 4}", 1, f"{3 * k + j - 1}") for j in (1, 2, 3)]
    for source, target, lane, number in links:
        light = f' tl="C" linkIndex="{number}"' if number and lit else ""
        rows.append(
            f'<connection from="{source}" to="{target}" fromLane="{lane}" toLane="{lane}" state="o"{light}/>'
        )
    if lit:
        first, second = "GGGrrrGGGrrr", "rrrGGGrrrGGG"
        phases = [(20, first + "rGrG"), (4, first.replace("G", "y") + "rrrr"), (2, "r" * 16)]
        phases += [(20, second + "GrGr"), (4, second.replace("G", "y") + "rrrr"), (2, "r" * 16)]
        told = "".join(f'<phase duration="{s}" state="{state}"/>' for s, state in phases)
        rows.append(f'<tlLogic id="C" type="static" programID="0" offset="0">{told}</tlLogic>')
    return f"<net>{''.join(rows)}</net>"


@pytest.fixture
def load(tmp_path):
    def load(**options):
        (tmp_path / "cross.net.xml").write_text(crossroads(**options))
        return load_town(tmp_path / "cross.net.xml")

    return load


def test_sidewalks_corners_and_crosswalks_are_one_ground(load):
    town = load()
    walks, mesh = town.roads.crossings, mesh_of_town(town)
    assert len(walks) == 4 and mesh.parts().max() == 0
    assert not any("crossings" in note for note in town.notes)
    for k in range(4):
        mine = np.flatnonzero(mesh.data["crossing"] == k)
        beside = {int(cell) for i in mine for cell in mesh.neighbours(int(i))}
        assert len(beside) >= 2
    middle = np.sort(np.linalg.norm(walks.corners.mean(axis=1), axis=1))
    assert middle == pytest.approx(12.5)  # before the junction, which begins at 10 m
    assert walks.length == pytest.approx(6.4, abs=0.01)


def test_every_way_over_a_crosswalk_knows_it(load):
    """By places of the connectors: who comes within a crosswalk's ring has a stretch there, and no other."""
    roads = load().roads
    walks = roads.crossings
    for k, ring in enumerate(walks.corners):
        known = set(walks.strip[walks.strip_first[k] : walks.strip_first[k + 1]].tolist())
        low, high = ring.min(axis=0), ring.max(axis=0)
        over = set()
        for strip in np.flatnonzero(roads.kind == CONNECTOR):
            points = slice(roads.first[strip], roads.first[strip + 1])
            x, y = roads.x[points], roads.y[points]
            if ((x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1])).any():
                over.add(int(strip))
        assert over == known and len(known) == 6


def test_people_have_the_green_that_the_file_gives_them(load):
    roads = load().roads
    walks = roads.crossings
    for k, ring in enumerate(walks.corners):
        axis = int(abs(ring.mean(axis=0)[0]) < 1.0)  # 0 over the east and west arms
        shown = [roads.lights.state(t)[walks.light[k]] == GREEN for t in (10.0, 25.0, 36.0, 51.0)]
        assert shown == [axis == 1, False, axis == 0, False]
    assert (load(lit=False).roads.crossings.light == -1).all()


@pytest.mark.parametrize("lit", [True, False])
def test_people_cross_and_nobody_is_touched(load, lit):
    simulation = Simulation(load(lit=lit), 8, 40, seed=4, options=SimulationOptions(record=True))
    crossed = 0
    for _ in range(900):
        simulation.step()
        crossed += int(simulation.people.on_crossing.sum())
    assert crossed > 100
    assert simulation.figures()["collisions"] == simulation.figures()["red_light_violations"] == 0
    assert touching_pairs(simulation.recorder.recording({})) == []


def test_a_crossing_without_sidewalks_is_left_out_and_said(load):
    town = load(sidewalks=(0, 1, 2))
    assert len(town.roads.crossings) == 3
    assert any("crossings without sidewalks" in note and "(1)" in note for note in town.notes)
