"""Wheels and gamepads: what their events mean, and a person who drives with one."""

import json
import os
import struct
import threading
import time

import pytest

from swerve.city.simulator import GAMEPAD, WHEEL, Joystick, LiveInputs
from swerve.cli.main import run
from swerve.core.errors import BadInput

BUTTON, AXIS, AT_START = 1, 2, 0x80
SCENARIO = """
driver: {at: {strip: 0, station: 25}, speed: 5, inputs: {live: true}}
"""


def event(kind, number, value):
    return struct.pack("<IhBB", 0, value, kind, number)


@pytest.fixture
def device(tmp_path):
    path = tmp_path / "js0"
    path.write_bytes(b"")
    return path


def test_a_gamepad(device):
    pad = Joystick(device, GAMEPAD, LiveInputs())
    for number in range(6):
        pad.take(event(AXIS | AT_START, number, 0))
    assert pad.live(None) == (0.0, 0.0, 0.0, 0)  # triggers that nobody has touched are not half pressed
    pad.take(event(AXIS, 0, 32767))  # stick to the right
    pad.take(event(AXIS, 5, 0))
    pad.take(event(AXIS, 2, 32767))
    assert pad.live(None) == pytest.approx((-1.0, 0.5, 1.0, 0))
    pad.take(event(AXIS, 2, -32767))
    pad.take(event(BUTTON, 0, 1))
    pad.take(event(BUTTON, 4, 1))
    assert pad.live(None) == pytest.approx((-1.0, -0.5, 0.0, 1))
    pad.take(event(BUTTON, 0, 0))
    pad.take(event(BUTTON, 4, 0))
    pad.take(event(AXIS, 0, -32768))
    assert pad.live(None) == pytest.approx((1.0, 0.5, 0.0, 0))


def test_a_wheel_whose_pedals_read_one_when_released(device):
    wheel = Joystick(device, WHEEL, LiveInputs())
    wheel.take(event(AXIS | AT_START, 2, 32767))
    wheel.take(event(AXIS, 3, -32767))
    wheel.take(event(AXIS, 0, -16384))
    assert wheel.live(None) == pytest.approx((0.5, 0.0, 1.0, 0), abs=1e-3)


def test_a_device_that_does_not_exist_or_goes_away(device, tmp_path):
    with pytest.raises(BadInput, match="js7"):
        Joystick(tmp_path / "js7", GAMEPAD, LiveInputs())
    os.remove(device)
    os.mkfifo(device)
    writer = threading.Thread(target=lambda: device.write_bytes(event(AXIS, 5, 32767)))
    writer.start()
    pad = Joystick(device, GAMEPAD, LiveInputs()).start()
    writer.join()
    for _ in range(200):
        if pad.lost:
            break
        time.sleep(0.01)
    assert pad.lost and pad.live(None).throttle == 0.0


def test_driving_by_hand(tmp_path, capsys, monkeypatch):
    """Full throttle through a pipe that stands for the device: the car speeds up."""
    device, scenario = tmp_path / "js0", tmp_path / "hand.yaml"
    scenario.write_text(SCENARIO)
    os.mkfifo(device)
    over = threading.Event()

    def press():
        with device.open("wb", buffering=0) as pipe:
            pipe.write(event(AXIS, 5, 32767))
            over.wait(60.0)

    hand = threading.Thread(target=press)
    hand.start()
    waits = []
    monkeypatch.setattr("swerve.cli.city_link.time.sleep", waits.append)
    words = ["city", "grid", "--blocks", "3", "--vehicles", "4", "--seconds", "2", "--scenario"]
    code = run([*words, str(scenario), "--wheel", str(device), "--out", str(tmp_path), "--no-page", "--json"])
    over.set()
    hand.join()
    assert code == 0 and len(waits) == 20 and max(waits) > 0.0  # by the clock
    json.loads(capsys.readouterr().out)
    rows = (tmp_path / "driver.csv").read_text().splitlines()
    column = rows[0].split(",").index("speed")
    assert float(rows[-1].split(",")[column]) > 6.0
    assert run(["city", "grid", "--wheel", str(device), "--json"]) == 2
    assert "--scenario" in capsys.readouterr().err
