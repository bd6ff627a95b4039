"""Riders as bodies: the model is built, made to know itself, and put on the road."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.scene_file import SUFFIXES
from swerve.core.seeding import generator

from . import balance
from .anatomy import RiderDefinition, read_rider
from .bicycle import STEER
from .engine import Cyclist, CyclistRide
from .identify import Identified, fit_with_input, lean_and_steer
from .outline import kind_of

DATA = Path(__file__).parents[1] / "data"
NAMES = ("human", "alien")
PACES = (0.6, 0.8, 1.0, 1.2)  # of nominal speed: where the regulator is designed
SETTLE, TRIAL = 0.3, 0.6  # [s] of an experiment
PAIRS, NUDGE = 6, 4.0  # experiments (each both ways), and their bar torque [N m]
WARM_UP = 4.0  # [s] of riding straight on before anything else


class Rider:
    """A steerable body: a cyclist on its machine.

    >>> rider = load_rider("human")
    >>> rider.name, rider.speed, len(rider.definition.limbs()), rider.definition.freedoms
    ('human', 12.0, 12, 17)
    """

    def __init__(self, definition: RiderDefinition):
        self.definition = definition
        self.name, self.speed, self.turns = definition.name, definition.speed, definition.turns
        self.kind, self.sideways = kind_of(definition.name), "roll"
        self.cyclist = Cyclist.of(definition)
        self.outline = self.cyclist.outline
        self.radius = self.outline[0] / 2
        self.models = [identify_rider(self.cyclist, pace * self.speed) for pace in PACES]
        self.gains = gain_table(self.models, definition)
        self._settled: np.ndarray | None = None

    def start(self, count: int, threads: int = 1) -> CyclistRide:
        """A batch at the origin, heading +x, settled at nominal speed; all riders are alike."""
        ride = CyclistRide(self.cyclist, count, self.gains, threads)
        if self._settled is None:
            first = CyclistRide(self.cyclist, 1, self.gains)
            first.advance(np.zeros(1), np.full(1, self.speed), WARM_UP)
            if first.motion().fell[0]:
                raise BadInput(f"rider {self.name}", self.speed, "falls when riding straight on at speed")
            first.put(np.zeros(1), np.zeros(1), np.zeros(1))
            self._settled = first.snapshot()
        ride.restore(np.repeat(self._settled, count, axis=0))
        return ride


def load_rider(name_or_file: str | Path) -> Rider:
    """`human`, `alien`, or a YAML or TOML file with a rider definition."""
    if str(name_or_file) in NAMES:
        return _named(str(name_or_file))
    path = Path(name_or_file)
    if path.suffix not in SUFFIXES:
        raise BadInput("rider", str(name_or_file), f"must be {', '.join(NAMES)} or a YAML or TOML file")
    return Rider(read_rider(path))


@cache
def _named(name: str) -> Rider:
    return Rider(read_rider(DATA / f"{name}.yaml"))


def identify_rider(cyclist: Cyclist, speed: float) -> Identified:
    """The linear model of rider and machine at `speed` [m/s]; input: bar torque through the hands [N m].

    Nobody balances meanwhile, so the experiments are short; random nudges, each sequence also reversed.
    """
    nobody = np.zeros((1, balance.GAIN_COLUMNS))
    ride = CyclistRide(cyclist, 2 * PAIRS, nobody)
    ride.roll_at(speed)
    ride.advance(np.zeros(ride.count), np.full(ride.count, speed), SETTLE)
    ticks = round(TRIAL / ride.period)
    nudges = NUDGE * generator(0, "identify").choice([-1.0, 1.0], (ticks, PAIRS))
    steer = cyclist.model.joint(STEER)
    places = (int(steer.qposadr[0]), int(steer.dofadr[0]))
    states = [lean_and_steer(ride.qpos, ride.qvel, *places)]
    for row in nudges:
        ride.wishes[:, balance.NUDGE] = np.concatenate([row, -row])
        ride.tick()
        states.append(lean_and_steer(ride.qpos, ride.qvel, *places))
    answers = np.array(states)
    return fit_with_input(speed, (answers[:, :PAIRS] - answers[:, PAIRS:]) / 2, nudges)


def gain_table(models: list[Identified], definition: RiderDefinition) -> np.ndarray:
    """The regulator by speed, (k, 7), as `balance.command` reads it."""
    rows = [
        np.concatenate([[m.speed], balance.regulator(m.transition, m.effect, definition.control)])
        for m in models
    ]
    return np.array(rows)
