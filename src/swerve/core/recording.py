"""A recording: one row a body a frame, in a Parquet file. Every picture and table is made from it.

Metres, seconds, radians; x east, y north, z up; heading counter-clockwise from +x. Attitude is the body's
own: pitch on a grade, roll on a bank, lean in a turn. Parts of a body (limbs, wheels) are rows with a
`parent`; lights are rows of kind `light` with a `state`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from . import attitude
from .columns import numbers, words
from .errors import BadInput
from .files import existing, replacing, to_json
from .untrusted import parse_json, read_parquet

REQUIRED = {
    "t": np.float64,
    "id": np.int32,
    "kind": object,
    "x": np.float64,
    "y": np.float64,
    "z": np.float64,
    "qw": np.float32,
    "qx": np.float32,
    "qy": np.float32,
    "qz": np.float32,
    "vx": np.float32,
    "vy": np.float32,
    "vz": np.float32,
    "length": np.float32,
    "width": np.float32,
    "height": np.float32,
}
OPTIONAL = {
    "brake": np.bool_,
    "indicator": np.int8,
    "emergency": np.bool_,
    "contact": np.bool_,
    "parent": np.int32,  # id of the body that a part belongs to, −1 for none
    "part": object,  # its name
    "state": object,  # of a light
    "steer": np.float64,  # [rad] of the front wheels, positive to the left
    "roll_angle": np.float64,  # [rad] lean of the body, positive to the right; the quaternion holds it too
}
LIGHT = "light"  # the kind of rows that are lights
Blank = bool | int | float | str


def blank(name: str, kind: np.dtype) -> Blank:
    """What stands in a column where a body has nothing to say: '', −1 for `parent`, NaN, False or 0."""
    if kind.kind in "OUS":
        return ""
    if name == "parent":
        return -1
    return np.nan if kind.kind == "f" else False if kind.kind == "b" else 0


class Recording:
    """Columns of equal length, sorted by time and then by id, with metadata about where they came from."""

    def __init__(self, columns: Mapping[str, Any], meta: Mapping[str, Any] | None = None):
        self.meta = dict(meta or {})
        missing = [name for name in REQUIRED if name not in columns]
        if missing:
            raise BadInput("recording", missing, "lacks columns")
        rows = len(columns["t"])
        kinds = {**REQUIRED, **OPTIONAL}
        order = np.lexsort((columns["id"], columns["t"]))
        self.columns: dict[str, np.ndarray] = {}
        for name, values in columns.items():
            try:
                column = np.asarray(values, dtype=kinds.get(name))
            except (TypeError, ValueError) as error:
                raise BadInput(f"recording column {name}", None, f"holds no numbers ({error})") from error
            if len(column) != rows:
                raise BadInput(f"recording column {name}", len(column), f"must have {rows} rows")
            self.columns[name] = column[order]

    def __len__(self) -> int:
        return len(self.columns["t"])

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    @property
    def times(self) -> np.ndarray:
        """The distinct frame times."""
        return np.unique(self["t"])

    @property
    def heading(self) -> np.ndarray:
        """Yaw of every row [rad], from the quaternion."""
        return attitude.yaw_of(np.stack([self[name] for name in attitude.COLUMNS], axis=-1))

    def bodies(self) -> Iterator[tuple[int, str, dict[str, np.ndarray]]]:
        """Id, kind and columns over time of each whole body; parts and lights are left out."""
        whole = self.whole()
        heading = whole.heading
        order = np.argsort(whole["id"], kind="stable")
        known, starts = np.unique(whole["id"][order], return_index=True)
        for body, rows in zip(known, np.split(order, starts[1:]), strict=True):
            columns = {name: column[rows] for name, column in whole.columns.items()}
            columns["heading"] = heading[rows]
            yield int(body), str(columns["kind"][0]), columns

    def where(self, rows: np.ndarray) -> Recording:
        """The recording of some of the rows (a mask or numbers), with the same metadata."""
        return Recording({name: column[rows] for name, column in self.columns.items()}, self.meta)

    def whole(self) -> Recording:
        """The bodies as wholes: without their parts and without lights."""
        rows = self["kind"] != LIGHT
        if "parent" in self.columns:
            rows &= self["parent"] < 0
        return self if rows.all() else self.where(rows)

    def parts(self, body: int | None = None) -> Recording:
        """The parts of a body, or of all of them."""
        parent = self.columns.get("parent", np.full(len(self), -1))
        return self.where(parent >= 0 if body is None else parent == body)

    def lights(self) -> Recording:
        """The lights, whose `state` is red, amber, green, walk or stop."""
        return self.where(self["kind"] == LIGHT)

    @classmethod
    def planar(
        cls,
        t: np.ndarray,
        body: int,
        kind: str,
        pose: np.ndarray,
        velocity: np.ndarray,
        size: tuple[float, float, float],
        z: float | np.ndarray = 0.0,
        meta: Mapping[str, Any] | None = None,
        **extra: np.ndarray | float | bool,
    ) -> Recording:
        """One body moving in the plane: `t` (n,), `pose` (n, 3) x, y, heading, `velocity` (n, 2) world.

        `size` is length, width and height [m]; `z` is the height of the body's middle above the ground.
        """
        n = len(t)
        columns: dict[str, Any] = {
            "t": t,
            "id": np.full(n, body),
            "kind": np.full(n, kind, dtype=object),
            "x": pose[:, 0],
            "y": pose[:, 1],
            "z": np.broadcast_to(z, n),
            **attitude.columns(attitude.quaternion(np.asarray(pose)[:, 2])),
            "vx": velocity[:, 0],
            "vy": velocity[:, 1],
            "vz": np.zeros(n),
        }
        columns |= {name: np.full(n, s) for name, s in zip(("length", "width", "height"), size, strict=True)}
        columns |= {name: np.broadcast_to(values, n) for name, values in extra.items()}
        return cls(columns, meta)

    @classmethod
    def join(cls, parts: Sequence[Recording], meta: Mapping[str, Any] | None = None) -> Recording:
        """Several bodies in one recording; what a part lacks is `blank` there."""
        return cls(stacked([(len(part), part.columns) for part in parts]), meta)

    def write(self, path: str | Path) -> Path:
        arrays = {
            name: words(column) if column.dtype.kind in "OU" else numbers(column)
            for name, column in self.columns.items()
        }
        table = pa.table(arrays).replace_schema_metadata({"swerve": to_json(self.meta)})
        with replacing(path) as draft:
            pq.write_table(table, draft, compression="zstd")
        return Path(path)

    @classmethod
    def read(cls, path: str | Path) -> Recording:
        """Read a recording; a file that is not one is refused with a line that says why."""
        path = existing(path, "recording")
        try:
            table = read_parquet(path)
            meta = parse_json((table.schema.metadata or {}).get(b"swerve", b"{}"))
            columns = {
                name: np.asarray(table[name].to_pylist(), dtype=object)
                if name == "kind" or _is_text(table.schema.field(name).type)
                else table[name].to_numpy()
                for name in table.column_names
            }
        except (pa.ArrowException, OSError, ValueError, KeyError) as error:
            raise BadInput(f"recording {path}", None, f"is not a readable Parquet file ({error})") from error
        if not isinstance(meta, dict):
            raise BadInput(f"recording {path}, metadata", meta, "must be an object")
        for name in table.column_names:
            if table[name].null_count:
                raise BadInput(f"recording {path}, column {name}", None, "has rows without a value")
        try:
            return cls(columns, meta)
        except BadInput as error:
            raise BadInput(str(path), None, str(error)) from error


def stacked(pieces: Sequence[tuple[int, Mapping[str, Any]]]) -> dict[str, np.ndarray]:
    """Columns of all the pieces, each a number of rows and columns of that length or one value for all."""
    names = dict.fromkeys(name for _, columns in pieces for name in columns)
    return {name: _stack(name, pieces) for name in names}


def _stack(name: str, pieces: Sequence[tuple[int, Mapping[str, Any]]]) -> np.ndarray:
    known: Any = {**REQUIRED, **OPTIONAL}.get(name)
    kinds = {np.asarray(columns[name]).dtype for _, columns in pieces if name in columns}
    words = any(kind.kind in "OUS" for kind in kinds)
    kind = np.dtype(known or (object if words else np.result_type(*kinds)))
    out = np.full(sum(n for n, _ in pieces), blank(name, kind), dtype=kind)
    at = 0
    for n, columns in pieces:
        if name in columns:
            try:
                out[at : at + n] = columns[name]
            except (TypeError, ValueError) as error:
                raise BadInput(f"recording column {name}", None, f"does not fit ({error})") from error
        at += n
    return out


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)
