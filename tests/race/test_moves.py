"""What the search is told about a tree's clips is what the clips say."""

import numpy as np
import pytest

from plain_shapes import corners, inside
from swerve.race.car import LENGTH, WIDTH
from swerve.race.moves import pack_moves


def test_ends_targets_and_durations_are_the_clips_own(large):
    moves = pack_moves(large)
    for k, clip in enumerate(large.clips):
        x, y, heading = clip.pose[-1]
        np.testing.assert_allclose(
            moves.end[k], [x, y, np.cos(heading), np.sin(heading), heading], atol=1e-12
        )
        assert moves.frames[k] == clip.frames and moves.target[k] == large.target[k]
    for node in range(len(large.node_names)):
        choices = moves.order[moves.first[node] : moves.first[node + 1]]
        assert sorted(choices.tolist()) == np.flatnonzero(large.source == node).tolist()


@pytest.mark.parametrize("margin", [0.05, 0.5])
def test_pieces_of_a_clip_contain_its_outline_and_margin(large, margin):
    """Every corner of the outline, grown by the margin, lies in a piece at every frame."""
    moves = pack_moves(large, margin)
    for k, clip in enumerate(large.clips[::5]):
        rows = moves.pieces[moves.piece_start[5 * k] : moves.piece_start[5 * k + 1]]
        points = corners(clip.pose, LENGTH, WIDTH).reshape(-1, 2)
        held = np.zeros(len(points), dtype=bool)
        for x, y, ax, ay, half_length, half_width in rows[:, :6]:
            box = np.array([x, y, np.arctan2(ay, ax)])
            held |= inside(points, box, 2 * (half_length - margin), 2 * (half_width - margin))
        assert held.all()


def test_few_pieces_suffice(large):
    """A straight needs one, and no clip needs more than one a frame."""
    moves = pack_moves(large)
    counts = np.diff(moves.piece_start)
    straight = [k for k, clip in enumerate(large.clips) if np.abs(clip.pose[:, 1:]).max() < 0.05]
    assert len(straight) >= 7 and (counts[straight] == 1).all()
    assert (counts <= moves.frames).all() and counts.mean() < 8
