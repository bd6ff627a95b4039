"""Searches along a step, as a kernel and as Python does them where costs have no slopes of their own."""

import math
import subprocess
import sys

import numpy as np
import pytest

from swerve.terrain import Terrain, Vehicle
from swerve.terrain.descend import Spread, _along, _by_differences
from swerve.terrain.downhill import bend
from swerve.terrain.evaluate import PathProblem

WAY = np.array([[20.0, 20.0], [150.0, 60.0], [210.0, 240.0], [330.0, 300.0], [380.0, 380.0]])


def problem_over_hills():
    def height(x, y):
        return 30.0 * np.exp(-((x - 190.0) ** 2 + (y - 170.0) ** 2) / 70.0**2) + 6.0 * np.sin(x / 40.0)

    ground = Terrain.from_function(height, (400.0, 400.0), 20.0)
    return PathProblem(ground, Vehicle(), scale=30.0, step=5.0)


@pytest.mark.parametrize("reach", [2.0, 60.0, 500.0])  # on straight away, about right, and off the map
def test_a_search_in_a_kernel_ends_where_the_same_in_python_does(reach):
    problem, other = problem_over_hills(), problem_over_hills()
    spread = Spread(problem, WAY)
    cost, slope = problem.slope(WAY)
    slope = slope[1:-1].ravel()
    step = -reach * slope / np.abs(slope).max()
    other.slope(WAY)
    found = _along(problem, spread, spread.start, cost, slope, step, 9)
    plain = _by_differences(other, Spread(other, WAY), spread.start, cost, float(step @ slope), step, 9)
    assert found is not None and plain is not None and found[1] < cost
    np.testing.assert_allclose(found[0], plain[0], rtol=1e-12)
    np.testing.assert_allclose(found[1], plain[1], rtol=1e-12)
    np.testing.assert_allclose(found[2], plain[2], rtol=1e-9, atol=1e-12)
    assert problem.evaluated == other.evaluated > 4
    assert problem.best is not None and other.best is not None
    np.testing.assert_array_equal(problem.best[1], other.best[1])
    assert problem.best[0] == other.best[0]


def test_a_search_uphill_finds_nothing_and_keeps_what_was_best():
    problem = problem_over_hills()
    cost, slope = problem.slope(WAY)
    before = problem.best
    found, _, _ = problem.along(WAY, 5.0 * slope / np.abs(slope).max(), cost, -1.0, 6)
    assert found == math.inf and problem.best is before


def test_curvature_is_learnt_from_a_step():
    """On a bowl as many steps along its axes as it has tell all of it."""
    rng = np.random.default_rng(1)
    root = rng.normal(size=(4, 4))
    bowl = root @ root.T + np.eye(4)
    inverse = np.eye(4)
    for k, axis in enumerate(np.linalg.eigh(bowl)[1].T):
        bend(inverse, axis.copy(), bowl @ axis, k == 0)
    np.testing.assert_allclose(inverse, np.linalg.inv(bowl), rtol=1e-9, atol=1e-12)
    known = inverse.copy()
    bend(inverse, axis.copy(), -(bowl @ axis), False)  # bent downwards: not to be believed
    np.testing.assert_array_equal(inverse, known)


AFTER_WARM_UP = """
import sys
import numpy as np
from numba.core.dispatcher import Dispatcher
from swerve.terrain import PathOptions, Terrain, Vehicle, fastest_path
from swerve.terrain.fastest import warm_up

def ready():
    modules = [module for name, module in sys.modules.items() if name.startswith("swerve.")]
    kernels = {one for module in modules for one in vars(module).values() if isinstance(one, Dispatcher)}
    return {(one.__module__, one.__name__): len(one.signatures) for one in kernels}

warm_up()
before = ready()
hill = lambda x, y: 4 * np.exp(-((x - 30) ** 2 + (y - 25) ** 2) / 200)
ground = Terrain.from_function(hill, (60.0, 60.0), 6.0)
routes = fastest_path(ground, (10, 10), (50, 50), Vehicle(), options=PathOptions(paths=3, grid=(3, 3)))
assert routes.found
after = ready()
print([name for name, count in after.items() if before.get(name, 0) != count])
"""


def test_no_kernel_of_a_search_waits_for_its_first_use_after_warm_up():
    """The search tells how long it took, and what is loaded on the way would count."""
    done = subprocess.run([sys.executable, "-c", AFTER_WARM_UP], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n", done.stdout
