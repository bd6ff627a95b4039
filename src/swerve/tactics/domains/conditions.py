"""Conditions and evaluations of domain files: what a state must be like, and how good it is, in plain words.

A condition is a mapping of one thing that must hold, or `all`, `any` and `not` of others:

{body: ball, inside: [2, -0.5, 3, 0.5]}    {body: ball, near: robot, within: 0.2}
{body: ball, slower: 0.05}                 {body: ball, faster: 1.0}
{body: ball, below: 0.0}                   {body: ball, above: 0.3}
{touching: [robot, wall]}                  {after: 2.5}                   {not: {touching: [robot, wall]}}

An evaluation is a sum of terms, each with a weight: a distance [m], a speed [m/s] or the time [s].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from ..scene import Scene

SPEED_COUNTS = 0.1  # [m] that a speed of 1 m/s too much or too little counts
UNMEASURED = 0.1  # [m] that a collision, or the time, counts
Pair = tuple[str, str]
Point = tuple[FiniteFloat, FiniteFloat]


def _ordered_box(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    if not (box[0] < box[2] and box[1] < box[3]):
        raise ValueError("must be x0, y0, x1, y1 with x0 < x1 and y0 < y1")
    return box


Box = Annotated[tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat], AfterValidator(_ordered_box)]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Condition(Part):
    """Exactly one of the fields but `body` and `within`, which go with some of them."""

    body: str | None = None
    inside: Box | None = None
    near: str | Point | None = None
    within: Annotated[FiniteFloat, Field(gt=0)] | None = None
    slower: Annotated[FiniteFloat, Field(gt=0)] | None = None
    faster: Annotated[FiniteFloat, Field(ge=0)] | None = None
    below: FiniteFloat | None = None
    above: FiniteFloat | None = None
    touching: Pair | None = None
    after: FiniteFloat | None = None
    every: list[Condition] | None = Field(None, alias="all", min_length=1)
    some: list[Condition] | None = Field(None, alias="any", min_length=1)
    none: Condition | None = Field(None, alias="not")

    @model_validator(mode="after")
    def _one(self) -> Condition:
        of_a_body = ("inside", "near", "slower", "faster", "below", "above")
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        chosen = [name for name in given if name not in ("body", "within")]
        if len(chosen) != 1:
            raise ValueError(f"must say one thing that holds, not {len(chosen)}")
        if (chosen[0] in of_a_body) != (self.body is not None):
            raise ValueError(f"{chosen[0]} {'needs a' if chosen[0] in of_a_body else 'has no'} body")
        if (chosen[0] == "near") != (self.within is not None):
            raise ValueError("near and within belong together")
        return self

    def parts(self) -> Iterator[Condition]:
        """This and all conditions within."""
        yield self
        for part in (*(self.every or ()), *(self.some or ()), *([self.none] if self.none else [])):
            yield from part.parts()

    def bodies(self) -> Iterator[str]:
        """Names of all bodies that this is about."""
        for part in self.parts():
            names = (part.body, part.near, *(part.touching or ()))
            yield from (name for name in names if isinstance(name, str))

    def pairs(self) -> Iterator[Pair]:
        """Pairs whose collisions must be watched."""
        yield from (part.touching for part in self.parts() if part.touching)

    def speeds(self) -> Iterator[str]:
        """Names of the bodies whose speed is asked for."""
        yield from (
            part.body or "" for part in self.parts() if part.slower is not None or part.faster is not None
        )

    def places(self) -> Iterator[str]:
        """Names of the bodies that are asked where they are, by themselves."""
        for part in self.parts():
            if any(asked is not None for asked in (part.inside, part.below, part.above)):
                yield part.body or ""

    def holds(self, scene: Scene) -> np.ndarray:
        """(b,) booleans."""
        if self.every is not None:
            return np.all([part.holds(scene) for part in self.every], axis=0)
        if self.some is not None:
            return np.any([part.holds(scene) for part in self.some], axis=0)
        if self.none is not None:
            return ~self.none.holds(scene)
        if self.touching is not None:
            return scene.touching(*self.touching)
        if self.after is not None:
            return np.asarray(scene.time >= self.after)
        body = self.body or ""
        if self.inside is not None:
            return scene.inside(body, self.inside)
        if self.near is not None:
            return np.asarray(distance(scene, body, self.near) < self.within)
        if self.slower is not None:
            return np.asarray(scene.speed(body) < self.slower)
        if self.faster is not None:
            return np.asarray(scene.speed(body) > self.faster)
        height = scene.position(body)[:, 2]
        return np.asarray(height < self.below if self.below is not None else height > self.above)

    def lack(self, scene: Scene) -> np.ndarray:
        """(b,) how far states are from where this holds [m], zero where it does. Speeds count a little;
        what cannot be measured counts the same however much is missing."""
        if self.every is not None:
            return np.sum([part.lack(scene) for part in self.every], axis=0)
        if self.some is not None:
            return np.min([part.lack(scene) for part in self.some], axis=0)
        body = self.body or ""
        if self.inside is not None:
            x0, y0, x1, y1 = self.inside
            off = np.maximum(np.array([x0, y0]) - scene.xy(body), scene.xy(body) - np.array([x1, y1]))
            return np.asarray(np.linalg.norm(np.maximum(off, 0.0), axis=1))
        if self.near is not None:
            return np.maximum(distance(scene, body, self.near) - (self.within or 0.0), 0.0)
        if self.slower is not None:
            return SPEED_COUNTS * np.maximum(scene.speed(body) - self.slower, 0.0)
        if self.faster is not None:
            return SPEED_COUNTS * np.maximum(self.faster - scene.speed(body), 0.0)
        if self.below is not None:
            return np.maximum(scene.position(body)[:, 2] - self.below, 0.0)
        if self.above is not None:
            return np.maximum(self.above - scene.position(body)[:, 2], 0.0)
        return np.where(self.holds(scene), 0.0, UNMEASURED)


class Transition(Part):
    """A weight that depends on the state."""

    when: Condition
    weight: Annotated[FiniteFloat, Field(ge=0)] = 1.0
    otherwise: Annotated[FiniteFloat, Field(ge=0)] = 0.0

    def weigh(self, scene: Scene) -> np.ndarray:
        return np.where(self.when.holds(scene), self.weight, self.otherwise)


class Term(Part):
    """One of the three, and its weight."""

    distance: tuple[str, str | Point] | None = None
    speed: str | None = None
    time: bool = False
    weight: FiniteFloat = 1.0

    @model_validator(mode="after")
    def _one(self) -> Term:
        if (self.distance is not None) + (self.speed is not None) + self.time != 1:
            raise ValueError("must be of a distance, a speed or the time")
        return self

    def bodies(self) -> Iterator[str]:
        yield from (name for name in (*(self.distance or ()), self.speed) if isinstance(name, str))

    def value(self, scene: Scene) -> np.ndarray:
        if self.distance is not None:
            return self.weight * distance(scene, *self.distance)
        return self.weight * (scene.time if self.speed is None else scene.speed(self.speed))


def evaluation(terms: list[Term]) -> Callable[[Scene], np.ndarray]:
    """The sum of all terms, (b,)."""

    def evaluate(scene: Scene) -> np.ndarray:
        return np.sum([term.value(scene) for term in terms], axis=0)

    return evaluate


def distance(scene: Scene, body: str, to: str | Point) -> np.ndarray:
    """(b,) seen from above, to a body or a point."""
    return scene.distance(body, to if isinstance(to, str) else np.tile(np.array(to), (len(scene), 1)))
