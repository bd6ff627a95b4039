"""Playbooks: files that say when a play applies, who does what in it, and when it ends.

>>> load_playbook("reactive").plays[0].roles[0].tactic
'goalie'
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from swerve.core.errors import BadInput
from swerve.core.scene_file import load

from .conditions import CONDITIONS
from .tactics import TACTICS

DATA = Path(__file__).parent / "data"
ATTACKERS = ("physics", "reactive", "shoot")
NUMBERS = {"block": ("slot",), "mark": ("rank",), "hold": ("x", "y")}  # that a role of a tactic takes
DEFAULTS = {"slot": 0.0, "rank": 1.0}
FEWEST_ROBOTS = 5  # a side, on the smallest field
SPARE = (1.5, -1.5, 2.5, -2.5, 3.5, -3.5)  # slots of robots without a role
LIMITS = {"slot": (-4.0, 4.0), "rank": (1.0, 5.0), "x": (-1.0, 1.0), "y": (-1.0, 1.0)}


def _attacker(word: str) -> str:
    if word not in ATTACKERS:
        raise ValueError(f"must be one of {', '.join(ATTACKERS)}")
    return word


Attacker = Annotated[str, AfterValidator(_attacker)]


class Role(BaseModel):
    """A tactic with its numbers. In a file: `support`, or `block: {slot: -0.5}`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    tactic: str
    numbers: dict[str, float] = {}

    @model_validator(mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"tactic": given}
        if isinstance(given, dict) and "tactic" not in given:
            if len(given) != 1:
                raise ValueError(f"a role is one tactic, not {', '.join(map(str, given)) or 'none'}")
            (tactic, numbers), *_ = given.items()
            return {"tactic": tactic, "numbers": {} if numbers is None else numbers}
        return given

    @model_validator(mode="after")
    def _known(self) -> Role:
        if self.tactic not in TACTICS:
            raise ValueError(f"no tactic {self.tactic!r}; known are {', '.join(TACTICS)}")
        takes = NUMBERS.get(self.tactic, ())
        for name, value in self.numbers.items():
            if name not in takes:
                raise ValueError(f"{self.tactic} takes {', '.join(takes) or 'no numbers'}, not {name}")
            low, high = LIMITS[name]
            if not low <= value <= high:
                raise ValueError(f"{name} of {self.tactic} must be {low:g} to {high:g}, not {value:g}")
            if name == "rank" and value != round(value):
                raise ValueError(f"rank of {self.tactic} must be a whole number, not {value:g}")
        missing = [name for name in takes if name not in self.numbers and name not in DEFAULTS]
        if missing:
            raise ValueError(f"{self.tactic} needs {', '.join(missing)}")
        return self

    def row(self) -> list[float]:
        """The role for kernels: tactic and numbers."""
        numbers = [self.numbers.get(name, DEFAULTS.get(name, 0.0)) for name in NUMBERS.get(self.tactic, ())]
        return [float(TACTICS[self.tactic]), *numbers, *[0.0] * (3 - len(numbers))]


class Play(BaseModel):
    """Roles in order of importance, begun when all of `when` holds, ended when any of `until` does, when
    `when` no longer holds, or after `seconds`. Of plays that apply one is drawn by `weight`; one that applies
    always ends when another does. Its `attacker` goes before the team's."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field(min_length=1)
    when: tuple[str, ...]
    until: tuple[str, ...] = ()
    seconds: float = Field(default=20.0, gt=0, le=1e6)
    weight: float = Field(default=1.0, gt=0, le=1e6)
    attacker: Attacker | None = None
    roles: tuple[Role, ...] = Field(min_length=1, max_length=11)

    @field_validator("when", "until", mode="after")
    @classmethod
    def _conditions(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        for word in words:
            if word.removeprefix("not ") not in CONDITIONS:
                raise ValueError(f"no condition {word!r}; known are {', '.join(CONDITIONS)}")
        return words

    @field_validator("roles", mode="after")
    @classmethod
    def _alone(cls, roles: tuple[Role, ...]) -> tuple[Role, ...]:
        for tactic in ("goalie", "attack"):
            if sum(role.tactic == tactic for role in roles) > 1:
                raise ValueError(f"there is one {tactic} at most")
        if all(role.tactic != "attack" for role in roles[:FEWEST_ROBOTS]):
            raise ValueError(f"one of the first {FEWEST_ROBOTS} must be attack, or nobody goes for the ball")
        return roles

    @property
    def for_all_else(self) -> bool:
        return set(self.when) <= {"always"}

    def table(self, robots: int) -> np.ndarray:
        """(robots, 4) the roles for kernels; robots that are left over block before their area."""
        rows = [role.row() for role in self.roles[:robots]]
        rows += [Role(tactic="block", numbers={"slot": slot}).row() for slot in SPARE[: robots - len(rows)]]
        return np.array(rows)


class Playbook(BaseModel):
    """A team: its plays and how its attacker decides what to do with the ball."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field(min_length=1, max_length=60)
    attacker: Attacker = "physics"
    plays: tuple[Play, ...] = Field(min_length=1, max_length=200)

    @model_validator(mode="after")
    def _told_apart(self) -> Playbook:
        names = [play.name for play in self.plays]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two plays are called {twice!r}")
        return self

    @model_validator(mode="after")
    def _always(self) -> Playbook:
        if not any(play.for_all_else for play in self.plays):
            raise ValueError("needs a play whose when is [always], for all else")
        return self


def names() -> list[str]:
    """Teams that are shipped."""
    return sorted(path.stem for path in DATA.glob("*.yaml"))


def load_playbook(name: str | Path) -> Playbook:
    """A team that is shipped, by its name, or from a file."""
    if str(name) in names():
        return load(DATA / f"{name}.yaml", "team", Playbook)
    if Path(name).suffix.lower() in (".yaml", ".yml", ".toml"):
        return load(name, "team", Playbook)
    raise BadInput("team", str(name), f"must be one of {', '.join(names())} or a .yaml or .toml file")
