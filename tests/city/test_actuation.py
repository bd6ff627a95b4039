"""Lights that look who comes: greens end early, nothing else of a plan changes, and nobody runs a red one."""

from itertools import pairwise

import numpy as np
import pytest

from swerve.city import Simulation, SimulationOptions, grid, load_town
from swerve.city.roads.lights import GREEN, RED, YELLOW, SignalTimes, join_lights, junction_lights
from swerve.core.errors import BadInput

TOWN = grid(3, 3, block=150.0)


def run(least, vehicles=20, people=6, seconds=100.0, seed=4, town=TOWN):
    options = SimulationOptions(least_green=least)
    town = Simulation(town, vehicles, people, seed=seed, options=options)
    shown, far = [], 0.0
    for _ in range(round(seconds / 0.1)):
        town.step()
        shown.append(town.town.roads.lights.state(town.time))
    far = town.traffic.fleet.odometer.sum()
    return town, np.array(shown), far


def spans(column, state):
    """Lengths [s] of the whole spans in which a light shows a state."""
    edges = np.flatnonzero(np.diff(column) != 0) + 1
    return [0.1 * (b - a) for a, b in pairwise(edges) if column[a] == state]


def test_greens_end_early_and_all_else_of_the_plan_stays():
    town, shown, far = run(6.0)
    _, _, fixed = run(None)
    assert town.traffic.actuation.skips > 10 and far > 1.05 * fixed
    figures = town.figures()
    assert figures["collisions"] == figures["red_light_violations"] == figures["deadlocks"] == 0
    lights, cars = town.town.roads.lights, town.traffic.actuation.for_cars
    greens = []
    for k in np.flatnonzero(cars):
        assert np.allclose(spans(shown[:, k], YELLOW), 3.0, atol=0.11)
        greens += spans(shown[:, k], GREEN)
    assert min(greens) >= 5.9 and min(greens) < 15.0
    # cars of two axes of one controller never have green together
    for one in np.unique(lights.controller):
        groups = np.flatnonzero((lights.controller == one) & cars)
        drives = np.stack(
            [(shown[:, groups[k : k + 2]] != RED).any(axis=1) for k in range(0, len(groups), 2)]
        )
        assert drives.sum(axis=0).max() <= 1


def test_a_light_tells_what_it_showed_before_it_was_put_forward():
    town, shown, _ = run(6.0, seconds=50.0)
    lights = town.town.roads.lights
    again = np.array([lights.state(round(0.1 * (k + 1), 9)) for k in range(len(shown))])
    assert len(lights.skips) > 3 and (again == shown).all()


def test_a_simulation_has_clocks_of_its_own():
    before = TOWN.roads.lights.offset.copy()
    town, first, _ = run(6.0, seconds=40.0)
    assert (TOWN.roads.lights.offset == before).all() and town.town is not TOWN
    _, second, _ = run(6.0, seconds=40.0)
    assert (first == second).all()
    other = town.again()
    assert (other.town.roads.lights.offset == before).all() and other.traffic.actuation is not None


def test_plans_of_their_own(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(
        "signals: {green: 20, advance: 0}\n"
        "nodes:\n  a: {at: [0, 0], signal: {greens: [30, 12], least: 5, all_red: 1, advance: 0}}\n"
        "  b: {at: [200, 0], signal: true}\n"
        + "".join(f"  n{k}: {{at: [{200 * (k // 2)}, {150 * (-1) ** k}]}}\n" for k in range(4))
        + "  w: {at: [-150, 0]}\n  e: {at: [350, 0]}\nstreets:\n"
        + "".join(f"  - {{from: n{k}, to: {'ab'[k // 2]}}}\n" for k in range(4))
        + "  - {from: w, to: a}\n  - {from: a, to: b}\n  - {from: b, to: e}\n"
    )
    lights = load_town(path).roads.lights
    own, plan = lights.controller == 0, lights.controller == 1
    assert set(lights.least[own]) == {5.0} and np.isinf(lights.least[plan]).all()
    assert lights.cycle[own][0] == 30 + 12 + 2 * (3 + 1) and lights.cycle[plan][0] == 2 * (20 + 3 + 2)
    town, _, _ = run(None, vehicles=6, people=0, seconds=60.0, town=load_town(path))
    assert town.traffic.actuation.skips > 0
    assert {one for _, one, _ in town.town.roads.lights.skips} == {0}
    path.write_text(path.read_text().replace("least: 5", "least: -5"))
    with pytest.raises(BadInput, match="green: must be positive, got -5"):
        load_town(path)


def test_every_axis_has_the_green_that_it_is_given():
    lights = join_lights(
        [junction_lights([False, False], [8.0, 8.0], SignalTimes(greens=(30.0, 12.0)))], [0.0]
    )
    times = np.arange(0.0, float(lights.cycle[0]), 0.5)
    shown = np.array([lights.state(t) for t in times])
    assert (shown[:, [0, 3]] == GREEN).sum(axis=0).tolist() == [60, 24]
