"""What riders are held to, on seeds of one's own: hairpins, crossings, herds, streets with and without
obstacles, changes of detail, and what maps foretell. Each takes `trials` seeds, from `seed` on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.seeding import generator
from swerve.core.steered import SteeredBodies
from swerve.core.sweep import sweep
from swerve.riders import load_rider
from swerve.riders.maps.detail import Mixed, near_viewer
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import load_map, prediction_errors, unseen
from swerve.riders.steering.crossing import crossing, outcome
from swerve.riders.steering.curves import Course
from swerve.riders.steering.follow import follow, paces_for, starts_beside
from swerve.riders.steering.herd import HerdOptions, herd, on_way, scatter
from swerve.riders.steering.tune import load_tuned

from .report import Conclusion, Report

BODIES = ("human", "alien")
DETAILS = ("map", "mixed", "full")
SECONDS = {"human": 40.0, "alien": 70.0}  # that a street of 550 m takes
SQUARE, TOGETHER = 60.0, 60.0  # [m] side of the square that sixteen come from, [s] until they are one group
BOX, SHORTEST = (66.0, 12.0), 3.0  # [m] that a hairpin lies in, and between its points
HAIRPIN = 0.5  # [m] off a hairpin at most
LEAN, SPEED, PLACE = 1.0, 0.05, 0.02  # [°], [m/s], [m] that may jump where the level of detail changes
FORETOLD = 0.15  # [m] off after 2 s, at the median

Row = dict[str, Any]


def hairpins(out: Path, seed: int, trials: int | None) -> Report:
    """Random hairpins and chicanes of six points, in full physics: ridden or refused."""
    rows = _for_both(hairpin, seed, trials or 100)
    ridden = [row for row in rows if not row["refused"]]
    worst = max((row["off"] for row in ridden), default=0.0)
    kept = bool(ridden) and worst <= HAIRPIN and not any(row["falls"] for row in ridden)
    evidence = f"{worst:.2f} m at most on {len(ridden)} of {len(rows)}, the others refused"
    return _report("hairpins", rows, [("ridden with at most 0.5 m of error, or refused", kept, evidence)])


def crossings(out: Path, seed: int, trials: int | None) -> Report:
    """Two riders in full on crossing ways, who look and who do not."""
    rows = _for_both(cross, seed, trials or 20)
    looking = sum(row["contacts"] + row["falls"] for row in rows)
    blind = sum(row["blind contacts"] > 0 and row["blind falls"] > 0 for row in rows)
    return _report(
        "crossings",
        rows,
        [
            ("those who look neither touch nor fall", looking == 0, f"{looking} contacts and falls"),
            ("of those who do not, two touch and one falls", blind == len(rows), f"{blind} of {len(rows)}"),
        ],
    )


def squares(out: Path, seed: int, trials: int | None) -> Report:
    """Sixteen riders on maps from random places of a square of 60 m."""
    rows = _for_both(gather, seed, trials or 20)
    late = sum(row["one group after"] is None for row in rows)
    return _report(
        "squares",
        rows,
        [
            ("one group within 60 s in 19 of 20", late <= len(rows) / 20, f"{late} of {len(rows)} are not"),
            _untouched(rows),
        ],
    )


def streets(out: Path, seed: int, trials: int | None) -> Report:
    """Sixteen riders along winding streets without anything in them, on maps and in full."""
    rows = _for_both(partial(ride_street, False), seed, trials or 6)
    return _report("streets", rows, [_untouched(rows), _kept_to(rows)])


def obstacles(out: Path, seed: int, trials: int | None) -> Report:
    """Riders along winding streets with up to five discs in them, at every level of detail."""
    rows = _for_both(partial(ride_street, True), seed, trials or 12)
    entered = sum(row["obstacle contacts"] for row in rows)
    told = ("nobody touches an obstacle", entered == 0, f"{entered} in {len(rows)} streets")
    return _report("obstacles", rows, [told, _untouched(rows), _kept_to(rows)])


def detail(out: Path, seed: int, trials: int | None) -> Report:
    """Riders that change between map and physics, and what maps foretell; `trials` hundred changes each."""
    rows = [change(name, seed, 100 * (trials or 2)) for name in BODIES]
    jumps = all(row["lean"] <= LEAN and row["speed"] <= SPEED and row["place"] <= PLACE for row in rows)
    told = max(row["foretold"] for row in rows)
    said = "; ".join(f"{row['lean']:.2f}°, {row['speed']:.3f} m/s, {row['place']:.3f} m" for row in rows)
    return _report(
        "detail",
        rows,
        [
            ("changes jump by at most 1°, 0.05 m/s and 2 cm", jumps, said),
            ("2 s are foretold to 0.15 m at the median", told <= FORETOLD, f"{told:.3f} m at most"),
        ],
    )


def hairpin(item: tuple[str, int]) -> Row:
    """One random path of six points."""
    name, seed = item
    rng, points = generator(seed, "hairpin"), np.zeros((6, 2))
    while np.hypot(*np.diff(points, axis=0).T).min() < SHORTEST:
        across = rng.uniform(0, 1, (6, 2))
        if rng.random() < 0.5:  # there, and back on the other side
            across[:, 0] = [*np.sort(across[:3, 0]), *np.sort(across[3:, 0])[::-1]]
            across[:, 1] = [*(0.4 * across[:3, 1]), *(0.6 + 0.4 * across[3:, 1])]
        else:
            across[:, 0] = np.sort(across[:, 0])
        points = across * BOX
    body, map_, way = load_rider(name), load_map(name), Course.smooth(points)
    paces = paces_for([way], map_)
    if paces[0].infeasible:
        return {"refused": True, "off": None, "falls": None}
    steering = load_tuned(name).navigator(map_, "path")
    done = follow(body.start(1), body.speed, [way], steering, starts_beside([way], seed, 0.1), paces)
    return {"refused": False, "off": float(done.max_error[0]), "falls": int(done.fell.sum())}


def cross(item: tuple[str, int]) -> Row:
    """One crossing, with eyes and without."""
    name, seed = item
    body, steering, found = load_rider(name), load_tuned(name).navigator(load_map(name), "path"), []
    for careful in (True, False):
        world = crossing(lambda: body.start(1), body.speed, steering, seed, careful)
        world.run(8.0)
        found.append(outcome(world))
    return found[0] | {f"blind {key}": found[1][key] for key in ("contacts", "falls")}


def gather(item: tuple[str, int]) -> Row:
    """One herd from a square."""
    name, seed = item
    map_ = load_map(name)
    starts = scatter(16, seed, map_.radius, SQUARE)
    steering = load_tuned(name).navigator(map_, "herd")
    options = HerdOptions(length=2 * map_.radius)
    done = herd(Glide(map_, 16), map_.speed, steering, starts, TOGETHER, options)
    return {"one group after": done.one_group_after, "contacts": done.contacts, "falls": int(done.fell.sum())}


def ride_street(obstructed: bool, item: tuple[str, int]) -> Row:
    """One winding street; every third in full, with obstacles also at mixed detail."""
    name, seed = item
    rng, map_ = generator(seed, "street"), load_map(name)
    x = np.arange(0, 541, 20.0)
    y = rng.uniform(8, 14) * np.sin(x / rng.uniform(35, 50) + rng.uniform(0, 6))
    table = np.column_stack([x, y, *np.broadcast_to(4.0, (2, len(x)))])
    way = Course.smooth(table[:, :2]).edged(table)
    level = DETAILS[seed % 3] if obstructed or seed % 3 == 2 else "map"
    count = int(rng.integers(4, 13)) if obstructed else 16
    options = HerdOptions(length=2 * map_.radius, obstacles=_discs(way, rng) if obstructed else None)
    options, starts = on_way(way, options, partial(scatter, count, seed, map_.radius, None), map_)
    steering = load_tuned(name).navigator(map_, "herd")
    done = herd(_ride(name, level, count), map_.speed, steering, starts, SECONDS[name], options)
    station, offset = way.locate(done.pose[..., :2])
    inside = (station > 0) & (station < way.length)
    return {
        "detail": level,
        "riders": count,
        "discs": len(options.standing),
        "last at": float(station[-1].min()),
        "contacts": done.contacts,
        "obstacle contacts": done.obstacle_contacts,
        "falls": int(done.fell.sum()),
        "off the street": int((inside & (np.abs(offset) > 4.0)).any(axis=0).sum()),
    }


def change(name: str, seed: int, least: int) -> Row:
    """`least` changes of detail of twenty riders that turn and change their speed; what the map foretells."""
    body, map_, rng = load_rider(name), load_map(name), generator(seed, "detail")
    chosen, count, ticks = np.zeros(20, dtype=bool), 20, 0
    ride = Mixed(body, map_, count, 6, lambda _: chosen)
    ride.put(np.zeros(count), 60.0 * np.arange(count), np.zeros(count))
    heading, speed = np.zeros(count), np.full(count, body.speed)
    while ride.switches < least:
        if ticks % 11 == 0:
            chosen[:] = rng.random(count) < 0.3
        if ticks % 20 == 0:
            heading = heading + rng.uniform(-0.4, 0.4, count) * (1.0 if name == "human" else 0.5)
            speed = body.speed * rng.uniform(0.75, 1.1, count)
        ride.advance(heading, speed, 0.1)
        ticks += 1
    told = {"rider": name, "changes": ride.switches, **ride.largest_jump}
    return told | {"foretold": foretold(name, rng), "falls": int(ride.motion().fell.sum())}


def foretold(name: str, rng: np.random.Generator, count: int = 120) -> float:
    """Median distance [m] after 2 s from where the map said, over all its turns, at five speeds between its
    own."""
    map_ = load_map(name)
    return float(np.median(prediction_errors(map_, *unseen(load_rider(name), map_, count, rng))))


def _ride(name: str, level: str, count: int) -> SteeredBodies:
    body, map_ = load_rider(name), load_map(name)
    if level == "map":
        return Glide(map_, count)
    if level == "full":
        return body.start(count)
    middle = near_viewer(lambda m: (float(m.x.mean()), float(m.y.mean())), 8.0, body.radius)
    return Mixed(body, map_, count, 6, middle)


def _discs(way: Course, rng: np.random.Generator) -> np.ndarray:
    """(k, 3) of up to five, each of which leaves 2.4 m of the street to one side."""
    found: list[tuple[float, float, float]] = []
    for station in np.linspace(100.0, 440.0, int(rng.integers(1, 6))) + rng.uniform(-20, 20):
        radius = rng.uniform(0.3, 2.2)
        least = max(radius - 1.6, 0.0)
        x, y, _ = way.place(station, rng.choice([-1.0, 1.0]) * rng.uniform(least, 4.0))
        found.append((float(x), float(y), radius))
    return np.array(found)


def _for_both(one: Callable[[tuple[str, int]], Row], seed: int, trials: int) -> list[Row]:
    todo = [(name, seed + k) for name in BODIES for k in range(trials)]
    done = sweep(one, todo, "riders")
    return [{"rider": name, "seed": s, **row} for (name, s), row in zip(todo, done, strict=True)]


def _untouched(rows: list[Row]) -> tuple[str, bool, str]:
    contacts, falls = (sum(row[key] for row in rows) for key in ("contacts", "falls"))
    return "nobody touches another or falls", contacts + falls == 0, f"{contacts} contacts, {falls} falls"


def _kept_to(rows: list[Row]) -> tuple[str, bool, str]:
    off, back = sum(row["off the street"] for row in rows), min(row["last at"] for row in rows)
    return (
        "nobody leaves the street within 400 m",
        off == 0 and back >= 400,
        f"{off}; the last at {back:.0f} m",
    )


def _report(name: str, rows: list[Row], told: list[tuple[str, bool, str]]) -> Report:
    return Report(f"riders-{name}", f"Riders: {name}", rows, [Conclusion(*one) for one in told])
