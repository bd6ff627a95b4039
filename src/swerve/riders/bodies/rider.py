"""Riders as bodies: the model is built, made to know itself, and put on the road."""

from __future__ import annotations

import math
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
DESIGNS = 6  # speeds at which the regulator is designed
TELLING = 4.6  # [m/s] below which experiments tell too little; slower riders balance as at this speed
SETTLE, TRIAL = 0.3, 0.8  # [s] of an experiment
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
        self.speeds = definition.range_of_speeds
        designs = np.geomspace(min(max(self.speeds[0], TELLING), self.speed), self.speeds[1], DESIGNS)
        self.models = identify_rider(self.cyclist, designs)
        self.gains = gain_table(self.models, definition)
        self._settled: dict[float, np.ndarray] = {}

    def start(self, count: int, threads: int = 1, speed: float | None = None) -> CyclistRide:
        """A batch at the origin, heading +x, settled at `speed` [m/s], by default the nominal one; all riders
        are alike."""
        ride = CyclistRide(self.cyclist, count, self.gains, threads)
        pace = self.speed if speed is None else float(speed)
        if pace not in self._settled:
            first = CyclistRide(self.cyclist, 1, self.gains)
            first.roll_at(pace)
            first.advance(np.zeros(1), np.full(1, pace), WARM_UP)
            if first.motion().fell[0]:
                raise BadInput(f"rider {self.name}", pace, "falls when riding straight on at speed")
            first.put(np.zeros(1), np.zeros(1), np.zeros(1))
            self._settled[pace] = first.snapshot()
        ride.restore(np.repeat(self._settled[pace], count, axis=0))
        return ride


def load_rider(name_or_file: str | Path) -> Rider:
    """`human`, `alien`, or a YAML or TOML file with a rider definition."""
    if str(name_or_file) in NAMES:
        return _named(str(name_or_file))
    path = Path(name_or_file)
    if path.suffix not in SUFFIXES:
        raise BadInput("rider", str(name_or_file), f"must be {', '.join(NAMES)} or a YAML or TOML file")
    definition = read_rider(path)
    try:
        return Rider(definition)
    except BadInput:
        raise
    except Exception as error:  # engines and solvers fail in many ways on bodies that cannot be
        raise BadInput(f"rider {path}", None, f"cannot be made to ride ({error})") from error


@cache
def _named(name: str) -> Rider:
    return Rider(read_rider(DATA / f"{name}.yaml"))


def identify_rider(cyclist: Cyclist, speeds: np.ndarray) -> list[Identified]:
    """Linear models of rider and machine at `speeds` [m/s]; input: bar torque through the hands [N m].

    Nobody balances meanwhile, so the experiments are short; random nudges, each sequence also reversed.
    """
    ticks = round(TRIAL / balance.TICK)
    nudges = NUDGE * generator(0, "identify").choice([-1.0, 1.0], (ticks, PAIRS))
    answers = np.array([_answers(cyclist, float(speed), nudges) for speed in speeds])
    return fit_with_input(speeds, answers, np.broadcast_to(nudges, (len(speeds), *nudges.shape)))


def _answers(cyclist: Cyclist, speed: float, nudges: np.ndarray) -> np.ndarray:
    """(moments, pairs, 4) what `nudges` (moments − 1, pairs) do to lean, steer and their rates at `speed`."""
    ride = CyclistRide(cyclist, 2 * nudges.shape[1], np.zeros((1, balance.GAIN_COLUMNS)))
    ride.roll_at(speed)
    ride.advance(np.zeros(ride.count), np.full(ride.count, speed), SETTLE)
    steer = cyclist.model.joint(STEER)
    places = (int(steer.qposadr[0]), int(steer.dofadr[0]))
    states = [lean_and_steer(ride.qpos, ride.qvel, *places)]
    for row in nudges:
        ride.wishes[:, balance.NUDGE] = np.concatenate([row, -row])
        ride.tick()
        states.append(lean_and_steer(ride.qpos, ride.qvel, *places))
    answers, pairs = np.array(states), nudges.shape[1]
    return (answers[:, :pairs] - answers[:, pairs:]) / 2


def gain_table(models: list[Identified], definition: RiderDefinition) -> np.ndarray:
    """The regulator by speed, (k, 7), as `balance.command` reads it."""
    rows = []
    for model in models:
        holds = steer_for_lean(definition, model.speed)
        gains = balance.regulator(model.transition, model.effect, definition.control, holds)
        rows.append(np.concatenate([[model.speed], gains]))
    return np.array(rows)


def steer_for_lean(definition: RiderDefinition, speed: float) -> float:
    """Steer [rad] a radian of lean in a steady turn: v²·δ·cos λ / w = g·φ."""
    machine = definition.machine
    return machine.gravity * machine.wheelbase / (speed**2 * math.cos(machine.tilt))
