"""Buses turn without touching anybody where junctions are laid out for them; elsewhere they are refused."""

import json

import numpy as np
import pytest

from swerve.city import Simulation, SimulationOptions, grid, load_town
from swerve.city.roads.swept import BUS, STEP, swept_sides
from swerve.city.towns.winding_plan import winding
from swerve.cli.main import run
from swerve.core.errors import BadInput

MIX = {"sedan": 0.6, "bus": 0.4}


@pytest.mark.parametrize("left_hand", [False, True])
def test_buses_turn_and_touch_nobody(left_hand):
    town = grid(3, 3, block=120.0, left_hand=left_hand, buses=True)
    options = SimulationOptions(mix=MIX)
    simulation = Simulation(town, 30, 20, emergency=1, seed=5, options=options)
    fleet = simulation.traffic.fleet
    buses = np.flatnonzero(simulation.traffic.kinds == "bus")
    turned = set()
    for _ in range(900):
        simulation.step()
        turned |= set(town.roads.turn[fleet.strip[buses]].tolist())
    assert len(buses) == 6 and turned == {-1, 0, 1}  # right and left
    figures = simulation.figures()
    assert figures["collisions"] == figures["off_road"] == figures["red_light_violations"] == 0
    assert figures["longest_stand"] < 100.0


def test_what_a_bus_sweeps_is_what_a_bus_on_that_curve_covers():
    """By a bicycle model of its own: the rear axle follows the front one, which drives a quarter circle."""
    radius, step = 12.0, 0.05
    angle = np.arange(0.0, np.pi / 2, STEP / radius)
    x, y, heading = radius * np.sin(angle), radius * (1 - np.cos(angle)), angle
    left, right = swept_sides(x, y, heading, BUS)
    front = np.array([0.0, 0.0])
    rear = np.array([-BUS.wheelbase, 0.0])
    inside, outside = 0.0, 0.0
    for a in np.arange(0.0, np.pi / 2, step / radius):
        front = np.array([radius * np.sin(a), radius * (1 - np.cos(a))])
        way = front - rear
        rear = front - BUS.wheelbase * way / np.hypot(*way)
        along = (front - rear) / BUS.wheelbase
        aside = np.array([-along[1], along[0]])
        for u in np.linspace(BUS.front - BUS.length, BUS.front, 40):
            for side in (-BUS.width / 2, BUS.width / 2):
                px, py = front + u * along + side * aside
                bearing = np.arctan2(px, radius - py)
                if 0.05 < bearing < np.pi / 2 - 0.05:
                    beside = radius - np.hypot(px, py - radius)
                    inside, outside = max(inside, beside), max(outside, -beside)
    assert inside == pytest.approx(left.max() - 0.2, abs=0.06)
    assert outside == pytest.approx(right.max() - 0.2, abs=0.06)


def test_houses_stand_clear_of_the_pavements_round_wider_corners():
    town = grid(3, 3, block=120.0, buses=True)
    for ring in town.obstacles:
        low, high = ring.min(axis=0), ring.max(axis=0)
        inside = ((town.paving > low) & (town.paving < high)).all(axis=-1)
        assert not inside.any()


def test_a_bus_is_refused_where_junctions_are_too_small_for_it(tmp_path):
    with pytest.raises(BadInput, match=r"length: must be at most 6\.5 m on these roads, got 11"):
        Simulation(grid(3, 3), 5, seed=1, options=SimulationOptions(mix={"bus": 1.0}))
    (tmp_path / "a.xodr").write_text("<OpenDRIVE/>")
    with pytest.raises(BadInput, match="not by buses"):
        load_town(tmp_path / "a.xodr", buses=True)


def test_the_command_lays_a_town_out_for_the_buses_that_come(capsys, tmp_path):
    asked = ["city", "grid", "--vehicles", "12", "--mix", "bus=1", "--seconds", "5", "--json"]
    assert run([*asked, "--out", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["vehicles"] == 12


@pytest.mark.parametrize("seed", [93])
def test_a_winding_town_straightens_the_streets_that_would_be_too_short(seed):
    """Bends that pull a junction's stop lines far back left no street between two of them."""
    town = winding(seed, pavements=False)
    assert town.roads.junctions == 42
