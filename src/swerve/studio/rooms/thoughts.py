"""What somebody in a town thinks: the way it means to go, what its radar sees, and what pushes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.city import Simulation
from swerve.city.characters.avoidance import CIRCUMVENT, VEHICLE, collision_kind
from swerve.city.characters.avoidance import PERSON as ON_FOOT
from swerve.city.characters.paths import PathState
from swerve.city.people.avoidance import RADAR

SOON = np.arange(0.0, 4.01, 0.5)  # [s] shown of where it means to be
LANE = 1.6  # [m] beside its way within which a driver looks
WISH, TAKEN = 2.0, 2.0  # [s] of a velocity that an arrow is long
PUSH = 2.0  # [s²] of an acceleration that an arrow is long
UP = 0.5  # [m] above the ground at which it is drawn
COLLISIONS = ("stands", "comes towards", "goes the same way", "crosses")
DRIVERS = ("fast", "medium", "slow")


def thought_of(simulation: Simulation, number: int) -> dict[str, Any] | None:
    """Lines x y z x y z … by name, and words, of body `number`; None where there is none of that number."""
    world = simulation.world
    row = np.flatnonzero(world.ids == number)
    if not len(row):
        return None
    people = simulation.people
    on_foot = np.flatnonzero(people.ids == number) if people is not None else row[:0]
    if len(on_foot):
        return _walker(simulation, int(on_foot[0]))
    way = world.foresee(SOON)[row[0], :, :2]
    return _driver(simulation, int(row[0]), number, way)


def _walker(simulation: Simulation, i: int) -> dict[str, Any]:
    people = simulation.people
    assert people is not None
    crowd, paths = people.crowd, people.paths
    here = np.array([crowd.x[i], crowd.y[i]])
    want, move = np.array([crowd.want_x[i], crowd.want_y[i]]), np.array([crowd.move_x[i], crowd.move_y[i]])
    way = np.vstack([here, paths.node[i, : paths.nodes[i]]])
    seen, words = [], {}
    pace = float(np.hypot(*want))
    ahead = want / pace if pace > 1e-3 else np.array([np.cos(people.heading[i]), np.sin(people.heading[i])])
    others = simulation.world.everyone.motion
    where = np.stack([others.x, others.y], -1) - here
    ids = simulation.world.ids
    afoot = np.isin(ids, people.ids)
    near = np.hypot(*where.T) < RADAR + 0.5
    for k in np.flatnonzero(near & (where @ ahead > -0.25) & (ids != people.ids[i])):
        kind = ON_FOOT if afoot[k] else VEHICLE
        what = collision_kind(ahead[0], ahead[1], float(others.vx[k]), float(others.vy[k]))
        around = crowd.method[i, kind, what] == CIRCUMVENT
        seen.append((here, here + where[k]))
        who = "person" if kind == ON_FOOT else "vehicle"
        words[f"sees {who} {ids[k]}"] = f"{COLLISIONS[what]}; {'goes round' if around else 'waits'}"
        if len(seen) == 6:
            break
    said: dict[str, Any] = {
        "path": _called(int(paths.state[i])),
        "to its goal [m]": float(np.hypot(*(paths.goal[i] - here))),
        "wants to walk [m/s]": pace,
        "walks [m/s]": float(np.hypot(crowd.vx[i], crowd.vy[i])),
        "stuck for [s]": float(crowd.stuck[i]),
    }
    if np.isfinite(paths.to_kerb[i]) and paths.crossing[i] >= 0:
        said["crosswalk in [m]"] = float(paths.to_kerb[i])
    return {
        "path": chain(way),
        "goal": chain(np.vstack([way[-1], paths.goal[i]])),
        "radar": np.concatenate([chain(_ring(here, RADAR)), *(chain(np.array(pair)) for pair in seen)]),
        "wish": chain(np.array([here, here + WISH * want])),
        "taken": chain(np.array([here, here + TAKEN * move])),
        "words": said | words,
    }


def _driver(simulation: Simulation, row: int, number: int, way: np.ndarray) -> dict[str, Any]:
    world, traffic = simulation.world, simulation.traffic
    everyone = world.everyone
    here, yaw = way[0], float(everyone.motion.yaw[row])
    places = np.stack([everyone.motion.x, everyone.motion.y], -1)
    apart = np.linalg.norm(places[:, None] - way[None], axis=-1).min(axis=1)
    ahead = (places - here) @ [np.cos(yaw), np.sin(yaw)] > 1.0
    on_way = np.flatnonzero((apart < LANE) & ahead & (world.ids != number))
    said: dict[str, Any] = {"drives [m/s]": float(everyone.motion.speed[row])}
    push, goal, round_ = np.zeros(2), np.zeros((0, 2)), 0
    mine = np.flatnonzero(traffic.ids == number)
    if len(mine):
        i, paths = int(mine[0]), traffic.paths
        one = traffic.fleet[i]
        paths.trace(traffic.fleet, mine)
        goal = np.vstack([way[-1], paths.node[i, : paths.nodes[i]]])
        round_ = int(one.goes_round)
        said |= {
            "path": _called(int(paths.state[i])),
            "to its goal [s]": float(paths.field[one.destination, max(0, int(one.next))]),
            "driver": DRIVERS[int(one.driver)],
            "accelerates [m/s²]": float(one.accel),
            "indicator": ("right", "off", "left")[int(one.indicator) + 1],
            "may enter the junction": "yes" if one.granted >= 0 else "not yet",
            "yields to a siren": "yes" if one.yielding else "no",
        }
        push = PUSH * float(one.accel) * np.array([np.cos(yaw), np.sin(yaw)])
    if len(on_way):
        first = on_way[np.argmin(np.linalg.norm(places[on_way] - here, axis=1))]
        motion = everyone.motion
        what = collision_kind(np.cos(yaw), np.sin(yaw), float(motion.vx[first]), float(motion.vy[first]))
        does = "goes round" if round_ >> what & 1 and len(mine) else "waits"
        said[f"sees {everyone.kinds[first]} {world.ids[first]}"] = f"{COLLISIONS[what]}; {does}"
        said["at [m]"] = float(np.linalg.norm(places[first] - here))
    rays = [chain(np.array([here, places[k]])) for k in on_way[:6]]
    return {
        "path": chain(way),
        "goal": chain(goal),
        "radar": np.concatenate(rays) if rays else [],
        "wish": [],
        "taken": chain(np.array([here, here + push])),
        "words": said,
    }


def _called(state: int) -> str:
    return PathState(state).name.lower().replace("_", " ")


def _ring(middle: np.ndarray, radius: float) -> np.ndarray:
    angle = np.linspace(0.0, 2.0 * np.pi, 33)
    return middle + radius * np.stack([np.cos(angle), np.sin(angle)], -1)


def chain(points: np.ndarray) -> np.ndarray:
    """Segments x y z x y z … through places (n, 2)."""
    flat = np.column_stack([points, np.full(len(points), UP)])
    return np.hstack([flat[:-1], flat[1:]]).round(2).ravel()
