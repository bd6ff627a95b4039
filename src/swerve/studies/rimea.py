"""Four acceptance tests of RiMEA for people on foot: 1 and 6 have pass rules, 4 and 12 are shown.

RiMEA (Richtlinie für Mikroskopische Entfluchtungsanalysen) describes them; Weidmann (1993) is what the
fundamental diagram is drawn against.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from swerve.city import PERSON, Characters, People, PeopleOptions
from swerve.city.ground import Mesh
from swerve.city.people.behaviours import SeekTo
from swerve.core.seeding import generator
from swerve.core.sweep import sweep

from .report import Conclusion, Report
from .rimea_pictures import draw_bottleneck, draw_corner, draw_diagram
from .rimea_tracks import Tracks

CORNER = np.array([(0, 0), (12, 0), (12, 22), (10, 22), (10, 2), (0, 2)], float)
ROOMS = np.array(
    [(0, 0), (10, 0), (10, 4.5), (15, 4.5), (15, 0), (35, 0), (35, 10), (15, 10), (15, 5.5), (10, 5.5),
     (10, 10), (0, 10)], float,
)  # fmt: skip
DENSITIES = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)  # [1/m²]
CORRIDOR, WIDTH, AREA = 60.0, 4.0, (25.0, 35.0)  # [m] filled length, width, and where it is measured


def run(out: Path, seed: int, trials: int | None) -> Report:
    """All four, with a picture each for 4, 6 and 12."""
    seconds = walk_alone()
    corner = round_the_corner(seed)
    crossed, nearest = walls_crossed(corner), wall_gap(corner)
    diagram = sweep(partial(measure_density, seed=seed), DENSITIES, "densities")
    narrow = through_a_bottleneck(seed)
    before, inside, behind, flow = bottleneck_figures(narrow)
    error = float(np.mean([abs(v - weidmann(d)) for d, v in diagram]))
    rows: list[dict[str, Any]] = [
        {"test": "1", "what": "time for 40 m at 1.33 m/s [s]", "here": seconds, "rule": "26 to 34"},
        {"test": "6", "what": "walls crossed by 20 people at a corner", "here": crossed, "rule": "0"},
        {
            "test": "6",
            "what": "least gap of body and wall [m]",
            "here": nearest,
            "rule": "0 or more",
        },
    ]
    rows += [
        {"test": "4", "what": f"speed [m/s] at {d:.2g} /m²", "here": v, "rule": f"Weidmann {weidmann(d):.2f}"}
        for d, v in diagram
    ]
    rows += [
        {"test": "12", "what": "density before the corridor [1/m²]", "here": before, "rule": "a jam"},
        {"test": "12", "what": "density at its end [1/m²]", "here": behind, "rule": "no jam"},
        {"test": "12", "what": "flow through 1 m [1/s]", "here": flow, "rule": "1.3 to 2 measured on people"},
    ]
    conclusions = [
        Conclusion("test 1: the time lies between 26 and 34 s", 26 <= seconds <= 34, f"{seconds:.1f} s"),
        Conclusion(
            "test 6: everybody turns the corner and nobody crosses a wall",
            crossed == 0 and bool((corner.places[-1, :, 1] > 8).all()),
            f"{crossed} crossings, nearest body {1000 * nearest:.1f} mm from a wall",
        ),
        Conclusion(
            "test 4: people walk slower the denser they stand",
            all(a[1] >= b[1] - 0.03 for a, b in pairwise(diagram)),
            ", ".join(f"{v:.2f}" for _, v in diagram) + " m/s",
        ),
        Conclusion(
            "test 4: the diagram is that of Weidmann within 0.2 m/s on average",
            error < 0.2,
            f"mean difference {error:.2f} m/s",
        ),
        Conclusion(
            "test 12: the jam stands before the bottleneck, not at its end",
            before > 2 * behind and before > 1.5,
            f"{before:.1f} /m² before, {inside:.1f} inside, {behind:.1f} behind",
        ),
    ]
    notes = [
        "Bodies are discs of 0.25 m radius that never overlap: there can be no more than 4.6 people a square "
        "metre, and RiMEA's 5 and 6 are not possible. Its corridor of 1000 m is cut to 60 m, filled at the "
        "start, and measured in its middle before anything from its ends arrives there. The time gap that "
        "people keep (0.4 s) was chosen to come near to Weidmann's curve.",
    ]
    files = [
        draw_corner(out / "rimea-6.png", corner, CORNER),
        draw_diagram(out / "rimea-4.png", diagram, weidmann),
        draw_bottleneck(out / "rimea-12.png", narrow, ROOMS),
    ]
    return Report("rimea", "RiMEA tests 1, 4, 6 and 12", rows, conclusions, notes, files)


def crowd_on(mesh: Mesh, places: np.ndarray, targets: np.ndarray, seed: int, spread: float) -> People:
    """People who stand at `places` (n, 2) and seek `targets` (n, 2) [m]."""
    characters = Characters()
    characters.add(PERSON, len(places))
    seek = SeekTo(target=np.asarray(targets, float))
    return People(
        mesh, characters, seed, behaviours=[seek], positions=places, options=PeopleOptions(spread=spread)
    )


def walk_alone(dt: float = 0.05) -> float:
    """Test 1: seconds that one person takes for 40 m of a corridor 2 m wide."""
    mesh = Mesh.from_polygon([(0, 0), (42, 0), (42, 2), (0, 2)])
    people = crowd_on(mesh, np.array([[0.5, 1.0]]), np.array([[41.5, 1.0]]), 0, spread=0.0)
    time = 0.0
    while people.x[0] < 40.5 and time < 100:
        people.advance(dt)
        time += dt
    return time


def round_the_corner(seed: int, dt: float = 0.05) -> Tracks:
    """Test 6: twenty people turn left in a corridor 2 m wide."""
    mesh = Mesh.from_polygon(CORNER)
    rng = generator(seed, "corner")
    places = np.stack(np.meshgrid(np.linspace(5.8, 0.4, 10), [0.5, 1.5], indexing="ij"), -1).reshape(-1, 2)
    places += rng.uniform(-0.04, 0.04, places.shape)
    targets = np.stack([rng.uniform(10.4, 11.6, 20), np.linspace(21.5, 14.0, 20)], -1)
    people = crowd_on(mesh, places, targets, seed, spread=0.12)
    return _tracks(people, 40.0, dt)


def measure_density(density: float, seed: int, dt: float = 0.1) -> tuple[float, float]:
    """Test 4: density [1/m²] and mean speed [m/s] in the middle of a filled corridor, from 5 to 15 s."""
    mesh = Mesh.from_polygon([(0, 0), (140, 0), (140, WIDTH), (0, WIDTH)])
    places = lattice(density, CORRIDOR, WIDTH, generator(seed, "density", int(100 * density)))
    targets = np.column_stack([np.full(len(places), 139.0), np.clip(places[:, 1], 0.5, WIDTH - 0.5)])
    people = crowd_on(mesh, places, targets, seed, spread=0.0)
    found, pace = [], []
    for k in range(round(15.0 / dt)):
        people.advance(dt)
        if k * dt >= 5.0:
            inside = (people.x > AREA[0]) & (people.x < AREA[1])
            found.append(inside.sum() / (WIDTH * (AREA[1] - AREA[0])))
            pace.append(people.crowd.vx[inside].sum() / max(inside.sum(), 1))
    return float(np.mean(found)), float(np.mean(pace))


def through_a_bottleneck(seed: int, dt: float = 0.1) -> Tracks:
    """Test 12: 150 people leave a room through a corridor 1 m wide and 5 m long into another room."""
    mesh = Mesh.from_polygon(ROOMS)
    rng = generator(seed, "rooms")
    places = lattice(3.2, 6.0, 9.6, rng)[:150] + np.array([0.2, 0.2])
    targets = np.column_stack([rng.uniform(24.0, 34.5, len(places)), rng.uniform(0.5, 9.5, len(places))])
    return _tracks(crowd_on(mesh, places, targets, seed, spread=0.12), 150.0, dt)


def bottleneck_figures(tracks: Tracks) -> tuple[float, float, float, float]:
    """Density [1/m²] before, inside and behind the corridor while it is in use, and its flow [1/s]."""
    x, y = tracks.places[..., 0], tracks.places[..., 1]
    passed = (x > 15.0).sum(axis=1)
    busy = (passed > 15) & (passed < 110)
    if busy.sum() < 3:
        return np.nan, np.nan, np.nan, 0.0
    before = ((x > 8) & (x < 10) & (abs(y - 5) < 1.5)).sum(axis=1)[busy].mean() / 6.0
    inside = ((x > 10) & (x < 15)).sum(axis=1)[busy].mean() / 5.0
    behind = ((x > 15) & (x < 17) & (abs(y - 5) < 1.5)).sum(axis=1)[busy].mean() / 6.0
    times = tracks.times[busy]
    flow = np.polyfit(times, passed[busy], 1)[0]
    return float(before), float(inside), float(behind), float(flow)


def lattice(density: float, length: float, width: float, rng: np.random.Generator) -> np.ndarray:
    """Places (n, 2) of a jittered triangular lattice within length by width [m]."""
    apart = np.sqrt(2 / (np.sqrt(3) * density))
    free = max(0.0, (apart - 0.51) / 3)
    edge = 0.27 + free
    rows = np.arange(edge, length - edge, apart * np.sqrt(3) / 2)
    columns = np.arange(edge, width - edge + 1e-9, apart)
    columns += (width - edge - columns[-1]) / 4
    shifted = columns + apart / 2
    shifted = shifted[shifted <= width - edge]
    places = [(x, y) for k, x in enumerate(rows) for y in (shifted if k % 2 else columns)]
    return np.array(places) + rng.uniform(-free, free, (len(places), 2))


def weidmann(density: float) -> float:
    """Speed [m/s] at a density [1/m²] (Weidmann 1993)."""
    return max(0.0, 1.34 * (1 - np.exp(-1.913 * (1 / density - 1 / 5.4))))


def walls_crossed(tracks: Tracks) -> int:
    """How often anybody's way from frame to frame crosses a wall; knows nothing of how people move."""
    p, q = tracks.places[:-1].reshape(-1, 1, 2), tracks.places[1:].reshape(-1, 1, 2)
    a, b = tracks.walls[None, :, :2], tracks.walls[None, :, 2:]
    return int(((_side(a, b, p) * _side(a, b, q) < 0) & (_side(p, q, a) * _side(p, q, b) < 0)).sum())


def wall_gap(tracks: Tracks) -> float:
    """The least distance [m] between a body and a wall in any frame."""
    points = tracks.places.reshape(-1, 1, 2)
    a, d = tracks.walls[None, :, :2], tracks.walls[None, :, 2:] - tracks.walls[None, :, :2]
    along = np.clip(((points - a) * d).sum(-1) / (d * d).sum(-1), 0.0, 1.0)
    return float(np.hypot(*np.moveaxis(points - a - along[..., None] * d, -1, 0)).min() - tracks.radius)


def _side(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> np.ndarray:
    d, e = b - a, p - a
    return d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0]


def _tracks(people: People, seconds: float, dt: float) -> Tracks:
    steps = round(seconds / dt)
    places = np.empty((steps + 1, len(people), 2))
    places[0] = np.stack([people.x, people.y], -1)
    for k in range(steps):
        people.advance(dt)
        places[k + 1, :, 0], places[k + 1, :, 1] = people.x, people.y
    return Tracks(np.arange(steps + 1) * dt, places, people.mesh.borders(), float(people.radius[0]))
