"""Boxes, segments and polylines against plain recomputation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plain_shapes import boxes_apart, boxes_touch, boxes_touch_segments, corners, point_to_segments
from swerve.core.geometry import (
    arc_length,
    box_gap,
    box_hits_segment,
    directions,
    outlines,
    point_segment_distance,
    resample,
    wrap,
    wrapped,
)

place = st.floats(-20, 20)
angle = st.floats(-10, 10)
half = st.floats(0.05, 8)


@given(place, place, angle, half, half, place, place, place, place)
def test_box_meets_segment_as_sides_and_ends_say(x, y, heading, a, b, x0, y0, x1, y1):
    c, s = np.cos(heading), np.sin(heading)
    hit = box_hits_segment(x, y, c, s, a, b, x0, y0, x1, y1)
    segment = np.array([[x0, y0, x1, y1]])
    pose = np.array([[x, y, heading]])
    if hit != boxes_touch_segments(pose, 2 * a, 2 * b, segment).item():  # only a graze may be seen either way
        larger = boxes_touch_segments(pose, 2 * a + 1e-6, 2 * b + 1e-6, segment).item()
        smaller = boxes_touch_segments(pose, 2 * a - 1e-6, 2 * b - 1e-6, segment).item()
        assert larger and not smaller


@given(place, place, angle, half, half, place, place, angle, half, half)
def test_box_gap_is_zero_or_less_exactly_on_contact_and_never_too_large(x, y, h, a, b, ox, oy, oh, oa, ob):
    gap = box_gap(x, y, np.cos(h), np.sin(h), a, b, ox, oy, np.cos(oh), np.sin(oh), oa, ob)
    one, other = np.array([[x, y, h]]), np.array([[ox, oy, oh]])
    touching = boxes_touch(one, (2 * a, 2 * b), other, (2 * oa, 2 * ob)).item()
    if abs(gap) > 1e-6:
        assert (gap < 0) == touching
    apart = boxes_apart(one, (2 * a, 2 * b), other, (2 * oa, 2 * ob))
    assert gap <= apart + 1e-9
    assert gap >= apart / np.sqrt(2) - 1e-6 or touching


@given(place, place, place, place, place, place)
def test_distance_from_point_to_segment(px, py, x0, y0, x1, y1):
    found = point_segment_distance(px, py, x0, y0, x1, y1)
    share = np.linspace(0, 1, 2001)
    seen = np.hypot(px - x0 - share * (x1 - x0), py - y0 - share * (y1 - y0)).min()
    assert found <= seen + 1e-9
    assert found >= seen - np.hypot(x1 - x0, y1 - y0) / 2000
    assert found == pytest.approx(
        point_to_segments(np.array([[px, py]]), np.array([[x0, y0, x1, y1]])).item()
    )


def test_outlines_are_boxes_counter_clockwise_from_front_left():
    poses = np.array([[1.0, 2.0, 0.3], [-4.0, 0.5, 2.9]])
    np.testing.assert_allclose(outlines(poses, 4.2, 1.8), corners(poses, 4.2, 1.8), atol=1e-12)
    np.testing.assert_allclose(outlines(np.zeros(3), 4.0, 2.0)[0], [[2, 1], [-2, 1], [-2, -1], [2, -1]])


@pytest.mark.parametrize("closed", [False, True])
@given(radius=st.floats(20, 200), spacing=st.floats(0.5, 5))
def test_resampling_spaces_evenly_and_keeps_length_and_columns(closed, radius, spacing):
    t = np.linspace(0, 2 * np.pi if closed else np.pi, 400, endpoint=not closed)
    points = np.column_stack([radius * np.cos(t), radius * np.sin(t), 3.0 + np.cos(t)])
    even = resample(points, spacing, closed)
    steps = np.diff(arc_length(even[:, :2], closed))
    assert steps.max() - steps.min() < 0.02 * spacing
    assert steps.mean() == pytest.approx(spacing, rel=0.2)
    way = radius * (2 * np.pi if closed else np.pi)
    assert steps.sum() == pytest.approx(way, rel=0.01)
    np.testing.assert_allclose(even[:, 2], 3 + even[:, 0] / radius, atol=0.02)
    tangent = directions(even[:, :2], closed)
    np.testing.assert_allclose(np.hypot(*tangent.T), 1)
    inward = (tangent * even[:, :2]).sum(axis=1) / radius
    assert np.abs(inward[1:-1]).max() < 0.02


@given(st.floats(-50, 50))
def test_wrapped_angles_point_the_same_way(angle):
    one, many, compiled = wrap(angle), wrap(np.array([angle]))[0], wrapped(angle)
    assert one == many == compiled and -np.pi <= one <= np.pi
    assert np.hypot(np.cos(one) - np.cos(angle), np.sin(one) - np.sin(angle)) < 1e-12
    if abs(angle) < 3.14:
        assert one == angle
