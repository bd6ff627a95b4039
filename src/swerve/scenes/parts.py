"""What a scene file may say: its fields, their units and their limits. Whatever else it says is an error."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from .scene import LONGEST

Point = tuple[float, float]
Length = Annotated[float, Field(gt=0.0, le=1000.0)]
Size = tuple[Length, Length, Length]
MOST = 10_000  # bodies of a batch


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class WayPart(Part):
    """A line through points [m], with the width of its road [m]; `right` and `left` where they differ. It
    bends smoothly unless `straight` is asked for between the points."""

    points: list[Point] = Field(min_length=2)
    width: float = Field(7.0, gt=0.0, le=1000.0)
    right: float | None = Field(None, ge=0.0)
    left: float | None = Field(None, ge=0.0)
    height: float = 0.0
    closed: bool = False
    straight: bool = False


class BodyPart(Part):
    """Plain bodies, one behind the other by `spacing` [m]: on a way from station `at` [m] on, `offset` [m] to
    its left, or at a `place` with a `heading` [rad]; `turn` [rad/s], `drag` [m/s²], `mass` [kg]."""

    kind: str = Field("body", min_length=1, max_length=40)
    size: Size = (4.2, 1.8, 1.5)
    count: int = Field(1, ge=1, le=MOST)
    spacing: float = Field(10.0, ge=0.0)
    way: str | None = None
    at: float = 0.0
    offset: float = 0.0
    place: Point | None = None
    heading: float = 0.0
    speed: float = Field(0.0, ge=0.0, le=150.0)
    turn: float = Field(0.0, ge=-10.0, le=10.0)
    drag: float = Field(0.0, ge=0.0, le=50.0)
    mass: float | None = Field(None, gt=0.0)


class CarPart(Part):
    """A sliding car with a move tree, on a way or a track from station `at` [m] on; it looks `horizon` frames
    of its tree ahead, with at most so many `nodes`."""

    way: str | None = None
    track: str | None = None
    at: float = Field(8.0, ge=0.0)
    tree: str = "large"
    horizon: int = Field(100, ge=1, le=1000)
    nodes: int = Field(2000, ge=1, le=1_000_000)


class SceneFile(Part):
    """A world. `dt` [s] is a frame."""

    name: str = ""
    seconds: float = Field(60.0, gt=0.0, le=LONGEST)
    seed: int = Field(0, ge=0)
    dt: float = Field(0.1, gt=0.0, le=0.25)
    ways: dict[str, WayPart] = {}
    bodies: list[BodyPart] = []
    cars: list[CarPart] = []
