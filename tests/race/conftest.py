"""Expensive things that several tests of the race wing share."""

import pytest

from swerve.core.library import MotionLibrary
from swerve.race import load_tree


@pytest.fixture(scope="session")
def seven() -> MotionLibrary:
    return load_tree("seven")


@pytest.fixture(scope="session")
def large() -> MotionLibrary:
    return load_tree("large")
