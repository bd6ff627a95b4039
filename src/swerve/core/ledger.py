"""What a long piece of work has finished, on disk, so that it can go on after being killed at any moment.

A line a finished trial, only ever added to. A trial is known by its function, its arguments and the version
of the code, so a line is never taken for another trial's. A line that was cut off is no line.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from .errors import BadInput
from .values import fingerprint, from_text, to_text

try:
    import fcntl
except ImportError:  # pragma: no cover - not on every system
    fcntl = None  # type: ignore[assignment]

NOTHING = object()  # no result yet


class Ledger:
    """Finished trials in the file at `path`, which is made with the first of them. Held by one process at a
    time; close it, or use `with`."""

    def __init__(self, path: str | Path, resume: bool = True):
        """With `resume` what is there counts; otherwise it is put aside (`.old`), and a new file begins."""
        self.path = Path(path)
        self._file = -1
        self._lines: dict[str, str] = {}
        if self.path.exists():
            self._open()
            if not resume:
                os.replace(self.path, f"{self.path}.old")
                self.close()
                self._lines = {}

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._lines)

    def result(self, work: object, item: object) -> Any:
        """What `work` gave for `item`, or `NOTHING`."""
        text = self._lines.get(self.key(work, item))
        if text is not None:
            with contextlib.suppress(ValueError):
                return from_text(text)
        return NOTHING

    def add(self, work: object, item: object, result: object) -> None:
        """Write down a finished trial; when this returns, it will not be lost."""
        key, text = self.key(work, item), to_text(result)
        if self._file < 0:
            self._open()
        line = f"{key} {zlib.crc32(text.encode()):08x} {text}\n".encode()
        view = memoryview(line)
        try:
            while view:
                view = view[os.write(self._file, view) :]
            os.fsync(self._file)
        except OSError as error:  # a full disk; what was finished before is kept
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        self._lines[key] = text

    def key(self, work: object, item: object) -> str:
        return fingerprint(code_version(), work, item)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def finish(self) -> None:
        """All is done and written elsewhere: the ledger is not needed any more. Another run's stays."""
        if self._file >= 0:
            self.path.unlink(missing_ok=True)
        self.close()

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise BadInput("ledger", str(self.path), "is in use by another run") from error
        if not self._is_there():  # another run has just ended with it: it is gone, or another one
            self.close()
            self._open()
            return
        self._lines |= self._read()

    def _is_there(self) -> bool:
        """Whether the file that is open is still the one of that name."""
        with contextlib.suppress(OSError):
            return os.path.samestat(os.fstat(self._file), os.stat(self.path))
        return False

    def _read(self) -> dict[str, str]:
        """Whole lines, by key. A torn end is closed by a new line, so that nothing is added to it."""
        held: dict[str, str] = {}
        text = self.path.read_bytes()
        for line in text.split(b"\n"):
            key, _, rest = line.partition(b" ")
            crc, _, value = rest.partition(b" ")
            if crc == f"{zlib.crc32(value):08x}".encode():
                held[key.decode("ascii", "replace")] = value.decode("utf-8", "replace")
        if text and not text.endswith(b"\n"):
            os.write(self._file, b"\n")
        return held


@cache
def code_version() -> str:
    """Of this package, its data, and the libraries whose numbers it uses."""
    import hashlib
    from importlib.metadata import version

    digest = hashlib.sha256()
    for library in ("numpy", "numba", "scipy", "mujoco"):
        digest.update(f"{library} {version(library)}\n".encode())
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".npz", ".yaml", ".json", ".csv") and "page" not in path.parts:
            digest.update(str(path.relative_to(package)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]
