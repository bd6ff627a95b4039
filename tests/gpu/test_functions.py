"""The pieces of the JAX kernels: who leads whom, who starts anew, the steady driver, the one kernel."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

from swerve.gpu import bench, cars, drivers, fused, lanes, pack  # noqa: E402
from swerve.race.sight import SIZE  # noqa: E402


def ring(stations, pieces=4, piece=50.0, closed=True):
    station = np.atleast_2d(np.asarray(stations, float))
    n = station.shape[1]
    column = np.ones((len(station), 1))
    road = lanes.Lanes(
        piece * column,
        (pieces * column).astype(np.int32),
        np.full(column.shape, closed),
        14 * column,
        (n * column).astype(np.int32),
        np.full((len(station), pieces + 1), 60.0),
    )
    same = dict.fromkeys(lanes.Drivers._fields, np.ones(station.shape))
    drive = lanes.Drivers(**{**same, "length": 4 * np.ones(station.shape)})
    at = (station // piece).astype(np.int32)
    zero = np.zeros(station.shape)
    return road, drive, lanes.Traffic(at, station - at * piece, zero, zero, zero)


@pytest.mark.parametrize(
    "stations, gaps",
    [
        ([10.0, 60.0, 190.0], [46.0, 126.0, 16.0]),  # all in order
        ([60.0, 190.0, 10.0], [126.0, 16.0, 46.0]),  # the foremost has begun its next round
        ([20.0, 30.0], [6.0, 186.0]),  # the first is in the last one's piece, a whole round ahead
        ([180.0, 190.0, 15.0], [6.0, 21.0, 161.0]),
        ([30.0], [196.0]),  # alone it follows itself
    ],
)
def test_everybody_on_a_ring_follows_the_next(stations, gaps):
    gap, _, led = lanes.leaders(*ring(stations))
    np.testing.assert_allclose(gap[0], gaps)
    assert led.all()


def test_nobody_leads_the_first_on_a_lane_with_an_end():
    gap, _, led = lanes.leaders(*ring([10.0, 60.0, 70.0], closed=False))
    np.testing.assert_allclose(gap[0, :2], [46.0, 6.0])
    assert led[0].tolist() == [True, True, False]


def test_empty_places_stay_as_they_are():
    road, drive, now = ring([10.0, 60.0, 120.0])
    road = road._replace(cars=np.array([[2]], np.int32))
    later = lanes.step(road, drive, now._replace(speed=np.full((1, 3), 5.0)), 0.1, pack.lane_rules())
    assert float(later.speed[0, 2]) == 5.0 and float(later.along[0, 2]) == 20.0
    assert (np.asarray(later.along[0, :2]) != now.along[0, :2]).all()


def test_the_steady_driver_is_that_of_the_environments():
    pytest.importorskip("gymnasium")
    from swerve.envs import steady

    seen = np.random.default_rng(3).uniform(-1.5, 1.5, (200, SIZE)).astype(np.float32)
    seen[:, 8:] *= 0.4
    ours = np.stack(drivers.steady(tuple(jnp.asarray(column) for column in seen.T), pack.car_numbers()), -1)
    np.testing.assert_allclose(ours, steady(seen), atol=2e-5)


def test_cars_that_are_over_start_anew_and_the_others_do_not():
    starts = pack.start_places(["cornered"], 16, 0)
    now = pack.place_cars(starts, 8, 1)._replace(yaw_rate=np.ones(8), frames=np.full(8, 9, np.int32))
    over = np.arange(8) % 2 == 0
    new = cars.restart(cars.Cars(*map(jnp.asarray, now)), jnp.asarray(over), starts)
    assert (np.asarray(new.frames) == np.where(over, 0, 9)).all()
    assert (np.asarray(new.yaw_rate) == np.where(over, 0.0, 1.0)).all()
    assert np.isin(np.asarray(new.station)[over], np.asarray(starts.station, np.float32)).all()
    assert (np.asarray(new.draw) != now.draw)[over].all() and (np.asarray(new.draw) == now.draw)[~over].all()


def test_one_kernel_for_many_frames_is_made_for_nvidia_s_devices():
    """It cannot run here, but what JAX hands to Triton can be made; it is asked for only where it fits."""
    numbers, tracks = pack.car_numbers(), ["cornered"]
    roads, starts = (bench.on_device(x) for x in (pack.road_arrays(tracks), pack.start_places(tracks, 8, 0)))
    many = bench.on_device(pack.place_cars(pack.start_places(tracks, 8, 0), fused.BLOCK, 0))
    first = drivers.begin(roads, many, numbers)
    made = fused.drive_fused.trace(roads, starts, *first, 2, numbers).lower(lowering_platforms=("cuda",))
    assert "triton" in made.as_text()
    assert not fused.fits(fused.BLOCK)  # this is a processor
