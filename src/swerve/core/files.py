"""Files are written beside their place and renamed, so a reader never sees half of one."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .errors import BadInput


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path in the same folder; on success it becomes `path`, on failure it vanishes.

    The suffix is kept, because many writers choose the format by it.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    try:
        yield Path(name)
        os.chmod(name, 0o644)
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> Path:
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")
    return Path(path)


def write_json(path: str | Path, value: object) -> Path:
    return write_text(path, to_json(value, indent=2) + "\n")


def to_json(value: object, indent: int | None = None) -> str:
    """JSON with NumPy numbers and arrays; NaN and infinity become null, as JSON has neither."""
    return json.dumps(plain(value), indent=indent, allow_nan=False)


def plain(value: object) -> Any:
    """The same value in Python's own types."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, Path):
        return str(value)
    return value


def existing(path: str | Path, what: str = "file") -> Path:
    """The path, if a readable file stands there."""
    path = Path(path)
    if not path.exists():
        raise BadInput(f"{what} {path}", None, "no such file")
    if not path.is_file():
        raise BadInput(f"{what} {path}", None, "is not a file")
    return path
