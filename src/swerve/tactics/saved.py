"""Searches in files: a tree, its solutions and all that is needed to go on, as NPZ.

A search means nothing without its problem, which is code. So what can be told of that goes along, and a
search is refused where it is another: the world, the start, what skills there are, and whether solutions
reach the goal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.files import existing, replacing
from swerve.core.untrusted import parse_json, read_arrays

from .bodies import World
from .effort import Effort
from .grow import Growth
from .problem import Problem
from .tactic import Tactic
from .tree import NODE_ARRAYS, Tree

FORMAT = 9
LEVEL_ARRAYS = ("crowd", "tried", "gained")
LANE_ARRAYS, COUNTS = ("lane_nodes", "lane_sources", "lane_steps"), ("deeds", "moves", "touches", "meets")
PLAIN = ("planar_seconds", "solutions", "open_lanes", "deepest", "root_tried", "begun")
NOTE = "selection "  # before the names of what the selection has gathered
GAIN = "gains "  # and of what was learned


def write(
    search: Growth, path: str | Path, more: dict[str, Any], gains: dict[str, np.ndarray] | None = None
) -> Path:
    """Write all that is needed to go on, what `more` there is to be said, and the notes of its `gains`."""
    tree = search.tree
    about = {
        **more,
        "format": FORMAT,
        "problem": search.problem.name,
        "world": fingerprint(search.world),
        "tactics": _told(search.tactics),
        "constants": constants(search.tactics),
        "seed": search.seed,
        "effort": asdict(search.effort),
        "engine_seconds": search.engine.seconds,
        "alive": tree.alive_nodes,
        "guide": [search.guide.pace, search.guide.height],
        **{name: getattr(search, name) for name in PLAIN},
    }
    arrays: dict[str, Any] = {name: getattr(tree, name)[: tree.count] for name in NODE_ARRAYS}
    arrays |= {
        "start": search.problem.start,
        "pool": tree.pool[:, : max(tree.pooled.max(), 1)],
        "pooled": tree.pooled,
        "sums": tree.sums,
        **{name: getattr(tree, name) for name in LEVEL_ARRAYS},
    }
    arrays |= {name: getattr(search, name) for name in LANE_ARRAYS}
    arrays |= {name: getattr(search.account, name) for name in COUNTS}
    arrays |= {NOTE + name: values for name, values in search.selection.notes(tree).items()}
    arrays |= {GAIN + name: values for name, values in (gains or {}).items()}
    with replacing(path) as draft, open(draft, "wb") as file:
        np.savez_compressed(file, about=np.array(json.dumps(about)), **arrays)
    return Path(path)


@contextmanager
def reading(path: str | Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The arrays of a saved search, and what is said about it; what goes wrong with them is one line."""
    path = existing(path, "search")
    try:
        held: dict[str, Any] = dict(read_arrays(path))
        about = parse_json(str(held["about"]))
        require(about["format"] == FORMAT, f"search {path}, format", about["format"], "is not known")
        yield held, about
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(f"search {path}", None, f"is not a readable search ({error})") from error


def check(path: str | Path, held: dict[str, Any], about: dict[str, Any], problem: Problem) -> None:
    """Refuse a search that was made for another problem."""
    where = f"search {path}"
    require(about["problem"] == problem.name, where, about["problem"], "is of another problem")
    other = f"is of another {problem.name}: its"
    tactics = _told(problem.tactics_for(about["options"]["tactic"], about["planner"]))
    require(about["world"] == fingerprint(problem.world), where, None, f"{other} bodies or materials differ")
    require(np.array_equal(held["start"], problem.start), where, None, f"{other} start differs")
    require(about["tactics"] == tactics, where, None, f"{other} tactics or skills differ")
    mine = constants(problem.tactics_for(about["options"]["tactic"], about["planner"]))
    differing = [name for name, value in about.get("constants", mine).items() if mine.get(name) != value]
    require(not differing, where, differing, f"{other} constants differ, of")
    ends = held["rows"][about["solutions"]], held["touched"][about["solutions"]]
    if about["solutions"]:
        reached = bool(np.all(problem.goal(problem.scene(*ends))))
        require(reached, where, None, f"{other} goal differs, which its solutions do not reach")


def restore(search: Growth, held: dict[str, Any], about: dict[str, Any]) -> None:
    """Fill a new search with what was saved."""
    _fill(search.tree, held, about["alive"])
    for name in COUNTS:
        counts = getattr(search.account, name)
        require(held[name].shape == counts.shape, f"search, {name}", held[name].shape, "does not fit")
        counts[:] = held[name]
    search.selection.recall(search.tree, noted(held, NOTE))
    search.guide.pace, search.guide.height = about["guide"]
    search.effort = replace(Effort(), **about["effort"])
    for name in PLAIN:
        setattr(search, name, about[name])
    search.engine.seconds = about["engine_seconds"]
    for name in LANE_ARRAYS:
        setattr(search, name, held[name])
    search.idle = int((search.lane_nodes[: search.open_lanes] < 0).sum())


def noted(held: dict[str, Any], prefix: str) -> dict[str, np.ndarray]:
    """The arrays whose names begin so."""
    return {name.removeprefix(prefix): values for name, values in held.items() if name.startswith(prefix)}


def fingerprint(world: World) -> str:
    """Of bodies, materials, meshes and steps: the same where a state means the same and goes on alike."""
    said = (world.mjcf, world.bodies, world.watch, world.apart, world.timestep, world.substeps)
    found = hashlib.sha256(repr(said).encode())
    for values in (world.model.mesh_vert, world.model.hfield_data):
        found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()


def _told(tactics: tuple[Tactic, ...]) -> list[list[str]]:
    """Name of each tactic and of its skills, whose numbers nodes remember."""
    return [[tactic.name, *tactic.order] for tactic in tactics]


def constants(tactics: tuple[Tactic, ...]) -> dict[str, str]:
    """What the fields of every skill are, and the constant transitions of every tactic: the same where a
    tactic acts alike. Of fields that are functions the name counts."""
    found = {}
    for tactic in tactics:
        for name, skill in tactic.skills.items():
            values: list[Any] = (
                [(f.name, getattr(skill, f.name)) for f in fields(skill)] if is_dataclass(skill) else []
            )
            found[f"{name} of {tactic.name}"] = _digest(values)
        weights = {
            a: {b: w for b, w in to.items() if not callable(w)} for a, to in tactic.transitions.items()
        }
        found[f"transitions of {tactic.name}"] = _digest(
            sorted((a, sorted(to.items())) for a, to in weights.items())
        )
    return found


def _digest(value: Any) -> str:
    return hashlib.sha256(_plainly(value).encode()).hexdigest()[:16]


def _plainly(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, list | tuple):
        return f"[{', '.join(_plainly(one) for one in value)}]"
    if isinstance(value, dict):
        return _plainly(list(value.items()))
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__name__)}"
    return repr(value)


def _fill(tree: Tree, held: dict[str, Any], alive: int) -> None:
    n = len(held["parent"])
    tree._reserve(n)
    for name in NODE_ARRAYS:
        mine = getattr(tree, name)
        require(held[name].shape[1:] == mine.shape[1:], f"search, {name}", held[name].shape, "does not fit")
        mine[:n] = held[name]
    tree.pool[:, : held["pool"].shape[1]] = held["pool"]
    tree.pooled[:], tree.sums[:] = held["pooled"], held["sums"]
    for name in LEVEL_ARRAYS:
        getattr(tree, name)[:] = held[name]
    tree.count, tree.alive_nodes = n, alive
