"""Scenario files: who is there, who drives, what happens when. YAML or TOML; unknown keys are errors.

name: the car ahead brakes
driver:
  at: {x: 20, y: 1.75}
  speed: 10
  inputs: {script: {speed: 12, reaction: 1.0}}
characters:
  lead: {kind: wheeled, at: {ahead_of: driver, gap: 15}, speed: 10}
events:
  - name: lead brakes
    when: {time: 5}
    do:
      - brake: {character: lead, deceleration: 6}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from swerve.core.scene_file import load

Who = str | int  # a name of the scenario, or the id of any character


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _one_of(part: BaseModel, names: tuple[str, ...], what: str) -> None:
    given = [name for name in names if getattr(part, name) is not None]
    if len(given) != 1:
        raise ValueError(f"{what} needs exactly one of {', '.join(names)}, got {', '.join(given) or 'none'}")


class Place(_Part):
    """A place: x, y [m] (vehicles: on the nearest lane), or strip and station, or relative to a character
    along its way. `lateral` [m] counts to the left, `gap` [m] from bumper to bumper, negative behind."""

    x: float | None = None
    y: float | None = None
    strip: int | None = None
    station: float = 0.0
    ahead_of: Who | None = None
    gap: float = 20.0
    lateral: float = 0.0

    @model_validator(mode="after")
    def _check(self) -> Place:
        _one_of(self, ("x", "strip", "ahead_of"), "a place")
        if (self.x is None) != (self.y is None):
            raise ValueError("a place with x needs y, and with y needs x")
        return self


class Script(_Part):
    """A driver in code, see `ScriptedDriver`."""

    speed: float = Field(14.0, gt=0)
    reaction: float = Field(1.0, ge=0, le=5)
    headway: float = Field(1.5, gt=0)
    acceleration: float = Field(1.5, gt=0)
    braking: float = Field(2.0, gt=0)


class InputSource(_Part):
    """Where wheel and pedals come from: a CSV file beside the scenario, a script, or live (a person)."""

    file: str | None = None
    script: Script | None = None
    live: Literal[True] | None = None

    @model_validator(mode="after")
    def _check(self) -> InputSource:
        _one_of(self, ("file", "script", "live"), "inputs")
        return self


class Driver(_Part):
    """The car that is driven from outside."""

    at: Place
    speed: float = Field(0.0, ge=0)
    car: str = "bicycle"
    type: Literal["mini", "sedan", "suv", "ambulance"] = "sedan"  # an ambulance comes with its siren on
    inputs: InputSource = Field(default_factory=lambda: InputSource.model_validate({"script": {}}))


class Character(_Part):
    """Someone of the scenario; there from the start unless an event spawns them."""

    kind: Literal["wheeled", "person"] = "wheeled"
    at: Place
    speed: float = Field(0.0, ge=0)
    turn: Literal["straight", "left", "right"] = "straight"
    attributes: dict[str, Any] = {}


class Near(_Part):
    """True when the character's middle is within `within` [m] of the place."""

    character: Who = "driver"
    at: Place
    within: float = Field(gt=0)


class Apart(_Part):
    """True when the middles of two characters are at most `below` [m] apart."""

    between: tuple[Who, Who]
    below: float = Field(gt=0)


class After(_Part):
    event: str
    seconds: float = Field(ge=0)


class When(_Part):
    """One condition: a time [s], a place, a distance, or some time after another event."""

    time: float | None = Field(None, ge=0)
    place: Near | None = None
    distance: Apart | None = None
    after: After | None = None

    @model_validator(mode="after")
    def _check(self) -> When:
        _one_of(self, ("time", "place", "distance", "after"), "when")
        return self


class SetAttribute(_Part):
    character: Who
    attribute: str
    value: Any


class Brake(_Part):
    """A vehicle slows to a speed [m/s] as hard as told [m/s²]; after some seconds it may go on."""

    character: Who
    deceleration: float = Field(6.0, ge=0.5, le=6)
    to: float = Field(0.0, ge=0)
    seconds: float | None = Field(None, gt=0)


class Siren(_Part):
    character: Who
    on: bool = True

    @model_validator(mode="before")
    @classmethod
    def _read_on(cls, given: Any) -> Any:
        """YAML reads the word `on` as true, also where it is a name."""
        if isinstance(given, dict) and True in given:
            return {"on" if name is True else name: value for name, value in given.items()}
        return given


class Walk(_Part):
    """A person of the scenario walks: to x, y, or `across` [m] the road, towards the left of the
    nearest lane's direction (negative: to the right)."""

    character: str
    across: float | None = None
    to: tuple[float, float] | None = None
    speed: float = Field(1.5, gt=0, le=12)

    @model_validator(mode="after")
    def _check(self) -> Walk:
        _one_of(self, ("across", "to"), "walk")
        return self


class Action(_Part):
    """One thing that happens."""

    spawn: str | None = None
    set: SetAttribute | None = None
    brake: Brake | None = None
    siren: Siren | None = None
    walk: Walk | None = None
    mark: str | None = None

    @model_validator(mode="after")
    def _check(self) -> Action:
        _one_of(self, ("spawn", "set", "brake", "siren", "walk", "mark"), "an action")
        return self


class Event(_Part):
    """Something that happens once, when its condition first holds.

    A stimulus is something the driver should react to: by braking, by letting go of the throttle, by steering
    or by any of these, within some seconds. What does nothing, or only marks, is none unless told.
    """

    name: str
    when: When
    do: list[Action] = []
    stimulus: bool = True
    expect: Literal["brake", "release", "steer", "any"] = "brake"
    within: float = Field(5.0, gt=0)

    @model_validator(mode="after")
    def _tell_marks(self) -> Event:
        if "stimulus" not in self.model_fields_set:
            self.stimulus = any(action.mark is None for action in self.do)
        return self


class Scenario(_Part):
    """A whole scenario file."""

    name: str = ""
    driver: Driver | None = None
    characters: dict[str, Character] = {}
    events: list[Event] = []

    @model_validator(mode="after")
    def _check(self) -> Scenario:
        if "driver" in self.characters:
            raise ValueError("characters: driver is the name of the driven car")
        names = [event.name for event in self.events]
        if len(set(names)) < len(names):
            raise ValueError(f"events: {next(n for n in names if names.count(n) > 1)!r} is there twice")
        for where, who in self._mentioned():
            known = who in self.characters or (who == "driver" and self.driver is not None)
            if isinstance(who, str) and not known:
                raise ValueError(f"{where}: there is no character {who!r}")
        for event in self.events:
            if event.when.after and event.when.after.event not in names:
                raise ValueError(f"event {event.name!r}: there is no event {event.when.after.event!r}")
        return self

    def _mentioned(self) -> list[tuple[str, Who]]:
        """Every character that is spoken of, and where."""
        found: list[tuple[str, Who | None]] = []
        for name, character in self.characters.items():
            found.append((f"character {name!r}", character.at.ahead_of))
        for event in self.events:
            where = f"event {event.name!r}"
            if event.when.place:
                found += [(where, event.when.place.character), (where, event.when.place.at.ahead_of)]
            if event.when.distance:
                found += [(where, who) for who in event.when.distance.between]
            for action in event.do:
                found.append((where, action.spawn))
                for part in (action.set, action.brake, action.siren, action.walk):
                    found.append((where, part.character if part is not None else None))
        return [(where, who) for where, who in found if who is not None]

    @property
    def spawned_later(self) -> set[str]:
        """Names of the characters that an event brings in."""
        return {action.spawn for event in self.events for action in event.do if action.spawn is not None}


def load_scenario(path: str | Path) -> Scenario:
    """Read a scenario file; what cannot be used is refused with a line that names the field."""
    return load(path, "scenario", Scenario)
