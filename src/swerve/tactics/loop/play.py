"""Games in a closed loop, by name: trials of one against an uncertain world, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.sweep import sweep

from ..plan import FIDELITIES
from ..problem import Problem
from .frames import Log
from .safest import Scatter


@dataclass(frozen=True)
class Game:
    """The module whose `trial` plays it, and a line about it."""

    module: str
    summary: str


ATTACKERS = ("dribble", "reactive")
OPPONENTS = ("reactive", "chase", "guard", "dribble")
DRIVEN = ("state", "action")
GAMES = {
    "minigolf": Game("golf", "one putt past a turning bar into the hole"),
    "minigolf-one-bounce": Game("golf", "one putt off a wall"),
    "minigolf-two-bounces": Game("golf", "one putt off two walls"),
    "soccer": Game("soccer", "one against one: dribble past a reactive attacker and score"),
    "hallway": Game("corridor", "drive past twelve obstacles that do not keep to their ways"),
    "maze": Game("corridor", "the same round walls in which one gets stuck"),
}

_ONCE, _ALWAYS, _CALM = "plans once", "plans in every frame", "has nobody who strays"
_ALONE = {"attacker": "has no attacker", "opponent": "has no opponent"}
_FREE = "drives past no obstacles"
_BARLESS = {"rate_noise": "has no bar that turns"}
_UNASKED = {  # options that a kind of game has no use for, and why
    "golf": {"interval": _ONCE, "t_lod": _ONCE, "margin": _FREE, "uncertainty": _ONCE, **_ALONE},
    "soccer": {
        **dict.fromkeys(("interval", "t_lod"), _ALWAYS),
        "margin": _FREE,
        "uncertainty": _CALM,
        "driven": "follows states, in plans of every frame",
        **_BARLESS,
    },
    "corridor": {**_ALONE, **_BARLESS},
}
MOST_NOISE = 1000.0  # times a camera's 1.5 mm: who is seen in another place altogether is not seen
_PLANNING = ("planner", "nodes", "fidelity")  # what who only reacts has no use for


@dataclass(frozen=True)
class PlayOptions:
    """How to play. What is None is the game's own.

    `noise` scales what the camera gets wrong; `latency` [s]; `nodes` a plan; `interval` [s] between plans,
    if need be infinite; `fidelity` of what is searched on: full, planar or both; `attacker` in soccer,
    dribble or reactive, and its `opponent`, one of `OPPONENTS`; `t_lod` [s] after which plans ignore what
    moves; `margin` [m] that plans keep from it before; `uncertainty` of what others do, 0 to 1;
    `parameters` are materials of the planner's model, as `swerve fit` gives them; `driven` by states or by
    actions; `rate_noise` is a relative error of a bar's rate; `scatter` is how a golfer's strikes come out,
    where that was measured.
    """

    reality: str | None = None
    noise: float = 1.0
    latency: float = 0.05
    planner: str | None = None
    nodes: int | None = None
    interval: float | None = None
    t_lod: float | None = None
    margin: float | None = None
    uncertainty: float | None = None
    driven: str | None = None
    fidelity: str | None = None
    attacker: str | None = None
    opponent: str | None = None
    rate_noise: float | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    scatter: Scatter | None = None

    def as_dict(self) -> dict[str, Any]:
        """What was chosen, for metadata, in which there are no infinite numbers."""
        chosen = {name: "inf" if v == np.inf else v for name, v in vars(self).items() if v is not None}
        return {
            name: asdict(v) if isinstance(v, Scatter) else dict(v) if isinstance(v, Mapping) else v
            for name, v in chosen.items()
        }

    def __post_init__(self) -> None:
        for name in ("noise", "rate_noise"):
            value = getattr(self, name)
            sane = value is None or 0 <= value <= MOST_NOISE
            require(sane, name.replace("_", "-"), value, f"must be within 0 and {MOST_NOISE:g}")
        require(0 <= self.latency <= 1, "latency", self.latency, "must be within 0 and 1 s")
        require(self.interval is None or self.interval > 0, "interval", self.interval, "must be positive")
        require(self.t_lod is None or self.t_lod >= 0, "t-lod", self.t_lod, "must be zero or more")
        kept = self.margin is None or 0 <= self.margin < np.inf
        require(kept, "margin", self.margin, "must be zero or more")
        known = self.uncertainty is None or 0 <= self.uncertainty <= 1
        require(known, "uncertainty", self.uncertainty, "must be within 0 and 1")
        for name, words in (("fidelity", FIDELITIES), ("attacker", ATTACKERS), ("opponent", OPPONENTS)):
            value = getattr(self, name)
            require(value in (None, *words), name, value, f"must be one of {', '.join(words)}")
        require(self.driven in (None, *DRIVEN), "driven", self.driven, "must be state or action")


@dataclass
class Trial:
    """One game. `intervals` and `collided` count plans that were carried out and those with a collision,
    `unless` those that hold only if the other does not shoot."""

    success: bool
    log: Log
    problem: Problem
    intervals: int = 1
    collided: int = 0
    engine_seconds: float = 0.0
    planar_seconds: float = 0.0
    conceded: bool = False
    unless: int = 0

    def score(self) -> Score:
        log = self.log
        each = tuple(log.planning), tuple(log.nodes), tuple(log.lengths)
        spent = self.engine_seconds, self.planar_seconds
        what = bool(self.success), self.intervals, self.collided, *spent, *each, log.frames, int(log.missed)
        return Score(*what, bool(self.conceded), self.unless)


@dataclass(frozen=True)
class Score:
    """The figures of a trial: of every plan its time [s], nodes and length [s]; the rest as in `Trial`."""

    success: bool
    intervals: int
    collided: int
    engine_seconds: float
    planar_seconds: float
    planning: tuple[float, ...]
    nodes: tuple[int, ...]
    lengths: tuple[float, ...]
    frames: int
    missed: int
    conceded: bool = False
    unless: int = 0


@dataclass(frozen=True)
class Played:
    """What came of all trials; `first` is the first of them, where it was kept."""

    trials: int
    successes: int
    collision_rate: float | None  # of plans; None where collisions belong to the game
    planning_seconds: float  # a trial
    nodes_per_plan: float
    frames: int
    frames_missed: int
    engine_seconds: float  # that plans took in the full engine, a trial
    planar_seconds: float  # and on the planar model
    shortest_plan: float | None  # [s] that 99 % of plans are longer than
    first: Trial | None
    each: tuple[bool, ...]
    conceded: int = 0  # games that the other side won

    @property
    def success_rate(self) -> float:
        return self.successes / self.trials

    @property
    def interval_95(self) -> tuple[float, float]:
        return wilson(self.successes, self.trials)

    def as_dict(self) -> dict[str, Any]:
        return {
            "trials": self.trials,
            "success_rate": self.success_rate,
            "interval_95": list(self.interval_95),
            "collision_rate": self.collision_rate,
            "planning_seconds": self.planning_seconds,
            "engine_seconds": self.engine_seconds,
            "planar_seconds": self.planar_seconds,
            "conceded_rate": self.conceded / self.trials,
            "nodes_per_plan": self.nodes_per_plan,
            "shortest_plan": self.shortest_plan,
            "frames": self.frames,
            "frames_missed": self.frames_missed,
        }


def play(
    game: str,
    options: PlayOptions = PlayOptions(),
    trials: int = 1,
    seed: int = 0,
    workers: int | None = None,
    keep_first: bool = True,
) -> Played:
    """Trials of a game, each with a layout and randomness of its own. The same seed gives the same games."""
    require(trials >= 1, "trials", trials, "must be at least 1")
    check(game, options, seed)
    first = trial_of(game, options, seed) if keep_first else None
    scores = [] if first is None else [first.score()]
    seeds = range(seed + len(scores), seed + trials)
    scores += sweep(partial(score_of, game, options), seeds, f"playing {game}", workers)
    return summary(scores, first)


def trial_of(game: str, options: PlayOptions, seed: int) -> Trial:
    """One trial."""
    check(game, options, seed)
    found: Trial = module(game).trial(game, options, seed)
    return found


def module(game: str) -> Any:
    """Where a game's own code is; loaded when it is first played."""
    return import_module(f"swerve.tactics.loop.{GAMES[game].module}")


def check(game: str, options: PlayOptions, seed: int = 0, where: str = "parameters") -> None:
    """Refuse what cannot be played. `where` the parameters come from is said of those that are refused."""
    require(game in GAMES, "game", game, f"must be one of {', '.join(GAMES)}")
    golf = GAMES[game].module == "golf"
    possible = ("pymunk", "mujoco") if golf else ("mujoco",)
    if options.reality not in (None, *possible):
        raise BadInput("reality", options.reality, f"{game} is played in {' or '.join(possible)}")
    for name, why in _UNASKED[GAMES[game].module].items():
        if getattr(options, name) is not None:
            raise BadInput(name.replace("_", "-"), getattr(options, name), f"{game} {why}")
    for name in _PLANNING if options.attacker == "reactive" else ():
        if getattr(options, name) is not None:
            raise BadInput(name, getattr(options, name), "the reactive attacker plans nothing")
    if game.startswith("minigolf-") and options.rate_noise is not None:
        raise BadInput("rate-noise", options.rate_noise, f"{game} {_BARLESS['rate_noise']}")
    if (options.parameters or options.scatter) and not golf:
        raise BadInput(where, None, f"{game} takes none, only minigolf does")
    if options.parameters:
        module(game).check_parameters(game, options.parameters, seed, where)


def summary(done: list[Score], first: Trial | None) -> Played:
    planning = [sum(t.planning) for t in done]
    nodes = [n for t in done for n in t.nodes]
    lengths = [length for t in done for length in t.lengths]
    intervals = sum(t.intervals for t in done)
    return Played(
        len(done),
        sum(t.success for t in done),
        sum(t.collided for t in done) / intervals if intervals else None,
        float(np.mean(planning)),
        float(np.mean(nodes)) if nodes else 0.0,
        sum(t.frames for t in done),
        sum(t.missed for t in done),
        float(np.mean([t.engine_seconds for t in done])),
        float(np.mean([t.planar_seconds for t in done])),
        float(np.quantile(lengths, 0.01)) if lengths else None,
        first,
        tuple(t.success for t in done),
        sum(t.conceded for t in done),
    )


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The range in which the true rate lies with a probability of 95 %.

    >>> [round(float(x), 3) for x in wilson(8, 10)]
    [0.49, 0.943]
    """
    z, p = 1.96, successes / trials
    middle = (p + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * np.sqrt(p * (1 - p) / trials + z * z / (4 * trials**2))
    return float(max(middle - half, 0.0)), float(min(middle + half, 1.0))


def score_of(game: str, options: PlayOptions, seed: int) -> Score:
    """The figures of one trial."""
    return trial_of(game, options, seed).score()
