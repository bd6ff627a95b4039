"""A whole city judged from its recording: cars, people, sirens, any seeds.

By default one small city. The size that the project promises, for seeds of your own:

    SWERVE_CITY_SEEDS=21,22,23 pytest tests/city/test_city_seeds.py

and any recorded grid by hand:

    swerve city grid --vehicles 1000 --pedestrians 1000 --seconds 200 --record a.parquet --no-page
    python tests/city/test_city_seeds.py a.parquet
"""

import os
import sys

import numpy as np
import plain_street as plain
import pytest
from scipy.spatial import cKDTree

from swerve.city import Simulation, SimulationOptions, grid, suitable_grid
from swerve.core.recording import Recording

OUTLINE = ("x", "y", "heading", "length", "width")
TOUCH = 1e-6  # [m] by which bodies may seem to overlap in a recording


def faults(recording, town, every=1, edges_every=10):
    """How often each thing happens that must not, and the longest stand of a vehicle [s]."""
    table = plain.tracks(recording)
    on_foot = table["kind"][0] == "pedestrian"
    cars = {n: c[:, ~on_foot] if np.ndim(c) == 2 else c for n, c in table.items() if n != "kind"}
    people = {n: c[:, on_foot] if np.ndim(c) == 2 else c for n, c in table.items() if n != "kind"}
    frames = len(table["times"])
    counts = dict.fromkeys(("cars_touch", "people_touch", "people_under_cars", "off_road", "off_pavement"), 0)
    for frame in range(0, frames, every):
        boxes = [cars[name][frame].astype(float) for name in OUTLINE]
        x, y, size = (people[name][frame].astype(float) for name in ("x", "y", "width"))
        counts["cars_touch"] += len(plain.overlapping_pairs(*boxes))
        counts["people_touch"] += overlapping_discs(x, y, size / 2)
        counts["people_under_cars"] += discs_in_boxes(*boxes, x, y, size / 2)
        if frame % edges_every == 0:
            counts["off_road"] += len(plain.off_road(cars, town, frame))
            counts["off_pavement"] += int((~on_any_ring([a.points for a in town.pavements], x, y)).sum())
    counts["red_lights"] = len(plain.red_lights_run(cars, town.roads))
    cycle = town.roads.lights.cycle
    stands = plain.longest_stand(cars)
    counts["deadlocks"] = int((stands > 2 * cycle.max()).sum()) if len(cycle) else 0
    return counts, float(stands.max(initial=0.0))


def overlapping_discs(x, y, radius):
    if len(x) == 0:
        return 0
    near = cKDTree(np.stack([x, y], -1)).query_pairs(2 * radius.max(), output_type="ndarray")
    a, b = near[:, 0], near[:, 1]
    return int((np.hypot(x[a] - x[b], y[a] - y[b]) < radius[a] + radius[b] - TOUCH).sum())


def discs_in_boxes(x, y, heading, length, width, px, py, radius):
    """Pairs of a box and a disc that overlap: the nearest point of the box is within the disc."""
    if len(x) == 0 or len(px) == 0:
        return 0
    reach = np.hypot(length, width).max() / 2 + radius.max()
    near = cKDTree(np.stack([x, y], -1)).query_ball_point(np.stack([px, py], -1), reach)
    j = np.repeat(np.arange(len(px)), [len(found) for found in near])
    i = np.concatenate([np.asarray(found, int) for found in near]) if len(j) else j
    c, s = np.cos(heading[i]), np.sin(heading[i])
    along, aside = c * (px[j] - x[i]) + s * (py[j] - y[i]), c * (py[j] - y[i]) - s * (px[j] - x[i])
    beyond = np.maximum(np.abs(along) - length[i] / 2, 0), np.maximum(np.abs(aside) - width[i] / 2, 0)
    return int((np.hypot(*beyond) < radius[j] - TOUCH).sum())


def on_any_ring(rings, x, y, slack=0.01):
    """(n,) whether points lie in any of some convex rings, or within `slack` [m] of it."""
    found = np.zeros(len(x), bool)
    tree = cKDTree(np.stack([x, y], -1)) if len(x) else None
    for ring in rings if tree is not None else ():
        ring = np.asarray(ring, float)
        middle = ring.mean(axis=0)
        some = np.array(tree.query_ball_point(middle, np.hypot(*(ring - middle).T).max() + slack), int)
        a, b = ring, np.roll(ring, -1, axis=0)
        edge = np.hypot(*(b - a).T) > 0
        a, d = a[edge], ((b - a) / np.hypot(*(b - a).T)[:, None].clip(1e-12))[edge]
        side = d[:, :1] * (y[some] - a[:, 1:]) - d[:, 1:] * (x[some] - a[:, :1])
        found[some] |= (side >= -slack).all(axis=0) | (side <= slack).all(axis=0)
    return found


def simulate(town, vehicles, pedestrians, emergency, seed, seconds):
    simulation = Simulation(
        town, vehicles, pedestrians, emergency, seed, options=SimulationOptions(record=True)
    )
    for _ in range(round(seconds / simulation.dt)):
        simulation.step()
    return simulation.recorder.recording({}).whole()


SEEDS = [int(word) for word in os.environ.get("SWERVE_CITY_SEEDS", "").split(",") if word.strip()]


@pytest.mark.parametrize("emergency", [0, 20])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_thousand_cars_and_people(seed, emergency):
    side = suitable_grid(1000)
    town = grid(side, side)
    counts, stand = faults(simulate(town, 1000, 1000, emergency, seed, 200.0), town)
    assert not any(counts.values()), (counts, stand)


def test_a_small_city_and_that_the_checks_would_see_faults():
    town = grid(3, 3)
    recording = simulate(town, 90, 160, 3, seed=6, seconds=20.0)
    counts, stand = faults(recording, town, every=2)
    assert not any(counts.values()) and stand <= 20.0, (counts, stand)
    table = recording.columns
    cars, people = (
        np.flatnonzero(table["kind"] != "pedestrian"),
        np.flatnonzero(table["kind"] == "pedestrian"),
    )
    for name in ("x", "y"):  # in the first frame: onto another, and in the middle of a block
        table[name][cars[1]] = table[name][cars[0]]
        table[name][people[1]] = table[name][people[0]]
        table[name][people[2]] = table[name][cars[2]]
        table[name][cars[3]] = table[name][people[3]] = 100.0
    counts, _ = faults(recording, town, every=1000)
    assert all(counts[name] > 0 for name in counts if name not in ("red_lights", "deadlocks")), counts


if __name__ == "__main__":
    for path in sys.argv[1:]:
        read = Recording.read(path).whole()
        columns, rows = (int(word) for word in read.meta["scene"].split()[1].split("x"))
        print(path, *faults(read, grid(columns, rows)))
