"""What a study found: a table beside the original's, conclusions that hold or do not, pictures."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from swerve.core.files import plain, write_text


@dataclass(frozen=True)
class Conclusion:
    """Something the original work concluded, whether it holds here (None: what was run cannot tell), and the
    figures that say so."""

    text: str
    holds: bool | None
    evidence: str

    def __post_init__(self) -> None:
        if self.holds is not None:
            object.__setattr__(self, "holds", bool(self.holds))  # comparisons of arrays give NumPy's own

    @property
    def verdict(self) -> str:
        return "undecided" if self.holds is None else "yes" if self.holds else "**no**"


@dataclass
class Report:
    """`rows` are dictionaries with the same keys, in the order to be printed; `notes` are paragraphs."""

    name: str
    title: str
    rows: list[dict[str, Any]]
    conclusions: list[Conclusion]
    notes: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    whose: str = "the original's conclusion"  # what the conclusions are

    def write(self, out: Path) -> list[Path]:
        """Write `NAME.csv` and `NAME.md` into `out`; returns these and the pictures made before."""
        self.files = [
            write_text(out / f"{self.name}.csv", self.csv()),
            write_text(out / f"{self.name}.md", self.markdown()),
            *self.files,
        ]
        return self.files

    def csv(self) -> str:
        text = io.StringIO()
        if self.rows:
            writer = csv.DictWriter(text, fieldnames=list(self.rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(plain(self.rows))
        return text.getvalue()

    def markdown(self, pictures: bool = True, widest: int | None = None) -> str:
        """The report as a page; without a table that needs more than `widest` characters even if wrapped."""
        lines = [f"# {self.title}", ""]
        if widest is not None and self.least_width() > widest:
            lines += [
                f"The table of {len(self.rows[0])} columns is too wide for here: see `{self.name}.md`.",
                "",
            ]
        elif self.rows:
            head = list(self.rows[0])
            lines += ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
            lines += ["| " + " | ".join(shown(row[key]) for key in head) + " |" for row in self.rows]
            lines.append("")
        if self.conclusions:
            lines += [f"| {self.whose} | holds here | evidence |", "| --- | --- | --- |"]
            lines += [f"| {shown(c.text)} | {c.verdict} | {shown(c.evidence)} |" for c in self.conclusions]
            lines.append("")
        lines += [line for note in self.notes for line in (note, "")]
        if pictures:
            lines += [f"![{path.stem}]({path.name})" for path in self.files if path.suffix == ".png"]
        return "\n".join(lines).rstrip() + "\n"

    def least_width(self) -> int:
        """Characters of a line of the table if its cells break between words only."""
        columns = (
            [[key, *(shown(row[key]) for row in self.rows)] for key in self.rows[0]] if self.rows else []
        )
        return sum(2 + max(len(word) for cell in cells for word in cell.split() or [""]) for cells in columns)

    def as_dict(self) -> dict[str, Any]:
        return {
            "study": self.name,
            "title": self.title,
            "rows": self.rows,
            "conclusions": [asdict(c) for c in self.conclusions],
            "notes": self.notes,
            "files": [str(path) for path in self.files],
        }


def shown(value: object) -> str:
    """A table cell: short numbers, a dash for nothing, bars that do not end it."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return str(value).replace("|", "\\|")
