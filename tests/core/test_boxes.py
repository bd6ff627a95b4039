"""Outlines in three dimensions against sampled points and an independent projection."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from swerve.core.boxes import axes_of, gap_between, touching

place = st.tuples(*[st.floats(-3, 3)] * 3, st.floats(-3.2, 3.2), st.floats(-0.6, 0.6), st.floats(-0.6, 0.6))
size = st.tuples(*[st.floats(0.1, 2.0)] * 3)


def frame(body):
    return np.array(axes_of(*body[3:])).reshape(3, 3)


def share_a_point(a, half_a, b, half_b):
    """Whether a point lies in both boxes: a linear programme, which knows nothing of separating axes."""
    rows, limits = [], []
    for body, half in ((a, half_a), (b, half_b)):
        axes = frame(body)
        for axis, h in zip(axes, half, strict=True):
            middle = axis @ body[:3]
            rows += [axis, -axis]
            limits += [middle + h, h - middle]
    return linprog(np.zeros(3), A_ub=np.array(rows), b_ub=limits, bounds=[(None, None)] * 3).status == 0


@given(place, size, place, size)
@settings(max_examples=150, deadline=None)
def test_two_boxes_touch_exactly_when_they_share_a_point(a, half_a, b, half_b):
    a, half_a, b, half_b = (np.array(v) for v in (a, half_a, b, half_b))
    depth, *normal = touching(a, half_a, False, b, half_b, False)
    if abs(depth) > 1e-6:
        assert (depth > 0) == share_a_point(a, half_a, b, half_b)
    assert np.linalg.norm(normal) == pytest.approx(1.0)
    assert np.dot(normal, b[:3] - a[:3]) >= -1e-9


@given(place, size, place, size)
@settings(max_examples=100, deadline=None)
def test_moved_apart_along_the_normal_by_the_depth_they_part(a, half_a, b, half_b):
    a, half_a, b, half_b = (np.array(v) for v in (a, half_a, b, half_b))
    depth, *normal = touching(a, half_a, False, b, half_b, False)
    if depth > 0:
        moved = b.copy()
        moved[:3] += (depth + 1e-6) * np.array(normal)
        assert touching(a, half_a, False, moved, half_b, False)[0] <= 0


def test_axes_follow_the_conventions():
    up = frame((0, 0, 0, 0.0, 0.3, 0.0))
    assert up[0, 2] == pytest.approx(np.sin(0.3))  # nose up
    leaning = frame((0, 0, 0, 0.0, 0.0, 0.3))
    assert leaning[2, 1] == pytest.approx(-np.sin(0.3))  # the top goes to the right, −y
    turned = frame((0, 0, 0, np.pi / 2, 0.0, 0.0))
    assert turned[0] == pytest.approx([0, 1, 0], abs=1e-12)
    for axes in (frame((0, 0, 0, 1.0, 0.4, -0.5)), leaning):
        assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-12)
        assert np.cross(axes[0], axes[1]) == pytest.approx(axes[2], abs=1e-12)


@given(
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.floats(-3.2, 3.2),
    st.floats(0.3, 2),
    st.floats(0.3, 1),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_a_cylinder_against_a_box_by_sampling_its_rim(x, y, yaw, length, width, swapped):
    box, half = np.array([x, y, 0.0, yaw, 0.0, 0.0]), np.array([length, width, 0.7])
    disc, disc_half = np.array([0.0, 0.0, 0.2, 0.0, 0.0, 0.0]), np.array([0.4, 0.4, 0.9])
    grid = np.linspace(-1, 1, 161)
    px, py = (g.ravel() * 0.4 for g in np.meshgrid(grid, grid))
    inside = np.hypot(px, py) <= 0.4
    dx, dy = px[inside] - x, py[inside] - y
    u, v = np.cos(yaw) * dx + np.sin(yaw) * dy, np.cos(yaw) * dy - np.sin(yaw) * dx
    overlap = bool(((np.abs(u) < length) & (np.abs(v) < width)).any())
    depth = touching(disc, disc_half, True, box, half, False)[0]
    if swapped:
        depth = touching(box, half, False, disc, disc_half, True)[0]
    if abs(depth) > 0.02:
        assert (depth > 0) == overlap


def test_gap_is_the_distance_between_the_outlines():
    car, half = np.array([0.0, 0, 0.7, 0, 0, 0]), np.array([2.1, 0.9, 0.7])
    beside = np.array([0.0, 3.0, 0.7, 0, 0, 0])
    assert gap_between(car, half, False, beside, half, False) == pytest.approx(1.2)
    behind_corner = np.array([-2.1 - 3.0 - 0.3, -0.9 - 4.0, 0.7, 0, 0, 0])
    assert gap_between(car, half, False, behind_corner, np.array([0.3, 0.3, 0.9]), True) == pytest.approx(
        np.hypot(3.3, 4.0) - 0.3
    )
    across = np.array([0.0, 0.0, 0.7, np.pi / 2, 0, 0])
    assert gap_between(car, half, False, across, np.array([4.0, 0.2, 0.7]), False) == 0.0
    bridge = np.array([0.0, 0.0, 5.7, 0, 0, 0])
    assert gap_between(car, half, False, bridge, half, False) == pytest.approx(5.0 - 1.4)
