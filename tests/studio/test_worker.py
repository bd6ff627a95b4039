"""What a worker process does before anybody wants it, and how it keeps its pace."""

import json

import pytest

from swerve.studio import worker as module
from swerve.studio.folder import Folder
from swerve.studio.rooms import ROOMS
from swerve.studio.rooms.room import Room
from swerve.studio.worker import Worker


class Pipe:
    """Gives messages when their turn comes; None is a wait in vain. Then it is closed."""

    def __init__(self, *turns):
        self.turns, self.said, self.waits = list(turns), [], []

    def poll(self, patience):
        self.waits.append(patience)
        if not self.turns:
            raise EOFError
        if self.turns[0] is None:
            self.turns.pop(0)
            return False
        return True

    def recv_bytes(self):
        return json.dumps(self.turns.pop(0)).encode()

    def send_bytes(self, data):
        self.said.append(data)


def served(monkeypatch, tmp_path, prepare, *turns):
    """The rooms that a worker opens, and its pipe."""
    opened = []

    def open_room(asked, outside):
        opened.append(asked["room"])
        outside.say("a word", room=asked["room"])
        if asked["room"] == "tactics":
            raise RuntimeError("cannot be opened")
        return Room()

    monkeypatch.setattr(module, "open_room", open_room)
    pipe = Pipe(*turns)
    with pytest.raises(EOFError):
        Worker(pipe, Folder(tmp_path), prepare).serve()
    return opened, pipe


def test_a_worker_that_nobody_wants_opens_every_room_once_in_silence(monkeypatch, tmp_path):
    opened, pipe = served(monkeypatch, tmp_path, True, *[None] * 12)
    assert opened == list(ROOMS) and pipe.said == []
    assert pipe.waits[0] is not None and pipe.waits[-1] is None


def test_one_that_is_wanted_opens_that_room_at_once_and_no_other(monkeypatch, tmp_path):
    opened, pipe = served(monkeypatch, tmp_path, True, None, {"type": "open", "room": "city"}, None, None)
    assert opened == ["race", "city"]
    assert b'"a word"' in b"".join(pipe.said)
    assert served(monkeypatch, tmp_path, False, None, None)[0] == []


def test_a_frame_that_came_late_does_not_cost_the_next_one(monkeypatch, tmp_path):
    """25 steps a second, every other one 12 ms late: all are shown; of 100 steps a second only a third."""
    clock = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    for step, late, least, most in ((0.04, 0.012, 100, 100), (0.01, 0.0, 30, 34)):
        one = Worker(Pipe(), Folder(tmp_path), False)
        one.room, shown = Room(), []
        one.room.moving, one.room.dt = True, step
        monkeypatch.setattr(one, "_show", lambda shown=shown: shown.append(1))
        one.due = one.next = clock[0]
        for k in range(100):
            clock[0] += step + (late if k % 2 else -late)
            one._step()
        assert least <= len(shown) <= most
