"""A planning problem: a world, where it starts, what counts as valid and as done, and the tactics to use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require

from .bodies import Role, World
from .chance import Places
from .law import Asked
from .scene import Action, Scene
from .sound import MOST
from .tactic import Tactic, unconstrained

Test = Callable[[Scene], np.ndarray]  # (b,) booleans or numbers of b branches


def always(scene: Scene) -> np.ndarray:
    return np.ones(len(scene), dtype=bool)


def never(scene: Scene) -> np.ndarray:
    return np.zeros(len(scene), dtype=bool)


@dataclass(frozen=True)
class Exploring:
    """How BK-RRT samples and measures: places for `body`, which moves at up to `speed`, `acceleration`.

    A sample is uniform in `area` (x0, y0, x1, y1), or in `goal` with probability `goal_bias`.
    """

    body: str
    area: tuple[float, float, float, float]
    speed: float = 3.0
    acceleration: float = 4.0
    goal: tuple[float, float, float, float] | None = None
    goal_bias: float = 0.3

    @property
    def sample(self) -> Places:
        return Places(self.area, self.goal, self.goal_bias)


@dataclass(frozen=True)
class Problem:
    """Everything a planner needs, and what a picture of it should show.

    `tactics` holds the tactics of all acting bodies under "default", and possibly under "rrt" (used by that
    planner instead) and "deterministic". `evaluate` is what anytime planning makes small; `lack`, if given,
    is how far states are from the goal: balanced growth then prefers nodes that are nearer. `planner` to
    `anytime` are what is used where nothing else is asked for. `figures` are worth telling about the end of a
    plan. `show` names the bodies whose ways a picture of the tree draws; `scenery` goes into the recording.
    """

    name: str
    world: World
    start: np.ndarray
    tactics: Mapping[str, tuple[Tactic, ...]]
    goal: Test
    exploring: Exploring | None  # none where no body is to be sent anywhere: not for BK-RRT
    valid: Test = always
    evaluate: Test | None = None
    lack: Test | None = None
    planner: str = "bgt"  # that suits it
    mu: float | None = None  # balance of depth and breadth; none adapts
    lanes: int = 64  # most branches that grow side by side; few of them while the tree is small
    nodes: int = 25_000  # the seed's limits
    iterations: int = 50_000
    anytime: bool = False
    horizon: float = 30.0  # [s] plans may not be longer
    ego: str = ""
    figures: Mapping[str, Test] = field(default_factory=dict)
    show: tuple[str, ...] = ()
    scenery: Mapping[str, Any] = field(default_factory=dict)

    def tactics_for(self, kind: str, planner: str) -> tuple[Tactic, ...]:
        """The tactics of that kind: default, unconstrained or deterministic."""
        if kind == "unconstrained":
            chosen = self.tactics.get("default", ())
            return tuple(unconstrained(t) if t.chooses or self.drives(t) else t for t in chosen)
        if kind == "default" and planner == "rrt" and "rrt" in self.tactics:
            return self.tactics["rrt"]
        if kind not in self.tactics:
            kinds = [
                k for k in ("default", "unconstrained", "deterministic") if k in self.tactics or k[0] == "u"
            ]
            raise BadInput("tactic", kind, f"{self.name} has {', '.join(kinds)}")
        return self.tactics[kind]

    def drives(self, tactic: Tactic) -> bool:
        """Whether a tactic is that of a body of ours, not of one that others move."""
        bodies = [getattr(skill, "body", None) for skill in tactic.skills.values()]
        ours = {body.name for body in self.world.bodies if body.role is Role.CONTROLLED}
        return any(body in ours for body in bodies)

    def validate(self, tactics: tuple[Tactic, ...]) -> None:
        """Refuse what cannot be planned with, before planning."""
        require(
            self.start.shape == (self.world.width,), f"{self.name}, start", self.start.shape, "has no row"
        )
        require(bool(np.isfinite(self.start).all()), f"{self.name}, start", None, "must be finite")
        far = float(np.abs(self.start).max())
        require(far <= MOST, f"{self.name}, start", far, f"must have no number beyond {MOST:g}")
        scene = self.scene(self.start[None])
        for what, test in (("goal", self.goal), ("valid", self.valid)):
            answer = np.asarray(test(scene))
            require(
                answer.shape == (1,), f"{self.name}, {what}", answer.shape, "must give one value a branch"
            )
        require(bool(self.valid(scene)[0]), f"{self.name}, start", None, "is not a valid state")
        for tactic in tactics:
            for skill in tactic.skills.values():
                for pair in skill.watches():
                    self.world.pair(*pair)

    def lost(self, scene: Scene) -> np.ndarray:
        """(b,) where the goal cannot be reached any more, as far as it tells (`Asked.lost`)."""
        told = self.goal.lost if isinstance(self.goal, Asked) else None
        return np.zeros(len(scene), dtype=bool) if told is None else told(scene)

    def scene(self, rows: np.ndarray, touched: np.ndarray | None = None) -> Scene:
        """States as a scene, without a sample."""
        if touched is None:
            touched = np.zeros((len(rows), len(self.world.watch)), dtype=bool)
        return Scene(self.world, rows, touched, np.full((len(rows), 2), np.nan))


def check_skill(name: str, tactic: str, busy: np.ndarray, action: Action, finite: bool = False) -> np.ndarray:
    """The busy flags, unless the skill returned nonsense: then it is named. `finite` looks at its forces."""
    shape = getattr(busy, "shape", type(busy).__name__)
    if shape != action.forces.shape[:1]:
        where = f"skill {name} of tactic {tactic}"
        raise BadInput(where, shape, f"must return one busy flag a branch, ({len(action.forces)},)")
    if busy.dtype != bool:
        where = f"skill {name} of tactic {tactic}, busy flags"
        raise BadInput(where, str(busy.dtype), "must be booleans")
    if finite and not np.isfinite(action.forces).all():
        raise BadInput(f"skill {name} of tactic {tactic}", None, "returned a force that is not a number")
    return busy
