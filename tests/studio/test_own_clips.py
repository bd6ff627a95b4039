"""A person's clips: recorded, trimmed and added to a tree; and cars that are put on the road by hand."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary
from swerve.race.trees import load_tree
from swerve.studio.folder import Folder
from swerve.studio.frames import FRAME
from swerve.studio.rooms import open_room
from swerve.studio.rooms.clips import Clips
from swerve.studio.rooms.room import Outside
from swerve.studio.session import OPENING, Session
from swerve.studio.worker import Worker


@pytest.fixture
def words():
    return []


@pytest.fixture
def outside(tmp_path, words):
    return Outside(Folder(tmp_path), lambda kind, **what: words.append((kind, what)), lambda kind, data: None)


def last(words, kind):
    return next(what for said, what in reversed(words) if said == kind)


def driven(desk, speeds, touching=()):
    """Straight ahead with a swerve in the middle, recorded."""
    desk.hear({"type": "record", "on": True})
    x = np.cumsum(speeds) * 0.04
    for k, speed in enumerate(speeds):
        yaw = 0.5 * np.sin(np.pi * k / len(speeds)) ** 4
        velocity = speed * np.cos(yaw), speed * np.sin(yaw)
        desk.note(np.array([x[k], 0.0, yaw, *velocity, 0.0]), np.array([0.0, 10.0, 0.0]), k in touching)
    desk.hear({"type": "record", "on": False})


def test_a_clip_is_trimmed_to_where_it_fits_and_added_to_a_tree_that_is_used(outside, words):
    large = load_tree("large")
    desk = Clips(large, outside)
    driven(desk, np.concatenate([np.linspace(8, 10, 20), np.full(30, 10.0), np.linspace(10, 12, 20)]))
    proposed = last(words, "trimmed")
    assert proposed["nodes"] == ["sm2", "sm2"] and max(proposed["miss"]) < 0.6
    desk.hear({"type": "trim", "start": 22, "end": 48})
    assert last(words, "trimmed")["miss"] == pytest.approx([0.0, 0.0], abs=1e-6)
    desk.hear({"type": "add", "start": 22, "end": 48, "name": "mine"})
    assert last(words, "tree") == {"name": "mine.npz", "clips": len(large.clips) + 1}
    with pytest.raises(BadInput, match="already"):
        desk.hear({"type": "add", "start": 22, "end": 48, "name": "twice"})
    made = MotionLibrary.load(outside.folder.file("mine.npz"))
    assert made.node_names[made.source[-1]] == made.node_names[made.target[-1]] == "sm2"
    assert made.clips[-1].frames == 26 and made.name == "mine"
    assert "mine.npz" in {one["name"] for one in outside.folder.listing() if one["kind"] == "tree"}


def test_clips_that_touch_or_do_not_fit_and_names_that_lead_elsewhere_are_refused(outside, words):
    desk = Clips(load_tree("large"), outside)
    with pytest.raises(BadInput, match="record one first"):
        desk.hear({"type": "add", "name": "mine"})
    driven(desk, np.full(40, 12.0), touching=(5,))
    assert last(words, "trimmed")["touched"]
    with pytest.raises(BadInput, match="touched"):
        desk.hear({"type": "add", "start": 0, "end": 39, "name": "mine"})
    with pytest.raises(BadInput, match="from sm2, the nearest"):
        desk.hear({"type": "add", "start": 10, "end": 39, "name": "mine"})
    for name in ("../mine", "a/b", "", "x" * 50, "a.b"):
        with pytest.raises(BadInput, match="name"):
            desk.hear({"type": "add", "start": 10, "end": 39, "name": name, "tolerance": 3.0})
    desk.hear({"type": "add", "start": 10, "end": 39, "name": "mine", "tolerance": 3.0})
    with pytest.raises(BadInput, match="taken"):
        desk.hear({"type": "add", "start": 10, "end": 39, "name": "mine", "tolerance": 3.0})


def test_cars_are_added_to_a_track_and_dragged_along_it(outside, words):
    room = open_room({"room": "race", "track": "sharp-cornered", "tree": "five", "rival": False}, outside)
    room.hear({"type": "car"})
    room.hear({"type": "car", "speed": 8})
    stands, drives = last(words, "cars")["ids"]
    for _ in range(25):
        room.step()
    members = room.rivals.members
    assert members[stands].motion.speed[0] < 0.1 and members[drives].motion.speed[0] == pytest.approx(
        8, abs=1
    )
    goal = room.track.pose(150.0, 0.0)
    room.hear({"type": "drag", "id": stands, "x": goal[0] + 0.2, "y": goal[1]})
    assert np.hypot(*(members[stands].motion.pose[0, :2] - goal[:2])) < 0.3
    room.step()
    assert stands in room.frame()["id"] and not room.world.contacts
    with pytest.raises(BadInput, match="not added"):
        room.hear({"type": "drag", "id": int(room.mine.ids[0]), "x": 0, "y": 0})


def test_frames_of_a_room_that_was_left_do_not_reach_the_page():
    class Silent:
        pid = 1

        class pipe:
            @staticmethod
            def recv_bytes():
                raise EOFError

        def take(self):
            return self

    async def talk():
        session = Session(Silent(), asyncio.get_running_loop())
        session.closed = True
        session._arrived(FRAME + b"old", session.worker)
        told = []
        worker = Worker.__new__(Worker)
        worker.pipe = type("Pipe", (), {"send_bytes": staticmethod(told.append)})
        worker.say("opening", room="tactics", ask=2)
        session._arrived(told[0], session.worker)
        session._arrived(FRAME + b"new", session.worker)
        return told[0], [await session.next(), await session.next()]

    opening, got = ThreadPoolExecutor(1).submit(asyncio.run, talk()).result(60)
    assert opening.startswith(OPENING) and got == [opening, FRAME + b"new"]
