"""What a study found: a table beside the seed's, conclusions that hold or do not, pictures."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from swerve.core.files import plain, write_text


@dataclass(frozen=True)
class Conclusion:
    """Something the seed concluded, whether it holds here, and the figures that say so."""

    text: str
    holds: bool
    evidence: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", bool(self.holds))  # comparisons of arrays give NumPy's own


@dataclass
class Report:
    """`rows` are dictionaries with the same keys, in the order to be printed; `notes` are paragraphs."""

    name: str
    title: str
    rows: list[dict[str, Any]]
    conclusions: list[Conclusion]
    notes: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

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

    def markdown(self) -> str:
        lines = [f"# {self.title}", ""]
        if self.rows:
            head = list(self.rows[0])
            lines += ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
            lines += ["| " + " | ".join(shown(row[key]) for key in head) + " |" for row in self.rows]
            lines.append("")
        if self.conclusions:
            lines += ["| the seed's conclusion | holds here | evidence |", "| --- | --- | --- |"]
            lines += [
                f"| {shown(c.text)} | {'yes' if c.holds else '**no**'} | {shown(c.evidence)} |"
                for c in self.conclusions
            ]
            lines.append("")
        lines += [line for note in self.notes for line in (note, "")]
        lines += [f"![{path.stem}]({path.name})" for path in self.files if path.suffix == ".png"]
        return "\n".join(lines).rstrip() + "\n"

    def as_dict(self) -> dict[str, Any]:
        return {
            "study": self.name,
            "title": self.title,
            "rows": self.rows,
            "conclusions": [asdict(c) for c in self.conclusions],
            "notes": self.notes,
            "files": [str(path) for path in self.files],
        }


def shown(value: Any) -> str:
    """A table cell: short numbers, a dash for nothing, bars that do not end it."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return str(value).replace("|", "\\|")
