"""How a room is rehearsed, and how a worker process keeps its pace."""

import json

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


def test_a_room_is_rehearsed_in_silence_and_may_fail(monkeypatch, tmp_path):
    opened = []

    class Moving(Room):
        moving = True

        def __init__(self):
            self.steps = 0

        def step(self):
            self.steps += 1

    def open_room(asked, outside):
        opened.append((asked["room"], Moving()))
        outside.say("a word", room=asked["room"])
        if asked["room"] == "tactics":
            raise RuntimeError("cannot be opened")
        return opened[-1][1]

    monkeypatch.setattr(module, "open_room", open_room)
    for name in ROOMS:
        module.rehearse(name, str(tmp_path), 2)
    assert [name for name, _ in opened] == list(ROOMS)
    assert opened[0][1].steps == 2


def test_a_frame_that_came_late_does_not_cost_the_next_one(monkeypatch, tmp_path):
    """25 steps a second, every other one 12 ms late: all are shown; of 100 steps a second only a third."""
    clock = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    for step, late, least, most in ((0.04, 0.012, 100, 100), (0.01, 0.0, 30, 34)):
        one = Worker(Pipe(), Folder(tmp_path))
        one.room, shown = Room(), []
        one.room.moving, one.room.dt = True, step
        monkeypatch.setattr(one, "_show", lambda shown=shown: shown.append(1))
        one.due = one.next = clock[0]
        for k in range(100):
            clock[0] += step + (late if k % 2 else -late)
            one._step()
        assert least <= len(shown) <= most


def test_what_went_wrong_is_said_without_where_the_folder_lies(tmp_path):
    one = Worker(Pipe(), Folder(tmp_path))
    bad = tmp_path / "bad.csv"
    bad.write_text("x\n1\n")
    one._guarded(one._hear, json.dumps({"type": "open", "room": "race", "track": "bad.csv"}).encode())
    text = json.loads(one.pipe.said[-1][1:])["text"]
    assert "bad.csv" in text and str(tmp_path) not in text
