"""What a scene file may say: its fields, their units and their limits. Whatever else it says is an error."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from .scene import LONGEST

Metres = Annotated[float, Field(ge=-1e7, le=1e7)]  # a place: as far as any map reaches
Aside = Annotated[float, Field(ge=-1000.0, le=1000.0)]
Point = tuple[Metres, Metres]
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
    right: float | None = Field(None, ge=0.0, le=1000.0)
    left: float | None = Field(None, ge=0.0, le=1000.0)
    height: float = Field(0.0, ge=-1e5, le=1e5)
    closed: bool = False
    straight: bool = False


class BodyPart(Part):
    """Plain bodies, one behind the other by `spacing` [m]: on a way from station `at` [m] on, `offset` [m] to
    its left, or at a `place` with a `heading` [rad]; `turn` [rad/s], `drag` [m/s²], `mass` [kg]."""

    kind: str = Field("body", min_length=1, max_length=40)
    size: Size = (4.2, 1.8, 1.5)
    count: int = Field(1, ge=1, le=MOST)
    spacing: float = Field(10.0, ge=0.0, le=1e6)
    way: str | None = None
    at: Metres = 0.0
    offset: Aside = 0.0
    place: Point | None = None
    heading: float = Field(0.0, ge=-1000.0, le=1000.0)
    speed: float = Field(0.0, ge=0.0, le=150.0)
    turn: float = Field(0.0, ge=-10.0, le=10.0)
    drag: float = Field(0.0, ge=0.0, le=50.0)
    mass: float | None = Field(None, gt=0.0, le=1e9)


class TownPart(Part):
    """`grid` (of `columns` by `rows` junctions), `town`, or a town's file; how many vehicles, of which so
    many are `emergency` vehicles, and how many people are in it. `mix` are shares of types of vehicles."""

    name: str
    columns: int | None = Field(None, ge=2, le=100)
    rows: int | None = Field(None, ge=2, le=100)
    vehicles: int = Field(20, ge=0, le=MOST)
    pedestrians: int = Field(0, ge=0, le=MOST)
    emergency: int = Field(0, ge=0, le=MOST)
    mix: dict[str, float] | None = None


class RoutePart(Part):
    """Where to go: along a way or, in a town, on a random `drive` of so many metres or straight on along an
    `avenue`, from a place where nobody is."""

    way: str | None = None
    drive: float | None = Field(None, ge=50.0, le=10_000.0)
    avenue: bool = False


class CyclistPart(RoutePart):
    """Riders in a row, `gap` [m] apart, the last at station `at` [m], `offset` [m] to the left of their way,
    at a `speed` [m/s]; so many of them in `full` physics, the others on the map of their kind."""

    count: int = Field(1, ge=1, le=MOST)
    rider: Literal["human", "alien"] = "human"
    at: float | None = Field(None, ge=0.0, le=1e7)
    offset: Aside | None = None
    gap: float = Field(6.0, ge=2.5, le=1000.0)
    speed: float = Field(6.5, ge=2.0, le=20.0)
    full: int = Field(0, ge=0, le=MOST)


class CarPart(RoutePart):
    """A sliding car with a move tree, on a way or a track from station `at` [m] on; it looks `horizon` frames
    of its tree ahead, with at most so many `nodes`, and is nowhere faster than `top` [m/s]. `car` is a name
    or a file of constants; by default the car that the tree was made for."""

    track: str | None = None
    at: float = Field(8.0, ge=5.0, le=1e7)
    tree: str = "large"
    car: str | None = None
    top: float | None = Field(None, ge=5.0)
    horizon: int = Field(100, ge=1, le=1000)
    nodes: int = Field(2000, ge=1, le=1_000_000)


class SceneFile(Part):
    """A world. `dt` [s] is a frame."""

    name: str = ""
    seconds: float = Field(60.0, gt=0.0, le=LONGEST)
    seed: int = Field(0, ge=0)
    dt: float = Field(0.1, gt=0.0, le=0.25)
    town: TownPart | None = None
    ways: dict[str, WayPart] = {}
    bodies: list[BodyPart] = []
    cyclists: list[CyclistPart] = []
    cars: list[CarPart] = []
