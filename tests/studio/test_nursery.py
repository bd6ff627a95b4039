"""Where workers come from: one process that prepares rooms once, and gives way to whoever asks."""

import multiprocessing
import os
import select
import signal
import sys
import time
import types

import pytest

from swerve.studio import nursery as module
from swerve.studio.hire import Hired
from swerve.studio.nursery import Crib, Nursery, Wanted
from swerve.studio.words import BORN, MENU, READY

pytestmark = pytest.mark.skipif(not module.SPLITS, reason="processes cannot be split here")


def stepwise(requests, folder, prepare):
    """A nursery whose rooms take for ever; what is split off says who it is."""
    requests.send_bytes(MENU + b"{}")
    crib = Crib(requests)
    try:
        crib.listen()
        while True:
            sum(range(1000))
    except Wanted:
        crib.pipe.send_bytes(BORN + str(os.getpid()).encode())
        while True:
            word = crib.pipe.recv_bytes()  # ends with the pipe
            crib.pipe.send_bytes(word.upper())


@pytest.fixture
def nursery(monkeypatch, tmp_path):
    """One that always has something to prepare, split off this process to be quick."""
    monkeypatch.setattr(module, "tend", stepwise)
    monkeypatch.setattr(module.multiprocessing, "get_context", lambda how: multiprocessing)
    made = Nursery(str(tmp_path), prepare=True)
    made.start()
    yield made
    made.stop()


def born(worker):
    assert worker.pipe.poll(10)
    worker.hear_birth(worker.pipe.recv_bytes())
    return worker.pid


def state(pid):
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]


def settled(pid, wanted):
    for _ in range(200):
        if state(pid) in wanted:
            return True
        time.sleep(0.01)
    return False


def test_who_asks_gets_a_worker_while_rooms_are_being_prepared(nursery):
    one, other = nursery.take(), nursery.take()
    assert born(one) != born(other)
    for worker, word in ((one, b"one"), (other, b"other")):
        worker.pipe.send_bytes(word)
        assert worker.pipe.poll(10) and worker.pipe.recv_bytes() == word.upper()
    one.stop()
    assert other.pipe.closed is False and os.path.exists(f"/proc/{other.pid}")
    other.stop()
    assert not os.path.exists(f"/proc/{one.pid}") and not os.path.exists(f"/proc/{other.pid}")


def test_preparing_rests_while_a_page_waits_and_is_woken_for_the_next(nursery):
    worker = nursery.take()
    born(worker)
    nursery.pace(unborn=False, waiting=True, pages=True)
    own = nursery._process.pid
    assert settled(own, "T")
    turns = set()
    for _ in range(10):
        nursery.pace(unborn=False, waiting=False, pages=True)
        time.sleep(0.02)
        turns.add(state(own))
    assert "T" in turns and turns & {"R", "S"}  # a little now and then
    nursery.pace(unborn=False, waiting=True, pages=True)
    second = nursery.take()
    born(second)
    nursery.pace(unborn=False, waiting=False, pages=False)
    assert settled(own, "RS")
    worker.stop()
    second.stop()


def test_one_that_died_is_replaced_and_prepares_no_more(nursery):
    os.kill(nursery._process.pid, signal.SIGKILL)
    nursery._process.join(5)
    worker = nursery.take()
    born(worker)
    assert nursery.prepare is False
    worker.stop()


def test_it_is_not_split_within_an_import(tmp_path, monkeypatch):
    """The request waits until the module is whole."""
    ours, theirs = multiprocessing.Pipe()
    crib, forks = Crib(theirs), []
    monkeypatch.setattr(os, "fork", lambda: forks.append("importer" in sys.modules) or 1)
    (tmp_path / "importer.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGURG)\ntime.sleep(0.03)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    before = {number: signal.getsignal(number) for number in (signal.SIGURG, signal.SIGALRM, signal.SIGCHLD)}
    try:
        crib.listen()
        end, _ = multiprocessing.Pipe()
        module.send_handle(ours, end.fileno(), os.getpid())
        import importer

        assert isinstance(importer, types.ModuleType) and forks == []
        select.select([], [], [], 0.1)
        assert forks == [True]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_worker_that_does_not_listen_is_ended(nursery):
    worker = nursery.take()
    born(worker)
    os.kill(worker.pid, signal.SIGSTOP)
    began = time.monotonic()
    worker.stop()
    assert not os.path.exists(f"/proc/{worker.pid}") and time.monotonic() - began < 8


def test_one_that_was_never_born_costs_nothing():
    ours, theirs = multiprocessing.Pipe()
    Hired(ours).stop()
    assert theirs.poll(1)
    with pytest.raises(EOFError):
        theirs.recv_bytes()
    assert READY != MENU
