"""The bar shows on a terminal and nowhere else."""

import io
import sys

import pytest

from swerve.core import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def loud():
    progress.be_quiet(False)
    yield
    progress.be_quiet(False)


@pytest.mark.parametrize(
    "stream, quiet, shown", [(Terminal, False, True), (Terminal, True, False), (io.StringIO, False, False)]
)
def test_bar_is_for_terminals(stream, quiet, shown, monkeypatch):
    screen = stream()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    progress.be_quiet(quiet)
    assert list(progress.track(range(5), "counting")) == [0, 1, 2, 3, 4]
    assert ("counting" in screen.getvalue()) == shown
    assert bool(screen.getvalue()) == shown


@pytest.mark.parametrize("stream, shown", [(Terminal, True), (io.StringIO, False)])
def test_a_share_is_shown_on_terminals(stream, shown, monkeypatch):
    screen = stream()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with progress.share_done("planning") as show:
        show(0.5)
        show(1.0)
    assert ("planning" in screen.getvalue() and "100%" in screen.getvalue()) == shown
    assert bool(screen.getvalue()) == shown


def test_items_without_a_length_pass_through():
    assert list(progress.track(iter("abc"), "letters")) == ["a", "b", "c"]
