"""The server without a browser: who is let in, what is refused, and that others keep working meanwhile."""

import json
import os
import socket
import struct
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest

from conftest import Studio, circle
from swerve.core.errors import BadInput
from swerve.studio.folder import Folder
from swerve.studio.frames import Newcomers, Tap, packet
from swerve.studio.guard import BURST, MOST_BYTES, Guard

connect = pytest.importorskip("websockets.sync.client", reason="needs websockets").connect
closed = pytest.importorskip("websockets.exceptions").ConnectionClosed


def words(link, kind, tries=400):
    """The next message of that type."""
    for _ in range(tries):
        data = link.recv(60)
        if isinstance(data, str):
            said = json.loads(data)
            assert kind == "error" or said["type"] != "error", said
            if said["type"] == kind:
                return said
    raise AssertionError(f"no {kind}")


def open_ring(link):
    link.send(json.dumps({"type": "open", "room": "scenes", "scene": "ring.yaml", "seed": 1}))
    return words(link, "opened")


def status(url, **headers):
    try:
        return urlopen(Request(url, headers=headers), timeout=20).status
    except HTTPError as error:
        return error.code


def test_files_come_from_the_folder_alone(folder):
    files = Folder(folder)
    assert {one["name"] for one in files.listing()} == {
        "slow.parquet",
        "quick.parquet",
        "far.parquet",
        "ring.yaml",
    }
    (folder / "link.parquet").symlink_to(folder.parent / "outside.parquet")
    for name in (
        "../outside.parquet",
        "link.parquet",
        str(folder.parent / "outside.parquet"),
        "a\0.parquet",
        "",
    ):
        with pytest.raises(BadInput):
            files.file(name)
    (folder / "link.parquet").unlink()
    (folder / ".hidden.parquet").write_bytes(b"")
    with pytest.raises(BadInput, match="hidden"):
        files.file(".hidden.parquet")


def test_a_token_is_asked_for_where_others_can_connect():
    near, far = Guard.of("127.0.0.1"), Guard.of("0.0.0.0")
    assert near.token is None and far.token is not None and len(far.token) > 20
    host = {"host": "studio.lan:8350"}
    assert "token" in far.refuses(host, {}, {}) and "token" in far.refuses(host, {"token": "wrong"}, {})
    assert far.refuses(host, {"token": far.token}, {}) == ""
    assert "own" in far.refuses({**host, "origin": "http://evil.example"}, {"token": far.token}, {})
    assert "this machine" in near.refuses({"host": "evil.example:8350"}, {}, {})
    with pytest.raises(BadInput, match="--host"):
        Guard.of("")  # would listen everywhere


def test_a_studio_for_others_refuses_whoever_has_no_token(folder, built):
    running = Studio(folder, "--host", "0.0.0.0")
    try:
        base = f"http://127.0.0.1:{running.port}/"
        token = running.url.partition("token=")[2]
        assert status(base) == 403 and status(f"{base}api/menu?token=nonsense") == 403
        assert status(f"{base}?token={token}") == 200
        assert status(running.url) == 200 and "0.0.0.0" not in running.url
        with pytest.raises(Exception, match="403"):
            connect(running.socket)
    finally:
        running.stop()


def test_foreign_origins_and_paths_are_refused(studio):
    base = f"http://127.0.0.1:{studio.port}"
    assert status(base + "/") == 200
    assert status(base + "/api/menu", Origin="http://evil.example") == 403
    assert status(base + "/api/menu", Host="evil.example") == 403
    for path in ("/../server.py", "/%2e%2e/server.py", "/assets/../../server.py", "//etc/passwd"):
        assert status(base + path) == 404
    with pytest.raises(Exception, match="403"):
        connect(studio.socket, origin="http://evil.example")


def test_bad_requests_get_a_line_and_the_worker_goes_on(studio):
    with connect(studio.socket) as link:
        for bad in (
            {"room": "nowhere"},
            {"room": "recordings", "file": "../outside.parquet"},
            {"room": "scenes", "scene": "../../etc/passwd"},
            {"room": "scenes", "scene": "ring.yaml", "seed": "x"},
        ):
            link.send(json.dumps({"type": "open", **bad}))
            text = words(link, "error")["text"]
            assert "\n" not in text and "Traceback" not in text
        assert open_ring(link)["room"] == "scenes"
        link.send(json.dumps({"type": "dance"}))
        assert "not known" in words(link, "error")["text"]


@pytest.mark.parametrize(
    "bad", ["100 MB", "not JSON", "no object", "bytes", "a flood", "a broken frame"], ids=lambda s: s
)
def test_what_is_too_much_or_broken_is_refused_and_others_keep_working(studio, bad):
    with connect(studio.socket) as steady:
        open_ring(steady)
        if bad == "a broken frame":
            broken_frame(studio.port)
        else:
            with connect(studio.socket) as link, pytest.raises(closed) as end:
                send_bad(link, bad)
                while True:
                    link.recv(30)
            assert end.value.rcvd is None or end.value.rcvd.code in (1007, 1008, 1009)
        steady.send(json.dumps({"type": "play", "on": False}))
        while words(steady, "state")["playing"]:
            pass


def send_bad(link, bad):
    if bad == "100 MB":
        link.send("x" * 100_000_000)
    elif bad == "a flood":
        for _ in range(10_000):
            link.send('{"type": "hands"}')
    else:
        link.send({"not JSON": "{", "no object": "[1]", "bytes": b"\1\2"}[bad])


def broken_frame(port):
    """A handshake by hand, then a frame with a reserved opcode and no mask: the server hangs up."""
    with socket.create_connection(("127.0.0.1", port), 20) as raw:
        raw.sendall(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        assert b"101" in raw.recv(1000)
        raw.sendall(b"\x8b\x05hello" + os.urandom(64))
        while raw.recv(4096):
            pass


def test_a_packet_says_where_everybody_is():
    recording = circle()
    tap = Tap(keep=5.0)
    for t in recording.times:
        rows = recording.where(recording["t"] == t)
        tap.add(float(t), {name: rows[name] for name in rows.columns if name != "t"})
    newest = tap.newest()
    assert newest["t"].tolist() == [recording.times[-1]] and len(tap) <= 56
    data = packet(newest)
    count, t = struct.unpack("<Id", data[4:16])
    place = np.frombuffer(data, "<f4", 3, 20)
    assert (count, t) == (1, recording.times[-1])
    assert place == pytest.approx([recording["x"][-1], recording["y"][-1], 0.7], abs=1e-4)
    newcomers = Newcomers(ego=1)
    assert [look.colour for look in newcomers.looks(newest)] == ["#d1495b"] and not newcomers.looks(newest)


def test_limits_are_what_a_page_can_keep_to():
    assert MOST_BYTES < 1_000_000 and BURST >= 100
