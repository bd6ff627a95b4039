"""The folder that a studio was given: what lies in it, and nothing outside it."""

from __future__ import annotations

import re
from pathlib import Path

from swerve.core.circuit_file import PLACE, WIDTHS, has_columns
from swerve.core.errors import BadInput

KINDS = {
    ".parquet": "recording",
    ".yaml": "scene",
    ".yml": "scene",
    ".toml": "scene",
    ".csv": "track",
    ".npz": "tree",
}
MOST_FILES, MOST_BYTES = 400, 500_000_000
MOST_WRITTEN = 100  # files of a kind that pages may leave here
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


class Folder:
    """Files below `root`. Names are relative to it; whatever leads outside, by dots or links, is refused."""

    def __init__(self, root: str | Path):
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise BadInput("--folder", str(root), "is not a folder")

    def file(self, name: str) -> Path:
        """The file of that name, if it may be opened."""
        if not isinstance(name, str) or not name or "\0" in name or len(name) > 500:
            raise BadInput("file", str(name)[:80], "is not a name")
        path = (self.root / name).resolve()
        if not path.is_relative_to(self.root):
            raise BadInput("file", name, "lies outside the studio's folder")
        if any(part.startswith(".") for part in path.relative_to(self.root).parts):
            raise BadInput("file", name, "is hidden")
        if path.suffix.lower() not in KINDS:
            raise BadInput("file", name, f"must end in one of {', '.join(KINDS)}")
        if not path.is_file():
            raise BadInput("file", name, "no such file")
        if path.stat().st_size > MOST_BYTES:
            raise BadInput("file", name, f"is larger than {MOST_BYTES // 1_000_000} MB")
        return path

    def new_file(self, name: str, suffix: str) -> Path:
        """A place in the folder for a file that is not there yet."""
        if not _NAME.fullmatch(name):
            raise BadInput("name", name[:80], "must be 1 to 40 letters, digits, dashes or underscores")
        path = self.root / f"{name}{suffix}"
        if path.exists() or path.is_symlink():
            raise BadInput("name", name, "is taken")
        if len(list(self.root.glob(f"*{suffix}"))) >= MOST_WRITTEN:
            raise BadInput("folder", None, f"already holds {MOST_WRITTEN} files of this kind")
        return path

    def listing(self) -> list[dict[str, object]]:
        """Name, kind and size of the files that can be opened, the newest first; of the tables the tracks."""
        found = []
        for path in _walk(self.root, 4):
            kind = KINDS.get(path.suffix.lower())
            if kind and path.resolve().is_relative_to(self.root):
                state = path.stat()
                found.append((state.st_mtime, path, kind, state.st_size))
        found.sort(key=lambda one: (-one[0], str(one[1])))
        return [
            {"name": path.relative_to(self.root).as_posix(), "kind": kind, "bytes": size}
            for _, path, kind, size in found[:MOST_FILES]
            if kind != "track" or _is_track(path)
        ]


def _is_track(path: Path) -> bool:
    try:
        return has_columns(path, (*PLACE, *WIDTHS))
    except OSError:
        return False


def _walk(folder: Path, depth: int) -> list[Path]:
    files: list[Path] = []
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return files
    for entry in entries:
        if entry.name.startswith((".", "node_modules")):
            continue
        if entry.is_file():
            files.append(entry)
        elif depth > 1 and entry.is_dir() and not entry.is_symlink():
            files += _walk(entry, depth - 1)
        if len(files) > 5000:
            break
    return files
