"""A rider on paper: the segments, their shapes and densities, the joints between them, and the machine.

Read from YAML and checked on the way in. A segment's frame has its origin in the joint to the segment it
sits on; with all angles at zero every frame is parallel to the bicycle's: x forward, y left, z up. A paired
segment is written down for the left side and mirrored for the right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from swerve.core.errors import BadInput
from swerve.core.scene_file import FileName, check, read_mapping

from . import shapes as solids
from .whipple import BicycleParameters

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,39}")  # of a rider: files are named after it
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Triple = tuple[float, float, float]
Sizes = tuple[Positive, Positive, Positive]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Capsule(_Part):
    shape: Literal["capsule"]
    start: Triple = (0.0, 0.0, 0.0)  # [m]
    end: Triple
    radius: Positive  # [m]
    density: Positive  # [kg/m³]

    def solid(self) -> solids.Solid:
        return solids.capsule(np.array(self.start), np.array(self.end), self.radius, self.density)

    def mirrored(self) -> Capsule:
        return self.model_copy(update={"start": mirror(self.start), "end": mirror(self.end)})

    def geom(self) -> str:
        return f'type="capsule" fromto="{numbers(self.start)} {numbers(self.end)}" size="{self.radius}"'


class Ellipsoid(_Part):
    shape: Literal["ellipsoid"]
    centre: Triple = (0.0, 0.0, 0.0)  # [m]
    radii: Sizes  # [m]
    density: Positive  # [kg/m³]

    def solid(self) -> solids.Solid:
        return solids.ellipsoid(np.array(self.centre), np.array(self.radii), self.density)

    def mirrored(self) -> Ellipsoid:
        return self.model_copy(update={"centre": mirror(self.centre)})

    def geom(self) -> str:
        return f'type="ellipsoid" pos="{numbers(self.centre)}" size="{numbers(self.radii)}"'


class Box(_Part):
    shape: Literal["box"]
    centre: Triple = (0.0, 0.0, 0.0)  # [m]
    halves: Sizes  # [m]
    density: Positive  # [kg/m³]

    def solid(self) -> solids.Solid:
        return solids.box(np.array(self.centre), np.array(self.halves), self.density)

    def mirrored(self) -> Box:
        return self.model_copy(update={"centre": mirror(self.centre)})

    def geom(self) -> str:
        return f'type="box" pos="{numbers(self.centre)}" size="{numbers(self.halves)}"'


Shape = Annotated[Capsule | Ellipsoid | Box, Field(discriminator="shape")]


class Segment(_Part):
    name: str
    parent: str  # the segment it sits on, or `saddle`
    at: Triple = (0.0, 0.0, 0.0)  # [m] the joint, in the frame of what it sits on
    joint: str = ""
    axes: Annotated[str, Field(pattern="^[xyz]{0,3}$")] = ""  # of the hinges, in turn
    rest: tuple[float, ...] = ()  # [rad] one an axis: where the joint would like to be
    stiffness: NotNegative = 0.0  # [N m/rad] of the joint's controller
    damping: NotNegative = 0.0  # [N m s/rad]
    strength: Positive | None = None  # [N m] most that the joint exerts about each axis
    reach: tuple[tuple[float, float], ...] = ()  # [rad] one pair an axis: how far the joint goes
    paired: bool = False
    shapes: Annotated[tuple[Shape, ...], Field(min_length=1)]
    tip: Triple | None = None  # [m] where a hand grips or a foot presses
    grips: Literal["bar", "pedal"] | None = None

    @model_validator(mode="after")
    def _whole(self) -> Segment:
        if self.axes and not self.joint:
            raise ValueError(f"segment {self.name} has axes and needs a joint's name")
        if len(self.rest) != len(self.axes):
            raise ValueError(f"segment {self.name} needs one rest angle an axis")
        if self.axes and not (self.stiffness > 0 and self.damping > 0):
            raise ValueError(f"segment {self.name} needs a stiffness and a damping above zero")
        if self.reach and len(self.reach) != len(self.axes):
            raise ValueError(f"segment {self.name} needs one pair of reach an axis, or none")
        for low, high in self.reach:
            if not low < high:
                raise ValueError(f"segment {self.name} has a reach from {low:g} to {high:g}, which is none")
        if (self.tip is None) != (self.grips is None):
            raise ValueError(f"segment {self.name} needs both tip and grips, or neither")
        return self

    def solid(self) -> solids.Solid:
        """Mass, middle and moments of all its shapes, in its own frame."""
        parts = [shape.solid() for shape in self.shapes]
        return sum(parts[1:], parts[0])

    def sides(self) -> tuple[Segment, ...]:
        """Itself, or its left and right versions."""
        if not self.paired:
            return (self,)
        return self._side("left", self), self._side("right", self._mirrored())

    def _side(self, side: str, segment: Segment) -> Segment:
        return segment.model_copy(
            update={"name": f"{side} {self.name}", "joint": f"{side} {self.joint}", "paired": False}
        )

    def _mirrored(self) -> Segment:
        """Angles about x and z change their sign, so that equal postures look alike on both sides."""
        return self.model_copy(
            update={
                "at": mirror(self.at),
                "tip": None if self.tip is None else mirror(self.tip),
                "shapes": tuple(shape.mirrored() for shape in self.shapes),
                "rest": tuple(
                    value if axis == "y" else -value for axis, value in zip(self.axes, self.rest, strict=True)
                ),
                "reach": tuple(
                    pair if axis == "y" else (-pair[1], -pair[0])
                    for axis, pair in zip(self.axes, self.reach, strict=False)
                ),
            }
        )


class Fittings(_Part):
    """Where rider and machine meet, from the point on the ground below the rear axle, x forward, z up [m]."""

    saddle: tuple[float, float]  # x, z
    saddle_stiffness: Positive = 20000.0  # [N m/rad] of the pelvis on it
    saddle_damping: Positive = 400.0  # [N m s/rad]
    axle: tuple[float, float]  # x, z of the crank's axle
    crank: Positive  # length of a crank arm
    pedal: Positive  # distance of a pedal from the middle plane
    crank_mass: Positive = 1.2  # [kg] cranks, pedals and chainring
    gear: Positive  # turns of the rear wheel for one of the crank
    bar: Triple  # x, distance of a grip from the middle plane, z


class Control(_Part):
    """What the rider wants and is able to do."""

    turning: Positive  # [1/s] yaw rate wanted for a small heading error, per radian
    leaning: Positive  # [rad/s] how fast the wanted lean may change
    lean_slack: Positive = 0.05  # [rad] these four: deviations that are equally bad,
    steer_slack: Positive = 0.2  # [rad]
    lean_rate_slack: Positive = 0.5  # [rad/s]
    steer_rate_slack: Positive = 2.0  # [rad/s]
    torque_slack: Positive = 10.0  # [N m] and the torque that is as bad as each of them
    bar_torque: Positive = 60.0  # [N m] most that the hands exert
    crank_torque: Positive = 120.0  # [N m] most that the feet exert, over a turn
    power: Positive = 680.0  # [W] most that the legs give
    braking: Annotated[float, Field(gt=0, le=6)] = (
        4.0  # [m/s²] most that brakes give; at 6 one goes over the bar
    )
    pace: Positive = 1.0  # [1/s] acceleration for a speed error of 1 m/s
    drag: NotNegative = 0.19  # [kg/m] air: force is drag·v²


class RiderDefinition(_Part):
    name: FileName
    speed: Positive  # [m/s]
    speeds: tuple[Positive, Positive] | None = None  # [m/s] slowest and fastest that it rides at
    turns: tuple[float, float]  # [rad] range of turn commands
    bicycle: dict[str, float]  # fields of `BicycleParameters` for the machine alone
    fittings: Fittings
    control: Control
    segments: Annotated[tuple[Segment, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _whole(self) -> RiderDefinition:
        if not -math.pi < self.turns[0] < 0 < self.turns[1] < math.pi:
            raise ValueError("turns must reach from below to above zero, within half a turn")
        if not NAME.fullmatch(self.name):
            raise ValueError("name must be letters, digits, spaces, - and _, at most 40")
        low, high = self.range_of_speeds
        if not low <= self.speed <= high:
            raise ValueError(f"speed {self.speed:g} must lie within speeds, {low:g} to {high:g}")
        names = {"saddle": False}
        for segment in self.segments:
            if segment.name in names:
                raise ValueError(f"segment {segment.name} occurs twice")
            if segment.parent not in names:
                raise ValueError(f"segment {segment.name} sits on {segment.parent}, which is not above it")
            if names[segment.parent] and not segment.paired:
                raise ValueError(f"segment {segment.name} sits on a pair and must be paired")
            names[segment.name] = segment.paired
        if [s.parent for s in self.segments].count("saddle") != 1 or self.segments[0].axes:
            raise ValueError("exactly one segment, the first and without axes, sits on the saddle")
        for place in ("bar", "pedal"):
            if [s.paired for s in self.segments if s.grips == place] != [True]:
                raise ValueError(f"one pair of segments must grip the {place}")
        return self

    @property
    def range_of_speeds(self) -> tuple[float, float]:
        """Slowest and fastest [m/s]; by default 0.6 and 1.2 of the nominal speed."""
        return self.speeds or (0.6 * self.speed, 1.2 * self.speed)

    @property
    def machine(self) -> BicycleParameters:
        """The machine without its rider."""
        return BicycleParameters(**self.bicycle)

    def limbs(self) -> tuple[Segment, ...]:
        """All segments, pairs as two."""
        found: list[Segment] = []
        paired = {s.name for s in self.segments if s.paired}
        for segment in self.segments:
            for limb in segment.sides():
                side = limb.name.split()[0]
                parent = f"{side} {segment.parent}" if segment.parent in paired else segment.parent
                found.append(limb.model_copy(update={"parent": parent}))
        return tuple(found)

    @property
    def mass(self) -> float:
        """Of the rider alone [kg]."""
        return sum(limb.solid().mass for limb in self.limbs())

    @property
    def freedoms(self) -> int:
        """Controlled degrees of freedom."""
        return sum(len(limb.axes) for limb in self.limbs())


@dataclass(frozen=True)
class Hinge:
    """One controlled degree of freedom."""

    name: str
    rest: float  # [rad]
    stiffness: float
    damping: float
    strength: float | None = None  # [N m]
    reach: tuple[float, float] | None = None  # [rad]


def hinges(limb: Segment) -> list[Hinge]:
    names = [limb.joint if len(limb.axes) == 1 else f"{limb.joint} {axis}" for axis in limb.axes]
    reach = limb.reach or (None,) * len(names)
    return [
        Hinge(name, rest, limb.stiffness, limb.damping, limb.strength, ends)
        for name, rest, ends in zip(names, limb.rest, reach, strict=True)
    ]


def read_rider(path: str | Path) -> RiderDefinition:
    """The rider described in a YAML or TOML file."""
    return define_rider(read_mapping(path, "rider"), f"rider {path}")


def define_rider(given: object, what: str = "rider") -> RiderDefinition:
    """A checked definition from plain values; `what` names their place in an error."""
    rider = check(given, what, RiderDefinition)
    try:
        _ = rider.machine
    except TypeError as error:
        known = set(BicycleParameters.__dataclass_fields__)
        unknown = sorted(set(rider.bicycle) - known)
        raise BadInput(f"{what}, bicycle", unknown, "unknown fields") from error
    except BadInput as error:
        raise BadInput(what, None, str(error)) from error
    return rider


def mirror(point: Triple) -> Triple:
    return point[0], -point[1], point[2]


def numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:.12g}" for value in values)
