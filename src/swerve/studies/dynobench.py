"""dynobench's unicycles: problems of a public benchmark for kinodynamic planning, solved by `swerve.plan`.

A problem is a YAML file (boxes, start, goal) beside the YAML of its model (limits, outline, distance
weights). The costs to compare with [s] are those of the iDb-A* solutions that dynobench ships.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
import yaml

from swerve.core.errors import BadInput
from swerve.core.files import existing
from swerve.core.kernels import kernel
from swerve.core.plan import Plan
from swerve.core.sweep import sweep
from swerve.core.untrusted import parse_yaml
from swerve.tactics.kinodynamic import PlanOptions, plan
from swerve.tactics.rollout import Step, Test
from swerve.tactics.space import Space

from .report import Conclusion, Report

FOLDER = Path("../shared/data/dynobench")
PUBLISHED = {"unicycle1_v0_kink_0": 13.2, "unicycle1_v0_parallelpark_0": 3.1, "unicycle2_v0_kink_0": 17.7}
TOLERANCE, CAPTURE = 0.01, 0.3  # weighted distances to the goal: counts as there (theirs); to bend from
BETWEEN = 4  # states between two steps at which a body is to be clear of boxes, too
FIRST, LONG = 10.0, 30.0  # [s] to find a solution, and to improve it


@dataclass(frozen=True)
class Unicycle:
    """A problem: limits and outline of the model, boxes (n, 4) as x0, y0, x1, y1, and where from and to."""

    order: int  # 1: the controls are speed and turning rate; 2: their accelerations
    dt: float
    limits: np.ndarray  # (2, 2) of speed and turning rate
    accelerations: np.ndarray  # (2,)
    size: np.ndarray
    weights: tuple[float, ...]
    bounds: np.ndarray
    boxes: np.ndarray
    start: np.ndarray
    goal: np.ndarray

    @cached_property
    def step(self) -> Step:
        """The model as a user would write it for Numba."""
        if self.order == 1:
            return _step_first
        (slowest, fastest), (least, most) = self.limits

        @numba.njit(nogil=True)
        def step_second(states: np.ndarray, controls: np.ndarray, dt: float) -> np.ndarray:
            after = states.copy()
            for k in range(len(states)):
                after[k, 0] += states[k, 3] * np.cos(states[k, 2]) * dt
                after[k, 1] += states[k, 3] * np.sin(states[k, 2]) * dt
                after[k, 2] += states[k, 4] * dt
                after[k, 3] = min(max(states[k, 3] + controls[k, 0] * dt, slowest), fastest)
                after[k, 4] = min(max(states[k, 4] + controls[k, 1] * dt, least), most)
            return after

        return step_second

    @cached_property
    def valid(self) -> Test:
        boxes, bounds, half = self.boxes, self.bounds, 0.5 * self.size

        @numba.njit(nogil=True)
        def free(states: np.ndarray) -> np.ndarray:
            return _free(states, boxes, bounds, half)

        return free

    def solve(self, seconds: float, improve: bool, seed: int) -> Plan:
        low, high = [*self.bounds[0], -np.pi], [*self.bounds[1], np.pi]
        ranges = [tuple(pair) for pair in self.limits]
        columns: tuple[str, ...] = ("x", "y", "heading")
        position, angle, *rates = self.weights
        weights = [position, position, angle, *rates]
        if self.order == 2:
            low, high = low + list(self.limits[:, 0]), high + list(self.limits[:, 1])
            ranges = [(-a, a) for a in self.accelerations]
            columns += ("speed", "turning rate")
        return plan(
            self.step,
            self.start,
            self.goal,
            controls=ranges,
            space=Space(low, high, weights, (2,), columns),
            valid=self.valid,
            tolerance=TOLERANCE,
            dt=self.dt,
            seconds=seconds,
            improve=improve,
            seed=seed,
            options=PlanOptions(hold=(1, 15), capture=CAPTURE, between=BETWEEN),
        )


def read(path: str | Path) -> Unicycle:
    """A problem of dynobench; its model's file lies beside it."""
    path = existing(path, "problem")
    try:
        asked = parse_yaml(path.read_text(encoding="utf-8"))
        robot, place = asked["robots"][0], asked["environment"]
        model = existing(path.parent / f"model_{robot['type']}.yaml", "model")
        limits = parse_yaml(model.read_text(encoding="utf-8"))
        boxes = [(np.array(b["center"], float), 0.5 * np.array(b["size"], float)) for b in place["obstacles"]]
        return Unicycle(
            1 if limits["dynamics"] == "unicycle1" else 2,
            float(limits["dt"]),
            np.array(
                [
                    (limits["min_vel"], limits["max_vel"]),
                    (limits["min_angular_vel"], limits["max_angular_vel"]),
                ],
                dtype=float,
            ),
            np.array([limits.get("max_acc_abs", 0.0), limits.get("max_angular_acc", 0.0)], dtype=float),
            np.array(limits["size"], dtype=float),
            tuple(float(w) for w in limits["distance_weights"]),
            np.array([place["min"], place["max"]], dtype=float),
            np.array([[*(c - h), *(c + h)] for c, h in boxes]),
            np.array(robot["start"], dtype=float),
            np.array(robot["goal"], dtype=float),
        )
    except (yaml.YAMLError, KeyError, TypeError, ValueError, IndexError) as error:
        raise BadInput(f"problem {path}", None, f"is none of dynobench's ({error!r})") from error


def run(out: Path, seed: int, trials: int | None, folder: Path = FOLDER, long: float = LONG) -> Report:
    """First solutions and improved ones of all problems."""
    if not folder.is_dir():
        raise BadInput("dynobench", str(folder), "must be the folder with its problems, beside the project")
    todo = [(folder / f"{name}.yaml", seed + k) for name in PUBLISHED for k in range(trials or 3)]
    rows = sweep(partial(_row, long), todo, "dynobench", workers=1)  # which are given time, not nodes
    worst = max(row["ratio"] for row in rows)
    conclusions = [
        Conclusion("All are solved within 10 s", all(row["solved"] for row in rows), f"{len(rows)} runs"),
        Conclusion(f"Costs within 1.3 of iDb-A* after {long:g} s", bool(worst <= 1.3), f"worst {worst:.2f}"),
    ]
    return Report("dynobench", "dynobench: unicycles of the first and second order", rows, conclusions)


def _row(long: float, item: tuple[Path, int]) -> dict[str, Any]:
    """A problem with one seed: its first solution, and what it became in `long` [s]."""
    path, seed = item
    problem, published = read(path), PUBLISHED[path.stem]
    first, better = problem.solve(FIRST, False, seed), problem.solve(long, True, seed)
    return {
        "problem": path.stem,
        "seed": seed,
        "solved": first.solved,
        "first s": first.stats["seconds"],
        "first cost": first.cost,
        "cost": better.cost,
        "iDb-A* cost": published,
        "ratio": better.cost / published,
    }


@kernel
def _step_first(states: np.ndarray, controls: np.ndarray, dt: float) -> np.ndarray:
    after = states.copy()
    for k in range(len(states)):
        after[k, 0] += controls[k, 0] * np.cos(states[k, 2]) * dt
        after[k, 1] += controls[k, 0] * np.sin(states[k, 2]) * dt
        after[k, 2] += controls[k, 1] * dt
    return after


@kernel
def _free(states: np.ndarray, boxes: np.ndarray, bounds: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Whether the turned outline lies within the bounds and meets no box (separating axes)."""
    result = np.empty(len(states), dtype=np.bool_)
    for k in range(len(states)):
        x, y, c, s = states[k, 0], states[k, 1], np.cos(states[k, 2]), np.sin(states[k, 2])
        wide, tall = abs(c) * half[0] + abs(s) * half[1], abs(s) * half[0] + abs(c) * half[1]
        fine = bounds[0, 0] <= x - wide and x + wide <= bounds[1, 0]
        fine = fine and bounds[0, 1] <= y - tall and y + tall <= bounds[1, 1]
        for i in range(len(boxes)):
            bx, by = 0.5 * (boxes[i, 2] - boxes[i, 0]), 0.5 * (boxes[i, 3] - boxes[i, 1])
            dx, dy = 0.5 * (boxes[i, 0] + boxes[i, 2]) - x, 0.5 * (boxes[i, 1] + boxes[i, 3]) - y
            apart = abs(dx) >= wide + bx or abs(dy) >= tall + by
            apart = apart or abs(c * dx + s * dy) >= half[0] + abs(c) * bx + abs(s) * by
            apart = apart or abs(c * dy - s * dx) >= half[1] + abs(s) * bx + abs(c) * by
            fine = fine and apart
        result[k] = fine
    return result
