"""Which processes are still there, read from the system and not from who started them."""

import time
from pathlib import Path


def living(session: int) -> list[int]:
    """Processes of a session that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[3]) == session and words[0] not in "ZX":
            found.append(int(stat.parent.name))
    return found


def left_after(session: int, seconds: float = 30.0) -> list[int]:
    """Those that are still there when they had time to end."""
    until = time.monotonic() + seconds
    while (found := living(session)) and time.monotonic() < until:
        time.sleep(0.02)
    return found
