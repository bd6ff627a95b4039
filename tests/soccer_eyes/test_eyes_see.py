"""What is on the field is seen: every number, half hidden balls, drifted colours, and nothing that is not
there."""

from dataclasses import replace

import numpy as np
import pytest
from plain_stand import CAMERA, PITCH, small_stand
from scipy import ndimage

from swerve.core.seeding import generator
from swerve.soccer.eyes import Disturbance, Scene, Sighting, Tally, light_of, look, random_scene
from swerve.soccer.eyes.boxes import everywhere, joined, strips_of
from swerve.soccer.eyes.detect import Detection
from swerve.soccer.eyes.follow import Following
from swerve.soccer.eyes.merge import merge
from swerve.soccer.eyes.moving import moving
from swerve.soccer.eyes.pattern import NUMBER_OF, PINK
from swerve.soccer.eyes.regions import AREA, COLOUR, U, V, find_regions
from swerve.soccer.eyes.render import Sheet, glimpse, take
from swerve.soccer.eyes.stand import PLAIN_LIGHT, nobody, sheets_of
from swerve.soccer.eyes.table import LEVELS, OWN, index_parts, lamps_of, sample_of, tiles_of


def seen(scene, light=PLAIN_LIGHT, seed=0):
    return look(small_stand(), scene, light, generator(seed, "test look"))


def all_numbers(team, seed):
    """Eight robots of a team twice: the sixteen numbers in two scenes."""
    random = np.random.default_rng(seed)
    x, y = np.meshgrid([-0.85, -0.3, 0.3, 0.85], [-0.35, 0.35])
    for half in range(2):
        pose = np.column_stack([x.ravel(), y.ravel(), random.uniform(-np.pi, np.pi, 8)])
        yield Scene(pose, random.normal(0, 1.0, (8, 3)), np.full(8, team), np.arange(8) + 8 * half)


@pytest.mark.parametrize("team", [0, 1])
def test_every_number_of_both_teams_is_read(team):
    for scene in all_numbers(team, seed=team):
        found = seen(scene).sighting.robots
        assert set(found) == {(team, int(n)) for n in scene.number}
        for pose, number in zip(scene.pose, scene.number, strict=True):
            off = found[team, int(number)] - pose
            assert np.hypot(*off[:2]) < 0.003 and abs((off[2] + np.pi) % (2 * np.pi) - np.pi) < np.radians(
                1.5
            )


def test_patterns_are_sixteen_different_ones():
    assert len({tuple(row) for row in PINK}) == 16 and sorted(NUMBER_OF) == list(range(16))


@pytest.mark.parametrize("drift, whose", [(0.08, "both"), (0.15, "both"), (0.15, "lamps"), (0.15, "paints")])
def test_random_scenes_within_the_bars_also_when_colours_have_drifted(drift, whose):
    disturbance, random, tally = Disturbance(drift=drift, drift_of=whose), generator(9, "scenes"), Tally()
    for k in range(6):
        scene = random_scene(PITCH, random, robots=3)
        tally.add(small_stand(), scene, seen(scene, light_of(disturbance, random), k))
    figures = tally.figures()
    assert figures["robots"] > 20 and figures["missed"] == figures["wrong_identity"] == 0
    assert figures["position_error_mm"]["median"] < 4 and figures["position_error_mm"]["p99"] < 12
    assert figures["angle_error_deg"]["p99"] < 1.5 and figures["false_balls"] == 0


def test_where_the_carpet_mirrors_a_lamp_there_is_no_more_light_on_what_stands_above():
    carpet = np.array([35.0, 88.0, 44.0])
    plain = np.tile(carpet, (240, 360, 1))
    plain[:, 180:] *= 0.8  # half of the field is darker
    v, u = np.mgrid[:240, :360]
    spot = 67 * np.exp(-((u - 90) ** 2 + (v - 90) ** 2) / (2 * 50.0**2))
    (kinds, light), (spoilt, other) = tiles_of(plain), tiles_of(plain + spot[..., None])
    assert np.allclose(light[kinds], other[spoilt], rtol=0.02)


def test_a_carpet_of_another_colour_is_not_taken_for_other_lamps():
    picture = np.tile(np.array([40, 90, 50], np.uint8), (120, 120, 1))
    drifted = picture[0, 0] * np.array([0.87, 1.14, 0.87])
    assert np.allclose(lamps_of(drifted, picture), 1.0)
    assert np.allclose(lamps_of(0.5 * drifted, picture), 0.5 * np.exp(OWN) * np.array([1, 1, 1]), rtol=0.15)


def test_the_empty_field_is_empty():
    found = seen(nobody())
    assert found.sighting.robots == {} and found.sighting.ball is None


def beside(away, behind):
    """A robot, and a ball behind it as the camera sees it, or in front."""
    at = np.array([0.75, 0.0])
    out = (at - CAMERA.place[:2]) / np.hypot(*(at - CAMERA.place[:2]))
    ball = at + (1 if behind else -1) * away * out
    turn = np.arctan2(-out[1], -out[0]) if behind else np.arctan2(out[1], out[0])
    return Scene(
        np.array([[*at, turn]]), np.zeros((1, 3)), np.array([0]), np.array([3]), np.array([*ball, 0.0215])
    )


def test_half_a_ball_is_put_where_the_whole_one_is():
    shares = []
    for away in np.arange(0.117, 0.15, 0.004):
        scene = beside(away, behind=True)
        found = seen(scene)
        shares.append(found.seen[0])
        if 0.5 <= found.seen[0] < 0.9:
            assert np.hypot(*(found.sighting.ball - scene.ball[:2])) < 0.004
    assert any(0.5 <= share < 0.85 for share in shares)  # there were half hidden ones


def test_a_ball_in_front_is_whole_and_a_hidden_one_is_not_invented():
    scene = beside(0.113, behind=False)
    found = seen(scene)
    assert found.seen[0] > 0.9 and np.hypot(*(found.sighting.ball - scene.ball[:2])) < 0.003
    hidden = seen(beside(0.1115, behind=True))
    assert hidden.seen[0] < 0.5
    if hidden.sighting.ball is not None:
        assert np.hypot(*(hidden.sighting.ball - beside(0.1115, True).ball[:2])) < 0.03


def test_regions_are_those_of_an_independent_labelling():
    random = np.random.default_rng(2)
    colours = ndimage.zoom(random.integers(0, 4, (40, 50)), 3, order=0) * (random.random((120, 150)) < 0.8)
    picture = np.zeros((120, 150, 3), dtype=np.uint8)
    picture[..., 2] = 8 * colours + 4
    cells = np.zeros(1 << 15, dtype=np.uint8)
    cells[: len(range(4))] = range(4)
    parts = index_parts(5, np.ones(LEVELS), np.ones(3))
    found = find_regions(picture, parts, np.zeros((2, 3), np.uint8), cells, 1, everywhere(120, 150))
    expected = []
    for colour in (1, 2, 3):
        labels, n = ndimage.label(colours == colour, np.ones((3, 3)))
        for k in range(1, n + 1):
            v, u = np.nonzero(labels == k)
            expected.append((colour, len(u), u.mean(), v.mean()))
    got = sorted((r[COLOUR], r[AREA], r[U], r[V]) for r in found)
    assert len(got) == len(expected) > 100
    assert np.allclose(got, sorted(expected))


def test_noise_alone_neither_stops_nor_fools_it():
    random = np.random.default_rng(0)
    stand = small_stand()
    noise = random.integers(0, 256, (450, 600, 3), dtype=np.uint8)
    for picture in (noise, np.zeros_like(noise), np.full_like(noise, 255)):
        assert not stand.eyes.see([picture]).robots


def detection(robots=(), balls=()):
    return Detection(
        np.array(robots, dtype=float).reshape(-1, 9), np.array(balls, dtype=float).reshape(-1, 5)
    )


def test_cameras_agree_on_one_robot_and_the_better_view_wins():
    one = [0, 3, 1.000, 0.0, np.pi - 0.01, 4, 0.001, 300, 225]
    two = [0, 3, 1.002, 0.0, -np.pi + 0.01, 4, 0.001, 300, 225]
    wrong = [0, 3, 2.0, 0.0, 0.0, 3, 0.01, 10, 10]
    both = merge([detection([one]), detection([two])], [CAMERA, CAMERA]).robots[0, 3]
    assert both[0] == pytest.approx(1.001) and abs(abs(both[2]) - np.pi) < 1e-6
    assert merge([detection([one]), detection([wrong])], [CAMERA, CAMERA]).robots[0, 3][0] == pytest.approx(
        1.0
    )
    balls = [detection(balls=[[0.5, 0.0, 0.4, 10, 10]]), detection(balls=[[0.7, 0.0, 0.9, 300, 200]])]
    assert merge(balls, [CAMERA, CAMERA]).ball == pytest.approx([0.7, 0.0])


def test_the_tracker_behind_fills_frames_in_which_a_robot_was_not_seen():
    scene = Scene(
        np.zeros((1, 3)), np.array([[1.0, 0, 0]]), np.array([1]), np.array([4]), np.array([0.5, 0, 0.02])
    )
    following = Following(scene)
    for k in range(60):
        at = np.array([k / 60, 0.0, 0.0])
        found = Sighting({(1, 4): at} if k % 7 else {}, np.array([0.5, 0.0]))
        believed = following.update(k / 60, found)
        if k > 20:
            assert np.hypot(*(believed.robots[1, 4][:2] - at[:2])) < 0.03
    assert believed.ball == pytest.approx([0.5, 0.0], abs=1e-6)


def test_the_same_seed_gives_the_same_picture():
    scene = replace(next(all_numbers(0, 5)))
    first, second, other = seen(scene, seed=1), seen(scene, seed=1), seen(scene, seed=2)
    assert np.array_equal(first.pictures[0], second.pictures[0])
    assert not np.array_equal(first.pictures[0], other.pictures[0])


def close_together(seed):
    """Robots and ball so near that they stand in each other's view, fast and flying ones among them."""
    random = np.random.default_rng(seed)
    turn = np.arange(3) * 2 * np.pi / 3 + random.uniform(0, 2)
    middle = random.uniform(-0.4, 0.4, 2)
    places = middle + 0.108 * np.column_stack([np.cos(turn), np.sin(turn)])
    pose = np.column_stack([places, random.uniform(-3, 3, 3)])
    velocity = random.normal(0, 1, (3, 3)) * [1.5, 1.5, 5.0]
    ball = np.array([*middle + random.normal(0, 0.1, 2), random.choice([0.0215, 0.12, 0.5])])
    return Scene(pose, velocity, np.array([0, 1, 1]), np.arange(3) + seed, ball, random.normal(0, 2, 3))


def at_the_rim(seed):
    """Robots that a picture's rim cuts, one that nobody sees, and a ball that flies over one of them."""
    random = np.random.default_rng(seed)
    wide, high = CAMERA.width - 1, CAMERA.height - 1
    pixels = np.array(
        [[0, 0.3 * high], [0.6 * wide, high], [wide, 0.7 * high], [0.2 * wide, 0], [3 * wide, high]]
    )
    places = CAMERA.unproject(pixels + random.normal(0, 8, (5, 2)), 0.15)
    pose = np.column_stack([places, random.uniform(-3, 3, 5)])
    under = places[random.integers(4)] + random.normal(0, 0.05, 2)
    over = np.array([*under, random.uniform(0.2, 0.6)])
    return Scene(
        pose,
        random.normal(0, 1, (5, 3)),
        np.array([0, 0, 1, 1, 0]),
        np.arange(5),
        over,
        random.normal(0, 2, 3),
    )


@pytest.mark.parametrize("strength", [1.0, 2.0])
def test_parts_of_pictures_hold_the_same_as_whole_ones_and_the_same_is_found(strength):
    stand, random, share = small_stand(), generator(11, "parts"), 0.0
    disturbance = Disturbance().scaled(strength)
    view = replace(stand.views[0], disturbance=disturbance)
    stand = replace(stand, views=[view])
    sheets = sheets_of(stand)
    scenes = [random_scene(PITCH, random, robots=2) for _ in range(4)]
    scenes += [close_together(k) for k in range(4, 8)] + [at_the_rim(k) for k in range(8, 12)]
    for k, scene in enumerate(scenes):
        light = light_of(disturbance, random)
        whole, parts = (look(stand, scene, light, generator(k, "part"), s) for s in ((), sheets))
        for full, part in zip(whole.detections, parts.detections, strict=True):
            assert np.array_equal(full.robots, part.robots) and np.array_equal(full.balls, part.balls)
        assert np.array_equal(whole.seen, parts.seen, equal_nan=True)
        bodies = moving(scene, disturbance.exposure)
        partly = glimpse(sheets[0], bodies, light, generator(k, "part"))
        assert np.array_equal(partly.sample, sample_of(whole.pictures[0]))
        for v, first, after in partly.strips:
            assert np.array_equal(partly.picture[v, first:after], whole.pictures[0][v, first:after])
        shown = np.zeros(partly.picture.shape[:2], dtype=bool)
        for v, first, after in partly.strips:
            shown[v, first:after] = True
        assert not partly.picture[~shown].any()  # nothing is left of the picture before
        share += shown.mean() / len(scenes)
    assert 0.005 < share < 0.05


def test_parts_of_a_picture_hold_every_pixel_with_some_light_of_a_dot():
    """What changes with the colours of the dots has their light, and must be looked at."""
    stand = small_stand()
    quiet = replace(stand.views[0], disturbance=Disturbance(noise=0.0))
    for k in range(4, 8):
        scene = close_together(k)
        seen = [
            take(quiet, replace(scene, team=team), PLAIN_LIGHT, generator(k, "dots"))[0]
            for team in (np.zeros(3, int), np.ones(3, int))
        ]
        others = take(quiet, replace(scene, number=15 - scene.number), PLAIN_LIGHT, generator(k, "dots"))[0]
        changed = (seen[0] != seen[1]).any(axis=2) | (seen[0] != others).any(axis=2)
        sheet = Sheet(quiet)
        strips = glimpse(sheet, moving(scene, 0.005), PLAIN_LIGHT, generator(k, "dots")).strips
        for v, first, after in strips:
            changed[v, first:after] = False
        assert not changed.any()


def test_strips_of_boxes_are_joined_to_what_the_boxes_cover():
    random = np.random.default_rng(4)
    for step, first in ((1, 0), (12, 4)):
        begin, size = random.integers(0, 80, (30, 2)), random.integers(-1, 40, (30, 2))
        boxes = np.stack([begin, begin + size], axis=2).reshape(-1, 4)
        covered = np.zeros((120, 120), dtype=bool)
        for a, b, c, d in boxes:
            covered[c : d + 1, a : b + 1] = True
        found = np.zeros_like(covered[first::step, first::step], dtype=int)
        for v, a, b in joined(strips_of(boxes, first, step)):
            found[v, a:b] += 1
        assert np.array_equal(found, covered[first::step, first::step])
    assert len(joined(strips_of(boxes[:0]))) == 0
