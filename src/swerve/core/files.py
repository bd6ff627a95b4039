"""Files appear whole or not at all: at any moment there is the old one or the new one, whoever is killed, and
however full the disk.

A draft has no name until it is complete (Linux's `O_TMPFILE`), so that nothing is left of it if the process
ends. Where a file system cannot do that it has a hidden name, and the next writer of that file removes it.
"""

import contextlib
import errno
import json
import math
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .errors import BadInput

try:
    import fcntl
except ImportError:  # pragma: no cover - not on every system
    fcntl = None  # type: ignore[assignment]


NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # a disk, a share of it or a file is full


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a path to write a draft to; on success it becomes `path`, on failure it vanishes.

    The draft's name says nothing: writers that choose a format by it are to be told the suffix of `path`.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    name = f".{path.name[:100]}.{secrets.token_hex(4)}.draft"
    hidden = path.with_name(name)
    _clear_drafts(path)
    handle = _nameless(path.parent)
    named = handle is None
    if handle is None:
        handle = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        _hold(handle)
    try:
        yield hidden if named else Path(f"/proc/{os.getpid()}/fd/{handle}")
        os.fchmod(handle, 0o644)
        os.fsync(handle)
        if not named:
            _hold(handle)
            named = True
            _name(handle, hidden)
        os.replace(hidden, path)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
        raise
    finally:
        if named:
            hidden.unlink(missing_ok=True)
        os.close(handle)


def _nameless(folder: Path) -> int | None:
    """A file of that folder without a name, or None where there is no such thing."""
    with contextlib.suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o644)
        if os.path.exists(f"/proc/{os.getpid()}/fd/{handle}"):
            return handle
        os.close(handle)
    return None


def _name(handle: int, path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.link(f"/proc/self/fd/{handle}", path.name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(folder)


def _hold(handle: int) -> None:
    """Say that somebody is at work on a draft."""
    if fcntl is not None:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _clear_drafts(path: Path) -> None:
    """Remove drafts of that file whose writers were killed: nobody holds them."""
    if fcntl is None:
        return
    start = f".{path.name[:100]}."
    for name in os.listdir(path.parent):
        if name.startswith(start) and name.endswith(".draft"):
            with contextlib.suppress(OSError), open(path.parent / name, "rb") as draft:
                fcntl.flock(draft, fcntl.LOCK_EX | fcntl.LOCK_NB)
                (path.parent / name).unlink()


def no_room(error: BaseException | None) -> OSError | None:
    """The error of a full disk that this one is, or comes from."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return error
        error = error.__cause__ or error.__context__
    return None


def write_text(path: str | Path, text: str) -> Path:
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")
    return Path(path)


def write_json(path: str | Path, value: object, indent: int | None = 2) -> Path:
    return write_text(path, to_json(value, indent) + "\n")


def to_json(value: object, indent: int | None = None) -> str:
    """JSON with NumPy numbers and arrays; NaN and infinity become null, as JSON has neither."""
    try:
        return json.dumps(value, indent=indent, allow_nan=False, default=_known)
    except (TypeError, ValueError):  # a number that is not finite, or a key that is no text: look at all
        return json.dumps(plain(value), indent=indent, allow_nan=False)


def _known(value: object) -> Any:
    """What JSON does not know itself, in Python's own types."""
    if not isinstance(value, (np.ndarray, np.generic, Path)):
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")
    return plain(value)


def plain(value: object) -> Any:
    """The same value in Python's own types."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        whole = value.dtype.kind in "biu" or (value.dtype.kind == "f" and np.isfinite(value).all())
        return value.tolist() if whole else plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return plain(float(value))
    if isinstance(value, Path):
        return str(value)
    return value


def file_name(name: str) -> str:
    """The name, if a file in a given folder may be called by it; `ValueError` otherwise."""
    if not 0 < len(name) <= 100 or name.startswith(".") or not name.isprintable() or set(name) & set("/\\:"):
        raise ValueError("must be usable as the name of a file, without /, \\, : and a dot in front")
    return name


def existing(path: str | Path, what: str = "file") -> Path:
    """The path, if a readable file stands there."""
    path = Path(path)
    if not is_there(path):
        raise BadInput(f"{what} {path}", None, "no such file")
    if not path.is_file():
        raise BadInput(f"{what} {path}", None, "is not a file")
    return path


def is_there(path: str | Path) -> bool:
    """Whether anything stands there; also of names that no file can have."""
    try:
        return Path(path).exists()
    except OSError:
        return False
