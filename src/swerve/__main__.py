"""The command, as `swerve` and as `python -m swerve`: quick to start, quick to stop, and quick to end."""

import atexit
import os
import signal
import sys
import threading

import swerve
from swerve.core.interrupts import INTERRUPTED, stop


def main() -> None:
    """Run the command. Ctrl-C before and after it ends the process without a word too many.

    An interrupt in the middle of an import may vanish in a callback or come out as another error, so around
    the command the signal ends the process itself; once Python tidies up, the work is done and it is ignored.
    """
    ours = (signal.default_int_handler, swerve._interrupted)
    if signal.getsignal(signal.SIGINT) in ours:  # or a shell said to ignore it
        signal.signal(signal.SIGINT, stop)
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    from swerve.cli.main import main as command

    try:
        command()
    except KeyboardInterrupt:  # between the last lines of the command
        stop(signal.SIGINT, None)
    except SystemExit as ending:
        if ending.code == INTERRUPTED:  # or Python may end by the signal itself, which it remembers
            _flush()
            os._exit(INTERRUPTED)
        if not isinstance(ending.code, int) or is_watched():
            raise
        end(ending.code)


def is_watched() -> bool:
    """Whether a profiler, a tracer or `python -i` goes on after the command."""
    tools = getattr(sys, "monitoring", None)  # from Python 3.12 on
    monitored = tools is not None and any(tools.get_tool(i) for i in range(6))
    return bool(sys.getprofile() or sys.gettrace() or sys.flags.inspect or monitored)


def end(status: int) -> None:
    """End the process as Python does, threads and what was asked to be done at its end first, but without
    taking to pieces all that was loaded: that takes a quarter of a second where kernels were."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        _flush()
    except (OSError, ValueError):  # Python tells of it in its own way
        sys.exit(status)
    os._exit(status)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed by who started the command
            stream.flush()


if __name__ == "__main__":
    main()
