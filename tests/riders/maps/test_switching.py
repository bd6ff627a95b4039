"""Riders that change between physics and map: what a recording of it shows."""

import numpy as np

from swerve.riders import load_map, load_rider
from swerve.riders.maps.detail import Mixed


def test_nothing_jumps_in_the_frames_across_a_switch():
    """Twenty riders that turn, brake and push on, and change level about once a second.

    What a frame's place and lean are off from where the rates of it and of the last one lead, is no more in
    frames with a switch than in those without.
    """
    body, map_ = load_rider("human"), load_map("human")
    n, rng, full = 20, np.random.default_rng(5), {"wanted": np.zeros(20, dtype=bool)}
    ride = Mixed(body, map_, n, 6, lambda motion: full["wanted"])
    ride.put(np.zeros(n), 60.0 * np.arange(n), np.zeros(n))
    heading, speed, last, off, switched = np.zeros(n), np.full(n, body.speed), None, [], []
    for k in range(70):
        if k % 11 == 0:
            full["wanted"] = rng.random(n) < 0.3
        if k % 20 == 0:
            heading, speed = heading + rng.uniform(-0.4, 0.4, n), body.speed * rng.uniform(0.75, 1.1, n)
        before = ride.in_full.copy()
        ride.advance(heading, speed, 0.1)
        now = ride.motion()
        if last is not None:
            moved = np.hypot(
                now.x - last.x - 0.05 * (now.vx + last.vx), now.y - last.y - 0.05 * (now.vy + last.vy)
            )
            leant = np.degrees(np.abs(now.roll - last.roll - 0.05 * (now.roll_rate + last.roll_rate)))
            off.append(np.column_stack([moved, leant, np.abs(now.speed - last.speed)]))
            switched.append(ride.in_full != before)
        last = now
    across = np.concatenate(off)[np.concatenate(switched)]
    assert len(across) > 40 and not ride.motion().fell.any()
    assert ride.largest_jump["lean"] < 1.0 and ride.largest_jump["speed"] < 0.05
    place, lean, _ = across.max(axis=0)
    assert place < 0.02 and lean < 1.0
    assert across[:, 2].max() < 0.45  # [m/s] in 0.1 s: what brakes can do
