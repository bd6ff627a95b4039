"""Expensive things that several tests of the race wing share."""

import pytest

from swerve.core.library import MotionLibrary
from swerve.race import Drive, Setting, drive, load_track, load_tree


@pytest.fixture(scope="session")
def seven() -> MotionLibrary:
    return load_tree("seven")


@pytest.fixture(scope="session")
def large() -> MotionLibrary:
    return load_tree("large")


@pytest.fixture(scope="session")
def drives(large) -> dict[tuple[str, int], Drive]:
    """Three drives each on a track with corners and on one with cars; their tests run in one process."""
    return {
        (name, seed): drive(load_track(name), large, Setting(planner="tree"), seed=seed)
        for name in ("sharp-cornered", "final")
        for seed in (0, 1, 2)
    }
