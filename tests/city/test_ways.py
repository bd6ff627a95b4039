"""A drive through a town as a way: on the road from edge to edge, without a jump, and never back."""

import numpy as np
import pytest

from swerve.city import grid, winding
from swerve.city.referee import corners_off_road
from swerve.city.roads import random_drive, way_along
from swerve.core.errors import BadInput

TOWNS = {"grid": grid(5, 5), "left": grid(4, 4, left_hand=True), "winding": winding(3)}


@pytest.mark.parametrize("name", TOWNS)
@pytest.mark.parametrize("seed", range(3))
def test_everywhere_between_its_edges_there_is_road(name, seed):
    roads = TOWNS[name].roads
    drive = random_drive(roads, 900.0, np.random.default_rng(seed))
    way = way_along(roads, drive)
    assert way.length > 900.0
    assert np.abs(np.diff(way.heading)).max() < 0.2  # no kink
    s = np.arange(2.0, way.length - 2.0, 3.0)
    for share in (-0.98, 0.0, 0.98):
        side = way.at(way.left if share > 0 else way.right, s)
        x, y, heading = way.place(s, share * (side - 0.15)).T
        small = np.full(len(s), 0.1)
        assert not corners_off_road(roads, x, y, heading, small, small).any()
    assert len(set(roads.junction[drive].tolist())) == len(drive)


def test_connectors_that_do_not_follow_each_other_are_refused():
    roads = TOWNS["grid"].roads
    one = random_drive(roads, 500.0, np.random.default_rng(1))
    with pytest.raises(BadInput, match="does not leave the road"):
        way_along(roads, [one[0], one[-1]])
    with pytest.raises(BadInput, match="metres: no drive"):
        random_drive(roads, 1e5, np.random.default_rng(1))
