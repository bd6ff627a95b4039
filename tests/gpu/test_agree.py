"""On JAX the same as on our own kernels over five seconds, within the bounds that `agree` states."""

import json

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from swerve.cli.main import run  # noqa: E402
from swerve.core.errors import BadInput  # noqa: E402
from swerve.gpu import agree, arrays, bench, cases  # noqa: E402

SEED = 7  # not that of the bench
FAR = {"cars": 20.0, "riders": 40.0, "lanes": 10.0}  # [m] that somebody makes in the time


@pytest.fixture(scope="module")
def some():
    return cases.make(cars=48, starts=64, riders=3, lanes=2, seed=SEED)


def test_single_precision_agrees(some):
    found = {f"cars {name}": value for name, value in agree.of_cars(some.cars, "float32").items()}
    found |= {f"riders {name}": value for name, value in agree.of_riders(some.riders, "float32").items()}
    found |= {f"lanes {name}": value for name, value in agree.of_lanes(some.lanes, "float32").items()}
    found |= {f"rings {name}": value for name, value in agree.of_lanes(some.rings, "float32").items()}
    assert len(found) == 10 and not agree.beyond(found)


@pytest.mark.long
def test_the_closed_loop_agrees_and_is_counted(monkeypatch):
    """For a second only, and step by step: compiling it takes the processor long."""
    monkeypatch.setattr(cases, "SECONDS", 1.0)
    monkeypatch.setattr(bench, "CALLS", 1)
    few = cases.car_case(["cornered"], 8, 16, SEED)
    with jax.disable_jit():
        found = agree.of_loop(few)
        driven = bench.cars_of(few, 8, 2)
    assert not agree.beyond({f"loop {name}": value for name, value in found.items()})
    assert np.abs(few.steady[:2] - np.array([few.cars.x, few.cars.y])).max() > 2.0
    assert driven["steps_per_second"] == pytest.approx(8 * 2 / driven["seconds"])
    assert driven["reward_per_step"] > 0.001 and not driven["fused"]


@pytest.mark.long
def test_double_precision_agrees(some):
    with jax.enable_x64():
        found = agree.differences(some, "float64")
    assert found.keys() == agree.BOUNDS["float64"].keys() and not agree.beyond(found, "float64")


def test_the_cases_ask_something(some):
    """Cars, riders and drivers get far, lean, brake and stand; what differs is told."""
    car = some.cars
    assert car.fine.mean() > 0.9 and car.steady_fine.mean() > 0.9 and len(car.steer) == 125
    assert np.hypot(*(car.state[-1, :2] - np.array([car.cars.x, car.cars.y]))).max() > FAR["cars"]
    rider = some.riders
    assert rider.ticks[-1] == 50 and np.abs(rider.roll).max() > 0.1
    lane = some.lanes
    assert lane.steps[-1] == 50 and (lane.traffic.speed == 0).mean() > 0.1
    assert (lane.station[-1] - lane.station[0]).max() > FAR["lanes"]
    assert lane.station.shape[2] == 2 * some.rings.station.shape[2] > 100
    moved = some.lanes._replace(station=some.lanes.station + 0.01)
    assert agree.of_lanes(moved, "float32")["place"] == pytest.approx(0.01, abs=2e-4)
    assert agree.beyond({"lanes place": 0.01, "lanes speed": np.nan}).keys() == {"lanes place", "lanes speed"}


def test_cases_go_through_a_file(some, tmp_path):
    again = arrays.load(arrays.save(tmp_path / "cases.npz", some))
    assert again.cars.numbers == some.cars.numbers and again.lanes.rules == some.lanes.rules
    for kept, read in zip(jax.tree.leaves(some), jax.tree.leaves(again), strict=True):
        np.testing.assert_array_equal(kept, read)
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes((tmp_path / "cases.npz").read_bytes()[:500])
    with pytest.raises(BadInput, match=r"damaged.npz: cannot be read"):
        arrays.load(damaged)


def test_the_bench_counts_what_it_ran(some, monkeypatch, capsys):
    """With the shapes of the tests before, so that nothing is compiled again."""
    monkeypatch.setattr(bench, "CALLS", 1)
    ridden = bench.riders_of(some.riders, 21, 10)
    assert ridden["realtime_factor"] == pytest.approx(1.0 / ridden["seconds"]) and ridden["fell"] == 0
    flowed = bench.lanes_of(some.rings, 120, 10)
    assert flowed["count"] == 120 and 3.0 < flowed["mean_speed"] < 14.0
    monkeypatch.setattr(cases, "make", lambda: some)
    monkeypatch.setattr(bench, "measure", lambda given: {"agrees": given is some})
    assert run(["bench", "gpu", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"agrees": True}
