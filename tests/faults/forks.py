"""Commands in forks of a process that has everything loaded: killed or starved at any moment, cheaply."""

import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from plain_processes import left_after


def run_forked(
    words: list[str],
    log: Path,
    kill_after: float | None = None,
    prepare: Callable[[], object] = bool,
    when: Callable[[], bool] = lambda: True,
) -> tuple[int, float]:
    """Exit status (negative: the signal that ended it) and seconds of a command in a fork of this process,
    a session of its own. It is killed `kill_after` [s] from `when` on, and nobody of its session may be
    left."""
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.setsid()
            handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
            prepare()
            from swerve.cli.main import run

            status = run(words)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    if kill_after is not None:
        while not when() and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.005)
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    seconds = time.monotonic() - started
    assert left_after(child, 120.0) == [], "workers outlived their parent"
    return os.waitstatus_to_exitcode(status), seconds


def small_files(size: int) -> None:
    """No file may become larger than that [bytes]: writing fails as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
