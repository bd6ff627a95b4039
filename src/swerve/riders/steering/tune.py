"""Tuning: weights for following paths and for herding, found by simulated annealing.

Paths are judged on the seven curves by the mean of distance and heading errors. Herding is judged, as in the
seed, on a shift of 4 m to the right while the direction is kept. Starts differ from those of the experiments.
The simple controller is tuned in the same way, so that what the map gains is not what tuning gains.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.files import existing, write_json
from swerve.core.motion import Motion
from swerve.core.seeding import generator
from swerve.core.steered import SteeredBodies
from swerve.core.sweep import remember
from swerve.core.untrusted import parse_json
from swerve.core.values import fingerprint

from ..maps.mobility import MobilityMap
from ..maps.trials import DECIDE
from .anneal import anneal
from .curves import TURNS, curve
from .decide import Navigator, Weights, line_ahead
from .follow import Steering, follow, starts_beside
from .simple import Simple

STORED = Path(__file__).parents[1] / "data" / "weights.json"
SEED_WEIGHTS = {  # Brogan & Hodgins 2002, table 2
    "human": {"path": Weights(1.3, 0.28), "herd": Weights(1.5, 0.30)},
    "alien": {"path": Weights(0.82, 0.84), "herd": Weights(2.4, 0.39)},
}
TASKS = ("path", "herd")
SHIFT = 4.0  # [m] to the right
SHIFT_SECONDS = 8.0
TUNING_STARTS = 1000  # added to the seed, so that experiments start elsewhere

MakeRide = Callable[[int], SteeredBodies]


@dataclass(frozen=True)
class Tuned:
    """What tuning found for one body: weights of the map's controller and of the simple one, by task."""

    lod: dict[str, Weights]
    simple: dict[str, dict[str, float]]
    cost: dict[str, float]
    seed: int

    def navigator(self, map_: MobilityMap, task: str, threads: int = 1, rule: str = "ours") -> Navigator:
        """By this body's weights, or with the rule `seed` by those that the seed prints for its kind."""
        weights = self.lod[task]
        if rule == "seed":
            weights = SEED_WEIGHTS.get(map_.name, SEED_WEIGHTS["human"])[task]
        return Navigator(map_, weights, threads, rule)

    def simple_for(self, body_turns: tuple[float, float], task: str) -> Simple:
        return Simple(body_turns, self.simple[task]["reach"], self.simple[task]["ahead"])

    def as_dict(self) -> dict[str, Any]:
        return {
            "lod": {task: asdict(weights) for task, weights in self.lod.items()},
            "simple": self.simple,
            "cost": self.cost,
            "seed": self.seed,
        }


def load_tuned(name: str, file: str | Path | None = None) -> Tuned:
    """What tuning found for a body, from `file` or from what comes with Swerve; a body that was never tuned
    gets the seed's weights of the human."""
    if file is not None:
        path = existing(file, "weights")
        try:
            given = parse_json(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BadInput(f"weights {file}", None, "is no JSON file") from error
        if not isinstance(given, dict) or name not in given:
            raise BadInput(f"weights {file}", name, "holds no weights for rider")
        return _tuned(given[name], f"weights {file}, {name}")
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    if name in stored:
        return _tuned(stored[name], f"weights of {name}")
    seeds = SEED_WEIGHTS.get(name, SEED_WEIGHTS["human"])
    plain = {"reach": 10.0, "ahead": DECIDE}
    return Tuned(dict(seeds), {"path": plain, "herd": plain}, {}, 0)


def _tuned(entry: Any, where: str) -> Tuned:
    """Checked weights from plain values; `where` names their place in an error."""
    try:
        lod = {
            task: Weights(_number(entry["lod"][task]["t_max"]), _number(entry["lod"][task]["ratio"]))
            for task in TASKS
        }
        simple = {
            task: {key: _number(entry["simple"][task][key]) for key in ("reach", "ahead")} for task in TASKS
        }
        for one in simple.values():
            Simple((-1.0, 1.0), one["reach"], one["ahead"])
        return Tuned(lod, simple, dict(entry["cost"]), int(_number(entry["seed"])))
    except BadInput as error:
        raise BadInput(where, None, str(error)) from error
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise BadInput(where, None, f"lacks or spoils a field ({type(error).__name__}: {error})") from error


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return float(value)


def tune(
    make: MakeRide,
    map_: MobilityMap,
    tries: int = 40,
    seed: int = 0,
    starts: int = 2,
) -> Tuned:
    """Anneal both controllers for both tasks. `make(n)` gives n riders, in full or on a map."""
    lod: dict[str, Weights] = {}
    simple: dict[str, dict[str, float]] = {}
    cost: dict[str, float] = {}
    within = (float(map_.turns[0]), float(map_.turns[-1]))
    judge = {"path": path_cost, "herd": shift_cost}
    kind = fingerprint(map_, type(make(1)).__name__)

    def with_map(point: np.ndarray) -> Steering:
        return Navigator(map_, Weights(*point))

    def simply(point: np.ndarray) -> Steering:
        return Simple(within, point[0] * map_.speed, point[1])

    def judged(steering: Callable[[np.ndarray], Steering], task: str) -> Callable[[np.ndarray], float]:
        def cost(point: np.ndarray) -> float:
            return judge[task](make, map_.speed, steering(point), seed + TUNING_STARTS, starts)

        about = (kind, steering.__name__, task, seed, starts)
        return lambda point: remember(cost, point, about=about)

    for task in TASKS:
        low, high = np.array([0.4, 0.02]), np.array([min(3.0, map_.seconds), 0.98])
        found = anneal(
            judged(with_map, task),
            low,
            high,
            np.array([DECIDE, 0.02]),
            tries,
            generator(seed, "tune", task),
        )
        lod[task] = Weights(round(float(found.best[0]), 3), round(float(found.best[1]), 3))
        cost[f"{task} lod"] = found.cost
        low, high = np.array([0.2, DECIDE]), np.array([4.0, 3.0])  # reach in seconds of riding
        found = anneal(
            judged(simply, task),
            low,
            high,
            np.array([0.05, DECIDE]),
            tries,
            generator(seed, "tune simple", task),
        )
        best = {"reach": round(float(found.best[0]) * map_.speed, 3), "ahead": round(float(found.best[1]), 3)}
        simple[task], cost[f"{task} simple"] = best, found.cost
    return Tuned(lod, simple, cost, seed)


def path_cost(make: MakeRide, speed: float, steering: Steering, seed: int, starts: int) -> float:
    """Mean over the seven curves of the distance [m] and heading [rad] errors; a fall costs 10."""
    ways = [way for way in (curve(k, speed) for k in range(1, len(TURNS) + 1)) for _ in range(starts)]
    done = follow(make(len(ways)), speed, ways, steering, starts_beside(ways, seed))
    return float((done.mean_error + done.mean_astray + 10.0 * done.fell).mean())


def shift_cost(make: MakeRide, speed: float, steering: Steering, seed: int, starts: int) -> float:
    """What a shift of 4 m to the right costs: mean distance from the goal line [m], sideways speed [m/s],
    heading off it [rad] and yaw rate [rad/s] (in place of the fork's), from a few starts astray; a fall
    costs 10.
    """
    rng = generator(seed, "shift")
    count = 2 * starts
    ride = make(count)
    ride.put(np.zeros(count), np.zeros(count), rng.uniform(-0.1, 0.1, count))
    goal = -SHIFT + rng.uniform(-1.0, 1.0, count)
    total = np.zeros(count)
    motion: Motion = ride.motion()
    ticks = round(SHIFT_SECONDS / DECIDE)
    for _ in range(ticks):
        reference = line_ahead(motion.x, goal, 0.0, speed, steering.ticks)  # type: ignore[arg-type]
        ride.advance(motion.yaw + steering.turns(motion, reference), np.full(count, speed), DECIDE)
        motion = ride.motion()
        total += np.abs(motion.y - goal) + 0.2 * np.abs(motion.vy)
        total += np.abs(motion.yaw) + 0.5 * np.abs(motion.yaw_rate)
    return float((total / ticks + 10.0 * motion.fell).mean())


def store(name: str, tuned: Tuned, file: Path = STORED) -> Path:
    """Write the result beside what is stored for other bodies."""
    try:
        stored = parse_json(file.read_text()) if file.exists() else {}
    except ValueError as error:
        raise BadInput(f"weights {file}", None, f"is no JSON file ({error})") from error
    return write_json(file, {**stored, name: tuned.as_dict()})
