"""Expensive things that several tests of the race wing share."""

import pytest

from swerve.core.library import MotionLibrary
from swerve.race import Drive, Setting, drive, load_track, load_tree, read_circuit


@pytest.fixture(scope="session")
def seven() -> MotionLibrary:
    return load_tree("seven")


@pytest.fixture(scope="session")
def large() -> MotionLibrary:
    return load_tree("large")


@pytest.fixture(scope="session")
def bends() -> MotionLibrary:
    return load_tree("bends")


@pytest.fixture(scope="session")
def norisring(large, shared_data) -> Drive:
    """A lap of a real circuit on a rehearsed line."""
    return drive(read_circuit(shared_data / "circuits" / "Norisring.csv"), large)


@pytest.fixture(scope="session")
def drives(large) -> dict[tuple[str, int], Drive]:
    """Drives on a track with corners and on one with cars; their tests run in one process."""
    return {
        (name, seed): drive(load_track(name), large, Setting(planner="tree"), seed=seed)
        for name, seeds in (("sharp-cornered", (0, 1, 2)), ("final", (1, 2)))
        for seed in seeds
    }
