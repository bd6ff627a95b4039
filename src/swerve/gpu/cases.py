"""Cases with what the wings' own kernels make of them in five seconds: what a device must agree with.

    python -m swerve.gpu.cases arrays.npz

writes them for `python -m swerve.gpu.bench --arrays arrays.npz` on a machine that has only NumPy and JAX.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from swerve.city import Simulation, load_town
from swerve.city.traffic.drivers import accelerate
from swerve.city.traffic.fleet import Fleet, empty_fleet
from swerve.city.traffic.motion import move
from swerve.city.traffic.net import CONFLICT, POINT, STRIP, WALK, Net
from swerve.city.traffic.order import empty_order, sort_entries
from swerve.city.traffic.spawn import stand_on_middle
from swerve.core.seeding import generator
from swerve.race.car import CarParameters
from swerve.race.road import lay_out
from swerve.race.sight import SIZE, STATE, observe, race
from swerve.race.track import Track
from swerve.race.tracks import load_track
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import load_map
from swerve.riders.maps.trials import DECIDE
from swerve.riders.steering.curves import curve
from swerve.riders.steering.follow import follow, paces_for, starts_beside
from swerve.riders.steering.tune import load_tuned

from .arrays import CarCase, Cases, LaneCase, RiderCase, save
from .cars import Starts
from .drivers import steady
from .lanes import Drivers, Lanes, Traffic
from .pack import (
    car_numbers,
    drivers_of,
    lane_rules,
    map_arrays,
    place_cars,
    riders_at,
    road_arrays,
    start_places,
    way_arrays,
)

SECONDS = 5.0
TRACKS = ("cornered", "final")
PIECE, STEP = 50.0, 0.1  # [m], [s]
SPREAD = 0.3  # of actions that are drawn around the steady driver's


def make(cars: int = 512, starts: int = 4096, riders: int = 30, lanes: int = 4, seed: int = 0) -> Cases:
    """Cases of so many cars, starts, riders a curve and lanes."""
    open_lanes, rings = lane_case(lanes, seed)
    return Cases(car_case(TRACKS, cars, starts, seed), rider_case("human", riders, seed), open_lanes, rings)


def car_case(tracks: Sequence[str | Track], count: int, starts: int, seed: int) -> CarCase:
    """Cars that drive by a disturbed steady driver."""
    given = [load_track(one) if isinstance(one, str) else one for one in tracks]
    roads, packed = lay_out(given), CarParameters().packed()
    places = start_places(given, starts, seed)
    cars, numbers = place_cars(places, count, seed), car_numbers()
    state = np.zeros((count, STATE))
    for k, column in enumerate(cars[:9]):
        state[:, k] = column
    rng, frames = generator(seed, "actions"), round(SECONDS / numbers.frame)
    noise = rng.normal(0.0, SPREAD, (frames, 2, count))
    actions, kept = np.empty((frames, count, 2)), []
    seen = np.zeros((count, SIZE), np.float32)
    reward, total = np.zeros(count), np.zeros(count)
    over, ever, nobody = np.zeros(count, bool), np.zeros(count, bool), np.zeros(count, bool)
    for k in range(frames):
        observe(roads, state, seen)
        columns = tuple(jnp.asarray(column) for column in seen.T)
        actions[k] = np.clip(np.stack(steady(columns, numbers)) + noise[k], -1.0, 1.0).T
        race(roads, state, actions[k], nobody, packed, reward, over)
        total, ever = total + reward, ever | over
        if (k + 1) % 25 == 0:
            kept.append(state[:, :8].T.copy())
    observe(roads, state, seen)
    at = np.arange(25, frames + 1, 25)
    steer, pedal = np.moveaxis(actions, 2, 0).copy()
    named = (numbers, road_arrays(given), places, cars, steer, pedal, at, np.array(kept))
    return CarCase(*named, seen.T.copy(), total, ~ever)


def rider_case(name: str, each: int, seed: int) -> RiderCase:
    """Riders on the seven curves, `each` of them from so many starts."""
    map_ = load_map(name)
    navigator = load_tuned(name).navigator(map_, "path")
    seven = [curve(k, map_.speed) for k in range(1, 8)]
    ways = [way for way in seven for _ in range(each)]
    starts = starts_beside(ways, seed)
    glide = Glide(map_, len(ways))
    done = follow(glide, map_.speed, ways, navigator, starts, paces_for(ways, map_))
    ticks = np.arange(10, round(SECONDS / DECIDE) + 1, 10)
    way = np.repeat(np.arange(len(seven), dtype=np.int32), each)
    arrays = (map_arrays(navigator), way_arrays(seven, map_), riders_at(starts, map_.speed))
    return RiderCase(*arrays, way, ticks, done.pose[ticks], done.roll[ticks], done.fell)


def lane_case(lanes: int, seed: int, cars: int = 60) -> tuple[LaneCase, LaneCase]:
    """Lanes with an end, on which the same `cars` follow each other twice; and rings with those cars.

    News travels back by one car a step, so over fewer steps than there are cars the first of the two on a
    lane drive as on a ring.
    """
    rng = generator(seed, "lanes")
    drawn = Simulation(load_town("grid"), vehicles=lanes * cars, seed=seed).traffic.fleet
    pieces = round(24.0 * cars / PIECE)
    paces = np.clip(rng.normal(16.0, 6.0, (lanes, pieces)), 7.0, 30.0)
    round_ = pieces * PIECE
    twice = np.column_stack([paces, paces, paces, paces[:, :1]])  # a third time for those in front
    net = straight_net(twice, limit=14.0)
    fleet = empty_fleet(2 * lanes * cars)
    rows = np.arange(lanes * cars).reshape(lanes, cars)
    rows = np.hstack([rows, rows]).ravel()
    for field in drawn.dtype.names or ():
        fleet[field] = drawn[field][rows]
    station = np.arange(cars) * (round_ / cars) + rng.uniform(0.0, 12.0, (lanes, cars))
    fleet.station[:] = np.hstack([station, station + round_]).ravel()
    fleet.speed[:] = np.tile(
        rng.uniform(0.0, 9.0, (lanes, cars)) * (rng.random((lanes, cars)) > 0.2), 2
    ).ravel()
    kept_station, kept_speed = [], []
    first = Traffic(*_pieces(fleet.station, lanes), *(np.zeros((lanes, 2 * cars)) for _ in range(3)))
    first = first._replace(speed=fleet.speed.reshape(lanes, -1).copy())
    _drive_alone(net, fleet, lanes)
    drivers = drivers_of(fleet, lanes)
    steps = np.arange(10, round(SECONDS / STEP) + 1, 10)
    order = empty_order(len(fleet), lanes)
    lights, busy, field = np.zeros(1, np.int8), np.zeros(1, bool), np.zeros((1, lanes))
    for k in range(int(steps[-1])):
        sort_entries(net, fleet, order)
        accelerate(net, fleet, order, lights, busy, STEP)
        move(net, fleet, field, STEP)
        if k + 1 in steps:
            kept_station.append(fleet.station.reshape(lanes, -1).copy())
            kept_speed.append(fleet.speed.reshape(lanes, -1).copy())
    where, fast = np.array(kept_station), np.array(kept_speed)
    opened = LaneCase(lane_rules(), _lanes(twice, False, 2 * cars), drivers, first, steps, where, fast)
    closed = _lanes(twice[:, : pieces + 1], True, cars)
    half = (Drivers(*(c[:, :cars] for c in drivers)), Traffic(*(c[:, :cars] for c in first)))
    return opened, LaneCase(lane_rules(), closed, *half, steps, where[..., :cars], fast[..., :cars])


def straight_net(paces: np.ndarray, limit: float) -> Net:
    """Straight lanes that lead out of the world, side by side, as the city's kernels see them; `paces`
    (l, p + 1) [m/s] at the ends of their pieces."""
    lanes, points = paces.shape
    strips = np.zeros(lanes + 1, STRIP)
    strips["first"] = np.arange(lanes + 1) * points
    strips["length"], strips["limit"], strips["width"] = (points - 1) * PIECE, limit, 3.5
    for name in ("junction", "inner", "outer", "opposite", "light"):
        strips[name] = -1
    strips["open"] = True
    made = np.zeros(lanes * points, POINT)
    made["station"] = made["x"] = np.tile(np.arange(points) * PIECE, lanes)
    made["y"] = np.repeat(np.arange(lanes) * 3.5, points)
    made["pace"] = paces.ravel()
    return Net(strips, made, np.zeros(0, np.int32), np.zeros(0, CONFLICT), np.zeros(0, WALK), False)


def _drive_alone(net: Net, fleet: Fleet, lanes: int) -> None:
    """Put the fleet onto straight lanes, with nothing to do but to follow."""
    fleet.strip[:] = np.repeat(np.arange(lanes), len(fleet) // lanes)
    for name in ("next", "previous", "earlier", "granted", "side"):
        fleet[name] = -1
    for name in ("accel", "steer", "lateral", "shift_from", "shift_to", "ready", "odometer"):
        fleet[name] = 0.0
    for name in ("passing", "yielding", "emergency", "foreign", "creep"):
        fleet[name] = 0
    fleet.autonomous[:] = True
    stand_on_middle(net, fleet)


def _pieces(station: np.ndarray, lanes: int) -> tuple[np.ndarray, np.ndarray]:
    piece = np.floor(station / PIECE).astype(np.int32)
    return piece.reshape(lanes, -1), (station - piece * PIECE).reshape(lanes, -1)


def _lanes(paces: np.ndarray, ring: bool, cars: int) -> Lanes:
    lanes, points = paces.shape
    column = np.ones((lanes, 1))
    pieces, count = (points - 1) * column, cars * column
    made = (PIECE * column, pieces.astype(np.int32), np.full((lanes, 1), ring), 14.0 * column)
    return Lanes(*made, count.astype(np.int32), paces)


if __name__ == "__main__":
    print(save(sys.argv[1], make()))
