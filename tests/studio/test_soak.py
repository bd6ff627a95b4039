"""A studio that runs for long keeps its memory: a little by default, an hour with SWERVE_SOAK=3600 [s]."""

import json
import os
import struct
import time
import tracemalloc
from pathlib import Path

import pytest

from conftest import RING
from swerve.studio.folder import Folder
from swerve.studio.frames import FRAME
from swerve.studio.rooms import open_room
from swerve.studio.rooms.room import Outside

GROWTH = 1.05
WARM = 240.0  # [s] of the world until what is kept of the past is full
SOAK = float(os.environ.get("SWERVE_SOAK", "0"))


def test_a_room_forgets_what_is_long_past(tmp_path):
    (tmp_path / "ring.yaml").write_text(RING.replace("seconds: 60", "seconds: 3600"))
    outside = Outside(Folder(tmp_path), lambda kind, **what: None, lambda kind, data: None)
    room = open_room({"room": "scenes", "scene": "ring.yaml", "seed": 1}, outside)
    room.tap.keep = 3.0

    def run(frames):
        for _ in range(frames):
            room.step()
            room.frame()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first = run(70)
        assert run(100) < GROWTH * first + 20_000
    finally:
        tracemalloc.stop()
    assert len(room.tap) <= 5 * 35


@pytest.mark.skipif(SOAK < 2 * WARM, reason="SWERVE_SOAK says for how many seconds, 480 or more")
def test_the_memory_of_a_soak_grows_by_less_than_a_twentieth(studio):
    connect = pytest.importorskip("websockets.sync.client").connect

    def memory():
        """[MB] of the server and of its workers."""
        pages = os.sysconf("SC_PAGE_SIZE") / 1e6
        numbers = [studio.process.pid, *studio.workers()]
        return sum(int(Path(f"/proc/{n}/statm").read_text().split()[1]) for n in numbers) * pages

    with connect(studio.socket, max_size=None) as link:
        link.send(json.dumps({"type": "open", "room": "city", "vehicles": 20, "people": 10, "seed": 1}))
        began, warm = time.monotonic(), None
        while time.monotonic() - began < SOAK:
            data = link.recv(60)
            if warm is None and data[:1] == FRAME and struct.unpack("<d", data[8:16])[0] > WARM:
                warm = memory()
        assert warm is not None, "the machine is too busy: the world has not come to its warm part"
        grown = memory() / warm
    print(f"\n{SOAK:g} s: {warm:.0f} MB, then {grown:.4f} of it")
    assert grown < GROWTH
