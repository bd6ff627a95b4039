"""What the games of the tactics wing promise, each over many layouts and seeds: `swerve study tactics-bars`.

Every row is one promise: what was counted, over how many seeds, and the least or most that it may be. Seeds
begin at `seed`; a seed that a setting was chosen on tells nothing here. CPU time is not counted (`swerve
bench tactics` does that).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.sweep import sweep
from swerve.tactics import Chance, Engine, Problem, SolveOptions, TacticsPlan, load_domain, replay, solve
from swerve.tactics.bodies import World
from swerve.tactics.domains.pool import RADIUS, STRIPED
from swerve.tactics.scene import Action
from swerve.tactics.skills import ChipOver

from .report import Conclusion, Report
from .zickler import TABLE_6_1

NODES = {
    domain: nodes
    for (domain, planner), (_, nodes, _, _) in TABLE_6_1.items()
    if planner == ("rrt" if domain == "navigation" else "bgt")
}  # of the original, to the first solution, with the planner that suits the domain
LATER, LONG, ANYTIME = 5.0, 0.3, (100, 300, 1000)  # [s], [s], nodes
CHIPS = 30  # aimed over a robot in one layout


def run(out: Path, seed: int, trials: int | None) -> Report:
    """All promises over `trials` seeds each, 100 unless told."""
    seeds = list(range(seed, seed + (trials or 100)))
    rows: list[dict[str, Any]] = []
    for domain, most in NODES.items():
        found = np.array(sweep(partial(_nodes, domain), seeds, domain), dtype=float)
        nodes, single, solved, lasts = np.array(found).T
        rows.append(_row(f"{domain}, solved", solved.mean(), 0.99, len(seeds)))
        rows.append(_row(f"{domain}, median nodes", np.median(nodes), most, len(seeds), least=False))
        ratio = np.median(nodes) / np.median(single)
        rows.append(_row(f"{domain}, nodes over those of one lane", ratio, 1.3, len(seeds), least=False))
        if domain in ("minigolf", "pool"):
            down = lasts[solved > 0]  # of what was solved
            rows.append(_row(f"{domain}, still down {LATER:g} s later", down.mean(), 1.0, len(down)))
    for bounces in ("minigolf-one-bounce", "minigolf-two-bounces"):
        solved = np.array(sweep(partial(_solved, bounces, None), seeds, bounces), dtype=float)
        rows.append(_row(f"{bounces}, solved", solved.mean(), 0.95, len(seeds)))
    two = np.array(sweep(partial(_solved, "soccer-two-defenders", 1000), seeds, "two defenders"), dtype=float)
    rows.append(_row("two defenders, solved within 1,000 nodes", two.mean(), 0.9, len(seeds)))
    anytime = np.array(sweep(_anytime, seeds, "anytime"), dtype=float)  # (seeds, sizes, duration and cost)
    long = float(np.mean(anytime[:, 0, 0] >= LONG))
    rows.append(_row(f"anytime, plans of {LONG} s at 100 nodes", long, 0.99, len(seeds)))
    costs = anytime[:, :, 1].mean(axis=0)
    for k in (1, 2):
        what = f"anytime, evaluation at {ANYTIME[k]} over that at {ANYTIME[k - 1]} nodes"
        rows.append(_row(what, costs[k] / costs[k - 1], 1.0, len(seeds), least=False))
    some = seeds[: max(len(seeds) // 4, 1)]
    fine = np.array(sweep(_works_fine, some, "a tenth of the step"), dtype=float)
    rows.append(_row("pool, works at a tenth of the step", fine.mean(), 24 / 25, len(some)))
    blocked = np.array([_blocked(seed) for seed in seeds], dtype=float)
    rows.append(_row("pool, straight shots blocked", blocked.mean(), 0.5, len(seeds)))
    over = np.array(sweep(chips, seeds[:10], "chips"), dtype=float)
    rows.append(_row("chips that clear a robot", over.mean(), 0.9, CHIPS * len(over)))
    conclusions = [
        Conclusion(row["what"], row["kept"], f"{row['figure']:.3g}, bar {row['bar']:.3g}") for row in rows
    ]
    title = "Tactics: what the games promise"
    return Report("tactics-bars", title, rows, conclusions, whose="what is promised")


def _row(what: str, figure: float, bar: float, trials: int, least: bool = True) -> dict[str, Any]:
    kept = figure >= bar if least else figure <= bar
    return {
        "what": what, "figure": float(figure), "bar": float(bar), "at": "least" if least else "most",
        "trials": trials, "kept": bool(kept),
    }  # fmt: skip


def _nodes(domain: str, seed: int) -> tuple[int, int, bool, bool]:
    """Nodes to the first solution with the default lanes and with one, whether it was found, and whether the
    ball is still where it was brought some time later."""
    problem = load_domain(domain, seed)
    plan, single = solve(problem, seed=seed), solve(problem, options=SolveOptions(lanes=1), seed=seed)
    lasts = plan.solved and _lasts(problem, plan, domain)
    return plan.stats["nodes"], single.stats["nodes"], bool(plan.solved and single.solved), bool(lasts)


def _lasts(problem: Problem, plan: TacticsPlan, domain: str) -> bool:
    if domain not in ("minigolf", "pool"):
        return True
    engine, row = Engine(problem.world), plan.rows[-1]
    for _ in range(round(LATER / problem.world.step_seconds)):
        row = engine.step(row[None], np.zeros((1, problem.world.model.nv)))[0][0]
    return bool(problem.goal(problem.scene(row[None]))[0])


def _solved(domain: str, nodes: int | None, seed: int) -> bool:
    return bool(solve(load_domain(domain, seed), options=SolveOptions(nodes=nodes), seed=seed).solved)


def _anytime(seed: int) -> list[tuple[float, float]]:
    """Duration [s] and evaluation of the best plan in trees of growing size."""
    problem, found = load_domain("soccer", seed), []
    for nodes in ANYTIME:
        plan = solve(problem, options=SolveOptions(nodes=nodes, anytime=True), seed=seed)
        found.append((float(plan.times[-1] - plan.times[0]), float(plan.cost)))
    return found


def _works_fine(seed: int) -> bool:
    """Whether a plan puts blue down also when simulated with a tenth of the step."""
    plan = solve(load_domain("pool", seed), seed=seed)
    assert plan.problem is not None
    fine = plan.problem.world.at_step(plan.problem.world.timestep / 10)
    rest = np.zeros((60, plan.controls.shape[1]))  # a ball that crosses the mouth has yet to drop
    times = np.append(plan.times, plan.times[-1] + fine.step_seconds * np.arange(1, 61))
    states = np.vstack([plan.states, np.repeat(plan.states[-1:], 60, axis=0)])
    longer = replace(plan, times=times, states=states, controls=np.vstack([plan.controls, rest]))
    rows, _ = replay(longer, fine)
    return bool(plan.problem.goal(plan.problem.scene(rows)).any())


def _blocked(seed: int) -> bool:
    """Whether a striped ball lies in the way of every straight shot at yellow."""
    problem = load_domain("pool", seed)
    scene = problem.scene(problem.start[None])
    cue, yellow = scene.xy("cue ball")[0], scene.xy("yellow ball")[0]
    way = yellow - cue
    aside = np.array([-way[1], way[0]]) / np.hypot(*way)
    ways = way + (np.linspace(-0.95, 0.95, 21) * 2 * RADIUS)[:, None] * aside
    unit = ways / np.hypot(*ways.T)[:, None]
    met = np.zeros(len(ways), dtype=bool)
    for name in STRIPED:
        to = scene.xy(name)[0] - cue
        met |= np.abs(unit[:, 0] * to[1] - unit[:, 1] * to[0]) < 2 * RADIUS
    return bool(met.all())


def chips(seed: int, n: int = CHIPS) -> float:
    """Share of `n` chips over a standing robot, 0.35 to 1 m off, that pass over it without touching it."""
    other = "left defender"
    problem = load_domain("soccer", seed)
    watch = [*problem.world.watch, ("ball", other)]
    world, rows = World(problem.world.mjcf, problem.world.bodies, watch), np.tile(problem.start, (n, 1))
    robot, ball, slot = (world.slot(name) for name in ("attacker", "ball", other))
    rows[:, robot.qpos : robot.qpos + 3] = 0.6, 0.0, 0.0
    rows[:, ball.qpos : ball.qpos + 2] = 0.6 + robot.radius + ball.radius + 0.004, 0.0
    rows[:, slot.qpos + 1] = 0.0
    rows[:, slot.qpos] = rows[:, ball.qpos] + np.linspace(0.35, 1.0, n)
    for name, y in (("right defender", 1.5), ("goalie", -1.5)):
        place = world.slot(name).qpos
        rows[:, place : place + 2] = 2.5, y
    problem, skill = replace(problem, world=world), ChipOver("attacker", "ball", (other,))
    variables = skill.start(problem.scene(rows), Chance(seed, np.arange(n)))
    engine, busy, touched = Engine(world, n), np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
    for _ in range(60):
        scene = problem.scene(rows)
        action = Action(scene)
        still = skill.act(scene, variables, action)
        action.forces[~busy] = 0.0
        busy &= still
        rows, touches = engine.step(rows, action.forces)
        touched |= touches[:, world.pair("ball", other)]
    beyond = rows[:, ball.qpos] > rows[:, slot.qpos] + 0.1
    return float(np.mean(beyond & ~touched))
