"""Tactics that learned: how often skills follow each other and what they draw, and how to learn that.

Learning solves instances and remembers, of every skill along the solutions, the situation it was begun in and
what it drew: those become habits. Then it tries other weights of transitions by chance and keeps those with
which the same instances need the fewest nodes. No weight that was above zero becomes zero and a share of all
draws is as it was, so what could be found before can be found still.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from swerve.core.errors import BadInput, require
from swerve.core.files import existing
from swerve.core.scene_file import check
from swerve.core.seeding import generator
from swerve.core.sweep import sweep
from swerve.core.untrusted import parse_json

from .bodies import Role
from .domains import load_domain
from .habits import Habits
from .plan import SolveOptions
from .problem import Problem
from .search import Search
from .tactic import Tactic, Weight
from .tree import NOBODY

STRIDE = 0.8  # of logarithms of weights from one try to the next
SOLUTIONS = 4  # of an instance that are learned from
MOST = 400  # situations that a skill remembers
Finite = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]  # whose squares are finite, too
Table = Annotated[list[Annotated[list[Finite], Field(max_length=256)]], Field(min_length=1, max_length=4096)]
Seen = tuple[list[float], list[float]]  # a situation, and shares of ranges


class LearnedSkill(BaseModel):
    """Situations in which a skill was begun, and the shares of its ranges that it drew there."""

    model_config = ConfigDict(extra="forbid")
    situations: Table
    shares: Table


class LearnedTactic(BaseModel):
    """What one tactic learned: weights of transitions, and habits of its skills."""

    model_config = ConfigDict(extra="forbid")
    transitions: dict[str, dict[str, Annotated[Finite, Field(ge=0.0)]]] = {}
    habits: dict[str, LearnedSkill] = {}


class Learned(BaseModel):
    """Learned tactics by name, for a domain."""

    model_config = ConfigDict(extra="forbid")
    domain: str
    instances: int = 0  # that were solved to learn it
    tactics: dict[str, LearnedTactic]


def read_learned(path: str | Path) -> Learned:
    """A file of `swerve learn`."""
    try:
        held = parse_json(existing(path, "tactic").read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadInput(f"tactic {path}", None, f"is not JSON ({error})") from error
    return check(held, f"tactic {path}", Learned)


def with_learned(problem: Problem, learned: Learned) -> Problem:
    """The problem with its default tactics as learned."""
    known = {tactic.name: tactic for tactic in problem.tactics.get("default", ())}
    require(bool(learned.tactics), "learned tactics", None, "there is none in the file")
    for name in learned.tactics:
        names = ", ".join(known)
        require(name in known, "learned tactic", name, f"must be one of {problem.name}: {names}")
    taught = tuple(
        _taught(tactic, learned.tactics[name]) if name in learned.tactics else tactic
        for name, tactic in known.items()
    )
    return replace(problem, tactics={**problem.tactics, "default": taught})


def _taught(tactic: Tactic, learned: LearnedTactic) -> Tactic:
    transitions: dict[str, dict[str, Weight]] = {a: dict(b) for a, b in tactic.transitions.items()}
    for source, targets in learned.transitions.items():
        for target, weight in targets.items():
            here = f"learned tactic {tactic.name}, transition {source} to {target}"
            held = transitions.get(source, {}).get(target)
            require(held is not None and not callable(held), here, None, "is none with a fixed weight")
            transitions[source][target] = weight
    habits = {}
    for name, skill in learned.habits.items():
        here = f"learned tactic {tactic.name}, skill {name}"
        require(name in tactic.skills, here, None, f"must be one of {', '.join(tactic.skills)}")
        tables = (skill.situations, skill.shares)
        even = all(len({len(row) for row in table}) == 1 for table in tables)
        require(even, here, None, "must have rows of the same length")
        there, shares = (np.array(table, dtype=float) for table in tables)
        habits[name] = Habits(there, shares)
    return Tactic(tactic.name, tactic.skills, transitions, tactic.start, habits)


@dataclass(frozen=True)
class Experience:
    """A search: its nodes, whether it found a solution, and what was drawn along those: tactic, skill,
    situation and shares of ranges."""

    nodes: int
    solved: bool
    draws: list[tuple[str, str, list[float], list[float]]]


def experience(domain: str, learned: dict[str, Any] | None, solutions: int, instance: int) -> Experience:
    """What planning one instance until there are so many solutions teaches; `learned` as plain values."""
    problem = load_domain(domain, instance)
    if learned is not None:
        problem = with_learned(problem, Learned.model_validate(learned))
    search = Search(problem, None, SolveOptions(), seed=instance)
    search.decider.noted = {}
    search.grow(nodes=problem.nodes - 1, iterations=problem.iterations, solutions=solutions)
    draws = []
    for solution in search.solutions:
        way = search.tree.path(solution)[1:].tolist()
        for i, tactic in enumerate(search.tactics):
            last = {}  # of every skill: what came before did not lead to the goal
            for node in way if _is_own(problem, tactic) else ():
                noted = search.decider.noted.get((search.born.get(node, NOBODY), i))
                if noted is not None:
                    last[tactic.order[search.tree.skill[node, i]]] = noted
            draws += [(tactic.name, skill, *map(_plain, noted)) for skill, noted in last.items()]
    return Experience(search.tree.alive_nodes, bool(search.solutions), draws)


def _is_own(problem: Problem, tactic: Tactic) -> bool:
    """Whether a tactic is of a body that the planner commands; what others do is not to be learned."""
    body = getattr(next(iter(tactic.skills.values())), "body", "")
    known = problem.world.by_name.get(body)
    return known is not None and known.role == Role.CONTROLLED


def _plain(values: np.ndarray) -> list[float]:
    return [round(float(value), 4) for value in values]


def measure(domain: str, learned: Learned | None, instances: Sequence[int]) -> tuple[float, float]:
    """Mean nodes to the first solution, and the share of the instances that have one."""
    held = None if learned is None else learned.model_dump()
    seen = sweep(partial(experience, domain, held, 1), instances, f"{domain}, {len(instances)} instances")
    return float(np.mean([one.nodes for one in seen])), float(np.mean([one.solved for one in seen]))


def learn(
    domain: str, instances: Sequence[int], tries: int = 10, seed: int = 0
) -> tuple[Learned, list[dict[str, float]]]:
    """A tactic from these instances of a domain, with so many `tries` of other weights, and how each went:
    mean nodes and the share that was solved, first with the shipped weights."""
    require(len(instances) >= 1, "instances", len(instances), "must be at least 1")
    require(tries >= 0, "tries", tries, "must not be negative")
    work = partial(experience, domain, None, SOLUTIONS)
    seen = sweep(work, instances, f"{domain}, solving {len(instances)} instances")
    problem = load_domain(domain, instances[0])
    best = _remembered(domain, problem, seen)
    require(bool(best.tactics), "domain", domain, "has no tactic that draws anything, or was not solved")
    least = measure(domain, best, instances)
    course = [{"nodes": least[0], "solved": least[1]}]
    random = generator(seed, "learned weights")
    for _ in range(tries if any(one.transitions for one in best.tactics.values()) else 0):
        other = _varied(best, random)
        found = measure(domain, other, instances)
        course.append({"nodes": found[0], "solved": found[1]})
        if (-found[1], found[0]) < (-least[1], least[0]):
            best, least = other, found
    return best, course


def _remembered(domain: str, problem: Problem, seen: list[Experience]) -> Learned:
    """Habits from what was seen, and the weights as they were shipped."""
    drawn: dict[str, dict[str, list[tuple[list[float], list[float]]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for one in seen:
        for tactic, skill, there, shares in one.draws:
            drawn[tactic][skill].append((there, shares))
    tactics = {
        tactic.name: LearnedTactic(
            transitions=_choices(tactic),
            habits={skill: _newest(rows) for skill, rows in drawn[tactic.name].items()},
        )
        for tactic in problem.tactics.get("default", ())
        if tactic.name in drawn
    }
    return Learned(domain=domain, instances=sum(one.solved for one in seen), tactics=tactics)


def _choices(tactic: Tactic) -> dict[str, dict[str, float]]:
    """Transitions between which nothing but fixed weights decides."""
    fixed = {
        source: {target: float(w) for target, w in targets.items() if not callable(w)}
        for source, targets in tactic.transitions.items()
    }
    return {
        source: weights
        for source, weights in fixed.items()
        if len(weights) == len(tactic.transitions[source]) > 1
    }


def _newest(seen: list[Seen]) -> LearnedSkill:
    there, shares = zip(*seen[-MOST:], strict=True)
    return LearnedSkill(situations=list(there), shares=list(shares))


def _varied(learned: Learned, random: np.random.Generator) -> Learned:
    """Other weights, by chance, not far from these."""
    other = learned.model_copy(deep=True)
    for tactic in other.tactics.values():
        for targets in tactic.transitions.values():
            drawn = {name: w * float(np.exp(random.normal(0.0, STRIDE))) for name, w in targets.items()}
            whole = sum(drawn.values())
            targets.update({name: round(w / whole, 4) for name, w in drawn.items()})
    return other
