"""The conclusions of Shiller and Gwo's examples can come out either way."""

import numpy as np
import pytest

from swerve.studies.shiller import _tip_over
from swerve.terrain import SurfacePath, Terrain, Vehicle, speed_profile
from swerve.terrain.route import Route

BEND = [(20, 20), (70, 22), (100, 25), (115, 50), (118, 80), (120, 120)]


@pytest.mark.parametrize(
    ("tall", "mobility", "holds"), [(2.0, 1.0, True), (1.2, 1.0, False), (2.0, 0.5, False)]
)
def test_tip_over_dominates_where_a_tall_vehicle_would_be_faster_without_it(tall, mobility, holds):
    """Finding: the conclusion followed from the vehicle's table, whatever the motion did."""
    car = Vehicle(height_to_half_width=tall, engine_force=8000.0)
    ground = Terrain.from_heights(np.zeros((8, 8)), 20.0, mobility=np.full((8, 8), mobility))
    path = SurfacePath.from_controls(ground, BEND)
    assert _tip_over(Route(path, speed_profile(path, car), 0.0), car).holds is holds
