"""The one answer of every planner: a motion with named columns, checked on making, with a file form.

    plan = solve(load_domain("navigation"), seed=1)
    plan["x"], plan["robot.fx"]
    plan.save("way.parquet")
    Plan.load("way.parquet")

In a file a row is a time: `t`, the states, and the controls, which are empty in the last row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .columns import numbers
from .errors import BadInput, require
from .files import existing, replacing, to_json
from .untrusted import parse_json, read_parquet

POSE = ("x", "y", "heading")
_KEY = b"swerve plan"  # of the metadata; recordings have another
_FIELDS = ("status", "cost", "stats", "columns", "control_columns", "meta")


class Status(Enum):
    """How planning ended, in words."""

    SOLVED = "reached the goal"
    HORIZON = "best way found up to the planning horizon"
    LIMIT = "the limit of the search was reached; this is the best way found so far"
    RAN = "as it went, without a goal"
    STUCK = "every way forward is blocked"
    UNFINISHED = "the limit of the search was reached before any way was found"
    INFEASIBLE = "no motion satisfies the constraints"

    @property
    def usable(self) -> bool:
        """Whether there is a motion to follow."""
        return self in (Status.SOLVED, Status.HORIZON, Status.LIMIT, Status.RAN)


@dataclass(frozen=True)
class Plan:
    """A motion that a planner chose, and what the choice cost.

    `times` (n,) [s], rising; `states` (n, d) with the columns named in `columns`, which hold x, y [m] and
    heading [rad] where there is a body; `controls` (n − 1, c) named in `control_columns`, each held from its
    time to the next. `cost` is in the planner's own measure, `stats` what the search did, `meta` where the
    plan came from and how to draw it: `scene, command, seed, version, wing`, `kind` and `size` of the body,
    `units` of columns, `lines` and `areas` as in recordings. Arrays are float64 and cannot be written to.

    >>> times, states = np.array([0.0, 0.5]), np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> plan = Plan(Status.SOLVED, times, states, ("x", "y", "heading"), np.array([[2.0]]), ("speed",))
    >>> plan["x"].tolist(), plan["speed"].tolist(), plan.duration
    ([0.0, 1.0], [2.0], 0.5)
    """

    status: Status
    times: np.ndarray
    states: np.ndarray
    columns: tuple[str, ...]
    controls: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    control_columns: tuple[str, ...] = ()
    cost: float = np.nan
    stats: Mapping[str, Any] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("times", "states", "controls"):
            object.__setattr__(self, name, _numbers(name, getattr(self, name)))
        for name in ("columns", "control_columns"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.control_columns and not self.controls.size:  # none are given
            object.__setattr__(self, "controls", np.zeros((max(self.times.size - 1, 0), 0)))
        self._check(self.times.size)

    def _check(self, n: int) -> None:
        require(isinstance(self.status, Status), "plan, status", self.status, "must be a Status")
        require(self.times.ndim == 1, "plan, times", self.times.shape, "must be of shape (n,)")
        self._finite("times", self.times)
        rises = self.times[1:] > self.times[:-1]
        if not rises.all():
            still = int(np.argmin(rises)) + 1
            raise BadInput(f"plan, times[{still}]", [float(self.times[still])], "must rise")
        for name, rows, columns in (
            ("states", n, self.columns),
            ("controls", max(n - 1, 0), self.control_columns),
        ):
            got, wanted = getattr(self, name).shape, (rows, len(columns))
            require(got == wanted, f"plan, {name}", got, f"must be of shape {wanted}")
        names = ["t", *self.columns, *self.control_columns]
        for name in names:
            require(isinstance(name, str) and name != "", "plan, columns", name, "must be words")
        twice = [name for name, count in Counter(names).items() if count > 1]
        require(not twice, "plan, columns", twice, "must all differ (t is the time)")
        lacking = [name for name in POSE if name not in self.columns]
        require(len(lacking) in (0, 3), "plan, columns", lacking, "must hold x, y and heading; lacks")
        for name in POSE if not lacking else ():
            self._finite(name, self.states[:, self.columns.index(name)])

    def _finite(self, name: str, values: np.ndarray) -> None:
        fine = np.isfinite(values)
        if not fine.all():
            raise BadInput(f"plan, {name}", values[~fine][:1].tolist(), "must be finite")

    @property
    def solved(self) -> bool:
        return self.status is Status.SOLVED

    @property
    def duration(self) -> float:
        """Seconds from the first state to the last."""
        return float(self.times[-1] - self.times[0]) if len(self.times) else 0.0

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, column: str) -> np.ndarray:
        """A column: a state (n,), a control (n − 1,), or `t`."""
        if column in self.columns:
            return self.states[:, self.columns.index(column)]
        if column in self.control_columns:
            return self.controls[:, self.control_columns.index(column)]
        if column == "t":
            return self.times
        known = ", ".join(("t", *self.columns, *self.control_columns))
        raise BadInput("plan, column", column, f"must be one of {known}")

    def __contains__(self, column: object) -> bool:
        return column == "t" or column in self.columns or column in self.control_columns

    def with_meta(self, **more: Any) -> Self:
        """The same plan with more said about where it came from."""
        return replace(self, meta={**self.meta, **more})

    def save(self, path: str | Path) -> Path:
        """Write it as Parquet."""
        n = len(self)
        arrays = {name: numbers(self[name]) for name in ("t", *self.columns)}
        for name in self.control_columns:
            held = np.append(self[name], np.nan)[:n]
            arrays[name] = numbers(held, known=np.arange(n) < n - 1)
        about = {
            "status": self.status.name,
            "cost": self.cost if np.isfinite(self.cost) else str(self.cost),
            "stats": dict(self.stats),
            "columns": self.columns,
            "control_columns": self.control_columns,
            "meta": dict(self.meta),
        }
        table = pa.table(arrays).replace_schema_metadata({_KEY: to_json(about)})
        with replacing(path) as draft:
            pq.write_table(table, draft, compression="zstd")
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan; a file that is none, or is damaged, is refused with a line that says why."""
        path = existing(path, "plan")
        try:
            table = read_parquet(path)
            text = (table.schema.metadata or {}).get(_KEY)
            if text is None:
                raise BadInput(f"plan {path}", None, "holds no plan")
            about = parse_json(text)
            require(isinstance(about, dict), f"plan {path}, metadata", None, "must be an object")
            lacking = [name for name in _FIELDS if name not in about]
            require(not lacking, f"plan {path}, metadata", lacking, "lacks")
            return _from_table(table, about)
        except BadInput as error:
            raise error if str(path) in str(error) else BadInput(f"plan {path}", None, str(error)) from error
        except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
            raise BadInput(f"plan {path}", None, f"is not a readable plan ({error})") from error


def is_plan(path: str | Path) -> bool:
    """Whether a file says of itself that it is a plan; False for whatever cannot be read."""
    try:
        return _KEY in (pq.read_schema(existing(path)).metadata or {})
    except (pa.ArrowException, OSError, ValueError):  # also names of columns that are no text
        return False


def _from_table(table: pa.Table, about: dict[str, Any]) -> Plan:
    columns, controls = tuple(about["columns"]), tuple(about["control_columns"])
    n = table.num_rows
    missing = [name for name in ("t", *columns, *controls) if name not in table.column_names]
    require(not missing, "plan", missing, "lacks columns")

    def matrix(names: tuple[str, ...], rows: int) -> np.ndarray:
        found = np.empty((rows, len(names)))
        for k, name in enumerate(names):
            part = table[name].slice(0, rows)
            require(part.null_count == 0, f"column {name}", None, "has rows without a value")
            require(pa.types.is_float64(part.type), f"column {name}", str(part.type), "must be double")
            found[:, k] = part.to_numpy()
        return found

    require(about["status"] in Status.__members__, "status", about["status"], "is none of a plan's")
    for name in ("stats", "meta"):
        require(isinstance(about[name], dict), name, about[name], "must be an object")
    return Plan(
        Status[about["status"]],
        matrix(("t",), n)[:, 0],
        matrix(columns, n),
        columns,
        matrix(controls, max(n - 1, 0)),
        controls,
        float(about["cost"]),
        about["stats"],
        about["meta"],
    )


def _numbers(name: str, values: Any) -> np.ndarray:
    """The values as float64 that cannot be written to."""
    try:
        kept = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(f"plan, {name}", None, f"must hold numbers ({error})") from error
    kept.flags.writeable = False
    return kept
