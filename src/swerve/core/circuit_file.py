"""Circuits and lines as comma-separated tables, the form in which racing lines are published.

    # x_m,y_m,w_tr_right_m,w_tr_left_m
    -0.320123,1.087714,5.739,5.932

The first row may name the columns, with or without `#`; they are then found by their names, in any order and
among others. Without names they stand in the order asked for. Other lines with `#` are comments.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .errors import BadInput, require
from .files import existing, write_text

PLACE = ("x_m", "y_m")  # [m]
WIDTHS = ("w_tr_right_m", "w_tr_left_m")  # [m] from the centre line to the edges
HEIGHT = "z_m"  # [m]
BEGINNING = 4096  # characters by which a table is known
LARGEST = 1e99  # number in a table, whose square is one too
BANK = "bank_rad"  # [rad] how far the road leans to the right, its left side being the higher


@dataclass(frozen=True)
class Table:
    """Columns (n,) of finite numbers by name, and the line (n,) of the file on which each row stands."""

    path: Path
    columns: Mapping[str, np.ndarray]
    lines: np.ndarray

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self.columns


def read_table(path: str | Path, what: str, wanted: Sequence[str], optional: Sequence[str] = ()) -> Table:
    """The columns `wanted` and those of `optional` that are there; `what` (track, line …) names the file."""
    path = existing(path, what)
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as stream:
        try:
            filled = list(_filled(csv.reader(stream)))
        except csv.Error as error:
            raise BadInput(f"{what} {path}", None, f"is not a CSV file ({error})") from None
    places, body = _find_columns(f"{what} {path}", filled, wanted, optional)
    lines = np.array([number for number, _ in body], dtype=np.int64)
    rows = [_numbers(f"{what} {path}, line {number}", row, places) for number, row in body]
    table = np.array(rows, dtype=float).reshape(-1, len(places))
    return Table(path, dict(zip(places, table.T, strict=True)), lines)


def has_columns(path: str | Path, wanted: Sequence[str]) -> bool:
    """Whether a file begins as a table with these columns: by their names or, without names, their count."""
    with Path(path).open(newline="", encoding="utf-8-sig", errors="replace") as stream:
        head = stream.read(BEGINNING)
    whole = head.splitlines()[: None if len(head) < BEGINNING else -1]
    try:
        places, body = _find_columns("table", list(_filled(csv.reader(whole))), wanted, ())
        return all(_numbers("table", row, places) for _, row in body[:1])
    except (BadInput, csv.Error):
        return False


def write_table(
    path: str | Path, columns: Mapping[str, np.ndarray], mark: str = "# ", decimals: int = 6
) -> Path:
    """Columns (n,) of numbers, or of words without commas, as a file that `read_table` reads, numbers to a
    micrometre; `mark` stands before the names."""
    row = ",".join("%s" if column.dtype.kind == "U" else f"%.{decimals}f" for column in columns.values())
    told = zip(*(column.tolist() for column in columns.values()), strict=True)
    body = "".join(map(f"{row}\n".__mod__, told))
    return write_text(path, f"{mark}{','.join(columns)}\n{body}")


def without_repeat(points: np.ndarray) -> slice:
    """Rows of a closed line (n, k) without a last one that repeats the first place, to the centimetre:
    wherever on a map it lies, and nearer than its rows are to each other."""
    apart = np.linalg.norm(np.diff(points[:, :2], axis=0), axis=1)
    near = min(0.01, 0.1 * float(np.mean(apart))) if len(points) > 1 else 0.0
    again = len(points) > 1 and float(np.linalg.norm(points[0, :2] - points[-1, :2])) <= near
    return slice(-1 if again else None)


def _filled(rows: Iterable[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Rows that hold anything, stripped, with their line numbers."""
    for number, row in enumerate(rows, start=1):
        fields = [field.strip() for field in row]
        if any(fields):
            yield number, fields


def _find_columns(
    where: str, rows: list[tuple[int, list[str]]], wanted: Sequence[str], optional: Sequence[str]
) -> tuple[dict[str, int], list[tuple[int, list[str]]]]:
    """Where each column stands, and the rows that hold numbers."""
    known = (*wanted, *optional)
    body = [row for row in rows if not row[1][0].startswith("#")]
    for _, row in rows:
        names = [row[0].lstrip("# "), *row[1:]]
        marked = row[0].startswith("#")
        if set(wanted) <= set(names):
            places = {name: names.index(name) for name in known if name in names}
            return places, body if marked else body[1:]
        if not marked:
            require(_is_number(row[0]), where, ",".join(row), f"has no columns {', '.join(wanted)}")
            break
    width = min((len(row) for _, row in body), default=len(wanted))
    return {name: k for k, name in enumerate(known) if k < max(width, len(wanted))}, body


def _numbers(where: str, row: list[str], places: Mapping[str, int]) -> list[float]:
    values = []
    require(len(row) > max(places.values()), where, ",".join(row), f"needs columns {', '.join(places)}")
    for name, k in places.items():
        require(_is_number(row[k]), f"{where}, {name}", row[k], "must be a number")
        value = float(row[k])
        require(bool(np.isfinite(value)), f"{where}, {name}", row[k], "must be a finite number")
        require(abs(value) <= LARGEST, f"{where}, {name}", row[k], f"must be no larger than {LARGEST:g}")
        values.append(value)
    return values


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
