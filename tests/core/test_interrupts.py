"""Ctrl-C, wherever it lands."""

import signal
import time

import pytest

from swerve.core.interrupts import ending_by_interrupts


class Finalised:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)  # Ctrl-C is pressed here


def test_an_interrupt_that_lands_in_a_finaliser_comes_again(capfd):
    with ending_by_interrupts() as pressed, pytest.raises(KeyboardInterrupt):
        thing = Finalised()
        del thing
        time.sleep(2.0)
    assert pressed() and capfd.readouterr().err == ""


def test_what_else_a_finaliser_raises_is_told_as_ever(monkeypatch):
    told = []
    monkeypatch.setattr("sys.unraisablehook", told.append)
    with ending_by_interrupts():

        class Broken:
            def __del__(self):
                raise ValueError("x")

        Broken()
    assert [one.exc_type for one in told] == [ValueError]
