"""Where workers come from: processes that prepare rooms once, and give way to whoever asks."""

import asyncio
import multiprocessing
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from swerve.studio import nursery as module
from swerve.studio import session as session_module
from swerve.studio import worker
from swerve.studio.hire import Hired, Spawned
from swerve.studio.nursery import Nursery
from swerve.studio.session import Session
from swerve.studio.words import BORN, MENU

pytestmark = pytest.mark.skipif(not module.SPLITS, reason="processes cannot be split here")
PREPARED = []
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])


def tend(requests, folder):
    """A nursery without rooms: it is quick, and says what it has prepared."""
    requests.send_bytes(MENU + b'{"rooms": {}}')
    worker.rehearse, worker.work = rehearse, work
    module._attend(requests, folder)


def rehearse(room, folder, steps):
    if room == "deadly":
        os._exit(1)
    while room == "endless":
        time.sleep(0.01)
    PREPARED.append(room)


def work(pipe, folder):
    """Says again what it hears, and with "?" what was prepared before it was born."""
    pipe.send_bytes(BORN + str(os.getpid()).encode())
    while True:
        word = pipe.recv_bytes()
        pipe.send_bytes(" ".join(PREPARED).encode() if word == b"?" else word.upper())


@pytest.fixture
def nursery(monkeypatch, tmp_path):
    """Split off a process that holds nothing of this one: to be quick, and so that no browser or other test
    waits for pipes that children keep open."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # this module is loaded once
    monkeypatch.setattr(module, "tend", tend)
    monkeypatch.setattr(multiprocessing, "get_context", lambda how: FORKS)
    made = Nursery(str(tmp_path), [])
    made.start()
    yield made
    made.stop()


def born(one):
    assert one.pipe.poll(10)
    one.hear_birth(one.pipe.recv_bytes())
    return one.pid


def answer(one, word):
    one.pipe.send_bytes(word)
    assert one.pipe.poll(10)
    return one.pipe.recv_bytes()


def until(nursery, expected, waiting=False, pages=False):
    began = time.monotonic()
    while time.monotonic() - began < 30:
        nursery.pace(waiting, pages)
        if expected():
            return True
        time.sleep(0.01)
    return False


def is_in(pid, states):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in states
    except OSError:
        return False


def test_every_page_gets_a_worker_of_its_own(nursery):
    one, other = nursery.take(), nursery.take()
    assert born(one) != born(other)
    assert answer(one, b"one") == b"ONE" and answer(other, b"other") == b"OTHER"
    one.stop()
    assert not is_in(one.pid, "RSTDZ") and answer(other, b"still") == b"STILL"
    os.kill(other.pid, signal.SIGSTOP)  # does not listen
    other.stop()
    assert not is_in(other.pid, "RSTDZ")


def test_rooms_are_prepared_one_by_one_and_one_that_kills_is_left_out(nursery):
    nursery.rooms += ["race", "deadly", "city"]
    assert not nursery.at_once()
    early = nursery.take()
    assert until(nursery, nursery.at_once)
    late = nursery.take()
    born(early), born(late)
    assert answer(late, b"?") == b"race city" and answer(early, b"?") == b""
    early.stop()
    late.stop()


def test_who_asks_goes_first_and_preparing_rests_while_a_page_waits(nursery, monkeypatch):
    monkeypatch.setattr(module, "TURNS", 5)
    nursery.rooms += ["endless"]
    assert until(nursery, lambda: nursery._coming is not None and nursery._coming.pid is not None)
    coming = nursery._coming.pid
    assert until(nursery, lambda: is_in(coming, "T"), waiting=True, pages=True)
    one = nursery.take()
    born(one)
    assert answer(one, b"served") == b"SERVED" and is_in(coming, "T")
    seen = {is_in(coming, "T") for _ in range(10) if (nursery.pace(False, True), time.sleep(0.02))}
    assert seen == {True, False}  # a little now and then
    assert until(nursery, lambda: is_in(coming, "RS"), pages=False)
    one.stop()


def test_one_that_was_to_rest_when_it_got_ready_serves_all_the_same(nursery):
    """It says so and is stopped before that is heard."""
    nursery.rooms += ["race"]
    assert until(nursery, lambda: nursery._coming is not None)
    coming = nursery._coming
    born(coming)
    assert coming.pipe.poll(10)  # it is ready
    coming.signal(signal.SIGSTOP)
    assert until(nursery, lambda: nursery._serving is coming, waiting=True, pages=True)
    one = nursery.take()
    born(one)
    assert answer(one, b"?") == b"race"
    one.stop()


def test_a_nursery_that_died_is_replaced(nursery):
    nursery._serving.process.kill()
    nursery._serving.process.join(5)
    one = nursery.take()
    born(one)
    assert answer(one, b"here") == b"HERE"
    one.stop()


def test_one_that_was_never_born_costs_nothing():
    ours, theirs = multiprocessing.Pipe()
    Hired(ours).stop()
    with pytest.raises(EOFError):
        theirs.recv_bytes()


def test_where_processes_cannot_be_split_every_worker_is_started_by_itself(nursery, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "SPLITS", False)
    monkeypatch.setattr(worker, "work", work)
    one = Nursery(str(tmp_path), []).take()
    assert isinstance(one, Spawned) and one.pipe.poll(10) and one.pipe.recv_bytes()[:1] == BORN
    assert answer(one, b"alone") == b"ALONE"
    one.stop()


def test_another_room_gets_another_worker_while_the_old_one_is_busy(nursery):
    """And what the old one still says is not heard."""

    async def visit():
        session = Session(nursery, asyncio.get_running_loop())
        first = session.worker
        session.tell("first", "race")
        assert await asyncio.wait_for(session.next(), 10) == b"FIRST"
        session.tell("same", "race")
        assert session.worker is not first  # the first room was never said to be open
        session.opening, second = False, session.worker
        session.tell("again", "race")
        assert session.worker is second
        assert [await asyncio.wait_for(session.next(), 10) for _ in range(2)] == [b"SAME", b"AGAIN"]
        session.opening = False
        session.tell("there", "city")
        assert session.worker is not second
        session._arrived(b"JOLD", first)
        assert await asyncio.wait_for(session.next(), 10) == b"THERE" and not session.waiting
        session.close()

    assert until(nursery, nursery.at_once)
    ThreadPoolExecutor(1).submit(asyncio.run, visit()).result(60)


@pytest.mark.parametrize("what", [signal.SIGSTOP, signal.SIGKILL], ids=["hangs", "dies"])
def test_a_page_whose_nursery_fails_gets_a_worker_all_the_same(nursery, monkeypatch, what):
    """One that is started by itself, and hears what was said to the one that was never born."""
    monkeypatch.setattr(session_module, "BIRTH", 0.2)
    monkeypatch.setattr(worker, "work", work)
    assert until(nursery, nursery.at_once)
    serving = nursery._serving

    async def visit():
        os.kill(serving.pid, signal.SIGSTOP)  # it hears of the page, and does nothing
        session = Session(nursery, asyncio.get_running_loop())
        unborn = session.worker
        session.tell("hello", "race")
        os.kill(serving.pid, what)
        assert await asyncio.wait_for(session.next(), 10) == b"HELLO"
        assert isinstance(session.worker, Spawned) and session.worker is not unborn
        assert session.restarts == 0 and not session.waiting  # the page need not know
        session.close()

    ThreadPoolExecutor(1).submit(asyncio.run, visit()).result(60)
    assert nursery._serving is None and not is_in(serving.pid, "RSTD")
    later = nursery.take()
    born(later)
    assert answer(later, b"again") == b"AGAIN"
    later.stop()


def test_a_room_that_cannot_be_prepared_is_given_up(nursery, monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 20)
    nursery.rooms += ["endless", "race"]
    assert until(nursery, nursery.at_once)
    late = nursery.take()
    born(late)
    assert answer(late, b"?") == b"race"
    late.stop()


def test_the_menu_is_known_without_a_nursery(nursery, monkeypatch):
    nursery._serving.process.kill()
    assert until(nursery, nursery.has_died)
    nursery.menu = None
    quick = SimpleNamespace(menu=lambda: {"rooms": {"race": "Drive"}})
    monkeypatch.setitem(sys.modules, "swerve.studio.menu", quick)
    assert nursery.know_menu() == {"rooms": {"race": "Drive"}}
