"""Estimates: where they must be exact, and where they may never be too large."""

import numpy as np
import pytest

from swerve.race.guide import far_guide, track_guide
from swerve.race.lost import BINS, lost_frames
from swerve.race.tracks import load_track


def test_nothing_is_lost_at_top_speed_towards_the_goal(large):
    lost = lost_frames(large)
    assert lost.shape == (len(large.node_names), BINS)
    fast = int(np.argmax(large.node_velocity[:, 0]))
    assert lost.min() >= 0 and lost[fast, 0] == pytest.approx(lost.min(), abs=1.0)
    assert (np.diff(lost[:, 0]) < 1e-6).all()  # the slower, the more is lost
    np.testing.assert_allclose(lost, np.roll(lost[:, ::-1], 1, axis=1), atol=0.5)  # left and right are alike
    assert lost[fast, BINS // 2] > lost[fast, BINS // 4] > lost[fast, 0]


def test_lost_frames_are_what_the_best_clips_lose(seven):
    """L(θ) = min over clips of frames − advance / top + L(θ − turn); turns of 10 and 15° face every bin."""
    lost = lost_frames(seven)[0]
    top = max(np.hypot(*np.diff(clip.pose[:, :2], axis=0).T).max() for clip in seven.clips)
    angle = 2 * np.pi * np.arange(BINS) / BINS
    best = np.full(BINS, np.inf)
    for clip in seven.clips:
        x, y, turn = clip.pose[-1]
        shift = round(turn * BINS / (2 * np.pi))
        later = lost[(np.arange(BINS) - shift) % BINS]
        best = np.minimum(best, clip.frames - (x * np.cos(angle) + y * np.sin(angle)) / top + later)
    steady = best - lost
    np.testing.assert_allclose(steady, 0.0, atol=1e-3)
    assert np.abs(lost[2:] - lost[:-2]).max() < 12.5  # [frames] by 10°: half a clip; 5° take a hard turn


@pytest.mark.parametrize("improved", [False, True])
@pytest.mark.parametrize("name", ["sharp-cornered", "final"])
def test_estimate_shrinks_along_the_track_and_is_nothing_at_the_finish(name, improved, large):
    track = load_track(name)
    guide = track_guide(large, track, improved)
    fast = int(np.argmax(large.node_velocity[:, 0]))
    to_go = guide.value[: len(track.s), fast]
    at = np.arange(0.0, track.finish + 1, 25.0)
    values = np.interp(at, track.s, to_go)
    assert (np.diff(values) < (8.0 if improved else 1e-9)).all()
    assert np.interp(track.finish, track.s, to_go) == pytest.approx(0.0, abs=2.0)
    top = large.top_speed * large.dt
    if improved:
        assert values[0] > track.finish / top  # corners cost time
    else:
        assert 0.5 * track.finish / top < values[0] <= track.finish / top + 1e-6


def test_far_guide_knows_the_point_and_the_top_speed(large):
    guide = far_guide(large, np.array([3.0, 4.0]), improved=False)
    assert guide.far and guide.goal[:2].tolist() == [3.0, 4.0]
    assert guide.goal[2] == pytest.approx(large.top_speed * large.dt)
