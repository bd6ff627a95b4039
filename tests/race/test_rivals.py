"""Cars that surprise, and what a driver foresees of them."""

import numpy as np
import pytest

from plain_shapes import boxes_touch
from swerve.race import load_track
from swerve.race.car import FRAME, LENGTH, WIDTH
from swerve.race.rivals import SHIFT, SHIFTING, WIDENING, Recorded, Rivals
from swerve.race.traffic import Traffic

SIZE = (LENGTH, WIDTH)
FAR_AWAY = np.array([0.0, -500.0, 0.0, 0.0, 0.0, 0.0])


@pytest.fixture
def rivals() -> Rivals:
    return Rivals(load_track("cornered"), 400, 3, "reacting")


def offset_of(rivals: Rivals, frames: int) -> float:
    foreseen = rivals.foresee(frames).poses[0, -1]
    return float(rivals.track.progress(foreseen[None, :2], rivals.at[:1])[1][0])


def test_who_moves_over_is_foreseen_to_go_on_with_it(rivals):
    """Once a rival that was coming over was foreseen straight ahead, until it was beside the car."""
    assert offset_of(rivals, 25) == pytest.approx(rivals.offset[0], abs=0.05)
    rivals.aim[0] += SHIFT
    for _ in range(5):
        rivals.step(FAR_AWAY)
    now, speed = rivals.offset[0], SHIFT / SHIFTING
    assert now + 0.5 * speed < offset_of(rivals, 25) < now + speed
    assert offset_of(rivals, 200) < rivals.aim[0] + 0.1  # and no further than a lane


def test_who_brakes_is_foreseen_to_go_on_with_it(rivals):
    rivals.braking[0] = 1.0
    for _ in range(5):
        rivals.step(FAR_AWAY)
    steady = rivals.at[0] + rivals.speed[0] * 25 * FRAME
    foreseen = rivals.foresee(25).poses[0, -1, :2]
    for _ in range(25):
        rivals.step(FAR_AWAY)
    stations = rivals.track.progress(foreseen[None], rivals.at[:1])[0]
    assert rivals.at[0] - 0.5 < stations[0] < steady - 0.5
    assert np.isfinite(rivals.foresee(200).poses).all()


def test_cars_in_loops_surprise_too_and_none_drives_through_another():
    """On `final` most cars go round in loops. Once they were played as a script, and those that happened to
    be beside a lane's offset when the run began drove straight on through the others.
    """
    reacting, surprising = (
        Rivals(load_track("final"), 200, 302, kind) for kind in ("reacting", "surprising")
    )
    for _ in range(200):
        reacting.step(FAR_AWAY)
        surprising.step(FAR_AWAY)
    ways = [scene.traffic().poses for scene in (reacting, surprising)]
    apart = np.hypot(*(ways[0] - ways[1])[..., :2].transpose(2, 0, 1)).max(axis=1)
    assert (apart > 1.0).mean() > 0.3  # in eight seconds
    one, two = np.triu_indices(len(ways[0]), 1)
    for poses in ways:
        for now in poses[:, ::10].transpose(1, 0, 2):
            near = np.hypot(*(now[one] - now[two])[:, :2].T) < 6.0
            assert not boxes_touch(now[one[near]], SIZE, now[two[near]], SIZE).any()


def test_recorded_cars_are_foreseen_by_what_they_did_not_by_what_they_will_do():
    track = load_track("sharp-cornered")
    s = 20.0 + 10.0 * FRAME * np.arange(200)
    s[100:] = s[100]  # stands from then on
    scene = Recorded(track, Traffic(track.pose(s, np.full(200, 2.0))[None]))
    for _ in range(95):
        scene.step(FAR_AWAY)
    seen = scene.foresee(50)
    stations = track.progress(seen.poses[0, :, :2])[0]
    assert stations[-1] == pytest.approx(s[95] + 20.0, abs=0.2) and seen.widening[0] == WIDENING
    for _ in range(30):
        scene.step(FAR_AWAY)
    assert track.progress(scene.foresee(50).poses[0, -1:, :2])[0][0] == pytest.approx(s[100], abs=0.2)
