"""The racing line stays on the road and bends less than the centre line."""

import numpy as np
import pytest

from swerve.race.car import WIDTH
from swerve.race.line import EDGE, racing_line
from test_track import TRACKS


def bend(points: np.ndarray, closed: bool) -> float:
    if closed:
        points = np.vstack([points[-1:], points, points[:1]])
    return float((np.diff(points, 2, axis=0) ** 2).sum())


@pytest.mark.parametrize("name", TRACKS)
def test_line_stays_on_the_road_and_is_less_bent_than_the_centre(name):
    track = TRACKS[name]
    offset = racing_line(track)
    room = WIDTH / 2 + EDGE
    assert (offset <= track.left - room + 1e-9).all() and (offset >= -(track.right - room) - 1e-9).all()
    line = track.centre + offset[:, None] * track.normal
    assert bend(line, track.closed) < 0.8 * bend(track.centre, track.closed)
    np.testing.assert_array_equal(offset, racing_line(track))


def test_line_cuts_to_the_inside_of_a_corner():
    track = TRACKS["sharp-cornered"]
    offset = racing_line(track)
    heading = np.unwrap(np.arctan2(track.tangent[:, 1], track.tangent[:, 0]))
    sharpest = int(np.argmax(np.abs(np.gradient(heading))))
    assert offset[sharpest] * np.gradient(heading)[sharpest] > 0
