"""The command, as `swerve` and as `python -m swerve`: quick to start, and quick to stop."""

import os
import signal
import sys

from swerve.core.interrupts import INTERRUPTED, stop


def main() -> None:
    """Run the command. Ctrl-C while its modules are being imported ends it without a word too many.

    An interrupt in the middle of an import may vanish in a callback or come out as another error, so until
    the command is there the signal ends the process itself.
    """
    usual = signal.getsignal(signal.SIGINT)
    early = usual is signal.default_int_handler  # not where a shell has told us to ignore it
    if early:
        signal.signal(signal.SIGINT, stop)
    from swerve.cli.main import main as command

    if early:
        signal.signal(signal.SIGINT, usual)
    try:
        command()
    except SystemExit as ending:
        if ending.code == INTERRUPTED:  # or Python may end by the signal itself, which it remembers
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(INTERRUPTED)
        raise


if __name__ == "__main__":
    main()
