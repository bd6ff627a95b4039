"""A cheap body and its map, shared by the tests of maps and of what steers by them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def standin_body():
    from standin import standin

    return standin()


@pytest.fixture(scope="session")
def standin_map(standin_body):
    from swerve.riders.maps.mobility import MobilityMap

    return MobilityMap.build(standin_body)
