"""Tactics: the search tree growing, in any domain, with bodies dragged before it is solved."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.core.show.looks import look_of, scenery_of
from swerve.core.show.tape import packed, tape_of
from swerve.tactics import DOMAINS, load_domain
from swerve.tactics.bodies import Role
from swerve.tactics.domains.build import place
from swerve.tactics.domains.minigolf import Course, lay, play_on
from swerve.tactics.grow import Growth
from swerve.tactics.plan import PLANNERS, TacticsPlan, choose, result
from swerve.tactics.record import record

from ..words import TAPE
from .course import BOUNCES, drawn, told
from .room import Message, Outside, Room, number, whole

MOST_BRANCHES = 4000  # that are sent at once
LANES = 64  # small rounds, so that one sees it grow


def enter(asked: Message, outside: Outside) -> TacticsRoom:
    return TacticsRoom(asked, outside)


class TacticsRoom(Room):
    """Bodies stand at their starts until `solve` is said; then a round of growth is a step."""

    dt = 0.02

    def __init__(self, asked: Message, outside: Outside):
        domain = str(asked.get("domain") or "minigolf")
        if domain not in DOMAINS:
            raise BadInput("domain", domain, f"must be one of {', '.join(DOMAINS)}")
        self.outside = outside
        self.domain, layout = domain, whole(asked, "layout", 0, 2**31)
        self.course: Course | None = None
        if domain in BOUNCES:
            self.course = (
                drawn(asked["course"], domain) if asked.get("course") else lay(layout, BOUNCES[domain])
            )
        self.problem = load_domain(domain, layout) if self.course is None else play_on(self.course)
        self.seed = whole(asked, "seed", 0, 2**31)
        self.growth: Growth | None = None
        self.found: TacticsPlan | None = None
        self.nodes, self.began, self.sent = self.problem.nodes, 0.0, 0
        self.bodies = [body for body in self.problem.world.bodies if body.role is not Role.STATIC]

    def scene(self) -> dict[str, Any]:
        built = {} if self.course is None else {"course": told(self.course)}
        return {"title": self.problem.name, **scenery_of(dict(self.problem.scenery)), "ego": None, **built}

    def frame(self) -> dict[str, np.ndarray] | None:
        if self.found is not None:
            return None
        problem = self.problem
        scene, n = problem.scene(problem.start[None]), len(self.bodies)
        places = np.array([scene.position(body.name)[0] for body in self.bodies])
        sizes = np.array([problem.world.size(body.name) for body in self.bodies], float)
        kinds = [body.name if look_of(0, body.name, (1, 1, 1)).shape == "disc" else f"{body.name} disc"
                 if body.role is Role.CONTROLLED else body.name for body in self.bodies]  # fmt: skip
        return {
            "t": np.zeros(n), "id": np.arange(n), "kind": np.array(kinds, dtype=object),
            **dict(zip("xyz", places.T, strict=True)),
            "yaw": np.array([_heading(scene, body.name) for body in self.bodies]),
            **dict(zip(("length", "width", "height"), sizes.T, strict=True)),
        }  # fmt: skip

    def hear(self, message: Message) -> None:
        kind = message.get("type")
        if kind == "solve":
            self._begin(message)
        elif kind == "course" and self.course is not None:
            self._build(drawn(message.get("course"), self.domain))
        elif kind == "move" and self.growth is None:
            x, y = (number(message, name, -1e4, 1e4) for name in "xy")
            self._move(self.bodies[whole(message, "id", 0, len(self.bodies) - 1)].name, x, y)
        else:
            super().hear(message)

    def _move(self, name: str, x: float, y: float) -> None:
        if self.course is not None and name == "ball":  # whose tee the course's rules know
            self.course = replace(self.course, ball=(x, y))
            self.problem = play_on(self.course)
            return
        start = self.problem.start.copy()
        place(start, self.problem.world, name, x, y)
        self.problem = replace(self.problem, start=start)

    def _build(self, course: Course) -> None:
        """Play on another course from now on."""
        self.course, self.problem, self.changed = course, play_on(course), True
        self.growth, self.found, self.moving = None, None, False
        self.bodies = [body for body in self.problem.world.bodies if body.role is not Role.STATIC]

    def _begin(self, message: Message) -> None:
        planner = str(message.get("planner") or self.problem.planner)
        if planner not in PLANNERS:
            raise BadInput("planner", planner, f"must be one of {', '.join(PLANNERS)}")
        self.nodes = whole(message, "nodes", 100, 200_000, self.problem.nodes)
        mu = number(message, "mu", 1.0, 10_000.0, self.problem.mu)
        selection = choose(self.problem, planner, mu, 0.5)
        tactics = self.problem.tactics_for("default", planner)
        self.growth = Growth(self.problem, tactics, selection, self.seed, min(LANES, self.problem.lanes))
        self.found, self.sent, self.began, self.moving = None, 0, time.perf_counter(), True

    def step(self) -> None:
        growth = self.growth
        if growth is None:
            self.moving = False
            return
        growth.round(self.problem.iterations - growth.effort.iterations)
        self._show_tree(growth)
        limit = growth.tree.alive_nodes >= self.nodes or growth.effort.iterations >= self.problem.iterations
        if limit or (growth.solutions and not self.problem.anytime):
            self._end(growth)

    def _show_tree(self, growth: Growth) -> None:
        """The branches that are new, each body's own."""
        tree, first = growth.tree, max(self.sent, 1)
        fresh = np.arange(first, tree.count)[:MOST_BRANCHES]
        self.sent = tree.count
        fresh = fresh[tree.alive[fresh] & (tree.parent[fresh] >= 0)]
        here, above = self.problem.scene(tree.rows[fresh]), self.problem.scene(tree.rows[tree.parent[fresh]])
        branches = {}
        for name in self.problem.show:
            up = np.full((len(fresh), 1), 0.03)
            branches[name] = np.hstack([above.xy(name), up, here.xy(name), up]).round(3).ravel()
        self.outside.say(
            "branches", branches=branches, nodes=tree.alive_nodes, solutions=len(growth.solutions)
        )

    def _end(self, growth: Growth) -> None:
        self.moving = False
        self.found = result(growth, time.perf_counter() - self.began, "duration", self.problem.anytime)
        usable = self.found.status.usable
        self.outside.say("solved", solved=self.found.solved, status=self.found.status.value, usable=usable)
        if usable:
            self.outside.send(TAPE, b"f" + packed(tape_of(self.recording())))
        self.growth = None

    def recording(self) -> Recording:
        if self.found is None or not self.found.status.usable:
            return super().recording()
        return record(self.found, {"scene": self.problem.name})

    def figures(self) -> dict[str, Any]:
        growth = self.growth
        if growth is None and self.found is not None:
            return {"status": self.found.status.value, "plan lasts [s]": self.found.duration}
        if growth is None:
            return {}
        return {
            "nodes": growth.tree.alive_nodes,
            "iterations": growth.effort.iterations,
            "solutions": len(growth.solutions),
        }


def _heading(scene: Any, name: str) -> float:
    try:
        return float(scene.heading(name)[0])
    except (BadInput, LookupError, ValueError, AttributeError):
        return 0.0
