"""Cameras are found again from clicked points and lines, and colours from labelled pixels."""

import numpy as np
import pytest
from plain_stand import CAMERA, PITCH, small_stand

from swerve.core.errors import BadInput
from swerve.soccer.eyes import Camera, ColourTable, calibrate, camera_error
from swerve.soccer.eyes.labels import read_labels
from swerve.soccer.eyes.stand import CLICKS


def test_pixels_and_places_are_inverse_to_the_rim():
    u, v = np.meshgrid(np.linspace(0, CAMERA.width - 1, 9), np.linspace(0, CAMERA.height - 1, 7))
    pixels = np.column_stack([u.ravel(), v.ravel()])
    for height in (0.0, 0.15):
        places = CAMERA.unproject(pixels, height)
        back = CAMERA.project(np.column_stack([places, np.full(len(places), height)]))
        assert np.abs(back - pixels).max() < 1e-8
    again = Camera.from_numbers(CAMERA.numbers, CAMERA.width, CAMERA.height)
    assert np.abs(again.project(places) - CAMERA.project(places)).max() < 1e-9


def test_a_lens_does_not_fold_far_things_into_its_picture():
    bent = Camera(np.array([600.0, 300, 225, -0.3, 0.0]), np.zeros(3), np.array([0.0, 0.0, 2.6]), 600, 450)
    far = np.array([[4.7, 0.0]])  # beyond the angle at which this lens turns back
    u, v = bent.project(far)[0]
    assert 0 < u < 600 and 0 < v < 450 and not bent.sees(far)[0]
    assert bent.sees(np.array([[0.5, 0.5]]))[0]


def test_a_known_camera_is_found_to_a_third_of_a_pixel():
    found = small_stand().calibrations[0]
    assert CLICKS == 12 and len(found.places) > 100
    assert camera_error(found.camera, CAMERA, PITCH) < 0.05
    assert camera_error(found.camera, CAMERA, PITCH, 0.15) < 0.3
    assert found.lines_error < 0.1 < found.points_error  # lines are found far better than a hand clicks


def test_points_alone_give_a_rough_camera_and_lines_mend_it():
    points = PITCH.corners()[CAMERA.sees(PITCH.corners(), 5)]
    random = np.random.default_rng(4)
    pixels = CAMERA.project(points) + random.normal(0, 1, (len(points), 2))
    rough = calibrate(points, pixels, height=2.6, size=(600, 450))
    assert 0.3 < camera_error(rough.camera, CAMERA, PITCH) < 5


@pytest.mark.parametrize(
    "points, pixels, told",
    [
        (np.zeros((3, 2)), np.zeros((3, 2)), "must be at least 4"),
        (np.zeros((5, 2)), np.zeros((4, 2)), "must be 5 pixels"),
        (np.c_[np.arange(5.0), np.zeros(5)], np.zeros((5, 2)), "must not lie on one line"),
        (np.full((5, 2), np.nan), np.zeros((5, 2)), "must be finite"),
    ],
)
def test_points_that_cannot_do_are_refused(points, pixels, told):
    with pytest.raises(BadInput, match=told):
        calibrate(points, pixels, size=(600, 450))


def test_a_wrong_click_is_named():
    points = PITCH.corners()[CAMERA.sees(PITCH.corners(), 5)]
    pixels = CAMERA.project(points)
    pixels[3] += (150.0, -120.0)
    place = ", ".join(f"{v:g}" for v in points[3])
    with pytest.raises(BadInput, match=f"control point at {place} m: lies .* look for a wrong click"):
        calibrate(points, pixels, height=2.6, size=(600, 450))


def test_mirrored_points_are_refused_and_turned_ones_are_not():
    points = PITCH.corners()[CAMERA.sees(PITCH.corners(), 5)]
    pixels = CAMERA.project(points)
    with pytest.raises(BadInput, match="are mirrored: seen from above, y points to the left of x"):
        calibrate(points * [1, -1], pixels, height=2.6, size=(600, 450))
    found = calibrate(-points, pixels, height=2.6, size=(600, 450))
    assert found.points_error < 1.0


@pytest.mark.parametrize("scale", [1000.0, 2.0])
def test_points_in_other_units_or_on_a_larger_field_are_refused(scale):
    points = PITCH.corners()[CAMERA.sees(PITCH.corners(), 5)]
    empty = np.zeros((450, 600, 3), np.uint8)
    with pytest.raises(BadInput, match=r"lies outside a field of .* m; places are in metres, got \["):
        calibrate(scale * points, CAMERA.project(points), empty, PITCH, 2.6)


def test_a_picture_without_lines_is_refused():
    points = PITCH.corners()[CAMERA.sees(PITCH.corners(), 5)]
    with pytest.raises(BadInput, match="field lines: too few"):
        calibrate(points, CAMERA.project(points), np.zeros((450, 600, 3), np.uint8), PITCH, 2.6)


def test_a_table_comes_back_from_its_file_and_others_are_refused(tmp_path):
    table = small_stand().eyes.tables[0]
    back = ColourTable.load(table.save(tmp_path / "t.npz"))
    assert all(np.array_equal(getattr(back, name), getattr(table, name)) for name in vars(table))
    (tmp_path / "no.npz").write_bytes(b"PK\x03\x04 not a table")
    np.savez(
        tmp_path / "half.npz",
        cells=table.cells[:-1],
        bits=5,
        tiles=table.tiles,
        light=table.light,
        carpet=table.carpet,
    )
    for name in ("no.npz", "half.npz", "none.npz"):
        with pytest.raises(BadInput):
            ColourTable.load(tmp_path / name)


@pytest.mark.parametrize(
    "text, told",
    [
        ("a,b\n1,2\n", "must have the columns"),
        ("u,v,colour\n1,2,purple\n", "line 2, colour: must be one of orange"),
        ("u,v,colour\n1,x,blue\n", "must be whole numbers"),
        ("u,v,colour\n1,900,blue\n", "is outside"),
        ("u,v,colour\n", "has no rows"),
    ],
)
def test_labels_that_cannot_be_are_refused(tmp_path, text, told):
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(BadInput, match=told):
        read_labels(tmp_path / "labels.csv", 600, 450)
