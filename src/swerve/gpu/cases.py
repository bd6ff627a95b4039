"""Cases with what the wings' own kernels make of them in five seconds: what a device must agree with.

    python -m swerve.gpu.cases arrays.npz

writes them for `python -m swerve.gpu.bench --arrays arrays.npz` on a machine that has only NumPy and JAX.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial

import jax
import numpy as np

from swerve.city import Simulation, SimulationOptions, load_town
from swerve.city.traffic.drivers import accelerate
from swerve.city.traffic.fleet import Fleet, empty_fleet
from swerve.city.traffic.motion import move_all
from swerve.city.traffic.net import CONFLICT, POINT, STRIP, WALK, Net
from swerve.city.traffic.order import empty_order, sort_entries
from swerve.city.traffic.spawn import stand_on_middle
from swerve.core.errors import BadInput
from swerve.core.seeding import generator
from swerve.race.car import CarParameters
from swerve.race.road import lay_out
from swerve.race.sight import SIZE, observe, race
from swerve.race.track import Track
from swerve.race.tracks import load_track
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import load_map
from swerve.riders.maps.trials import DECIDE
from swerve.riders.steering.curves import curve
from swerve.riders.steering.follow import follow, paces_for, starts_beside
from swerve.riders.steering.tune import load_tuned

from .arrays import CarCase, Cases, LaneCase, RiderCase, host, save
from .cars import Cars, Numbers
from .drivers import steady
from .lanes import STANDS, Drivers, Lanes, Traffic
from .pack import (
    PIECE,
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
STEP = 0.1  # [s]
SPACING, ROAD_LIMIT = 24.0, 14.0  # [m] between cars on lanes, [m/s]
EVERY = 25  # frames between two states that are kept
SPREAD = 0.3  # of actions that are drawn around the steady driver's


def make(cars: int = 512, starts: int = 4096, riders: int = 30, lanes: int = 4, seed: int = 0) -> Cases:
    """Cases of so many cars, starts, riders a curve and lanes."""
    open_lanes, rings = lane_case(lanes, seed)
    return Cases(car_case(TRACKS, cars, starts, seed), rider_case("human", riders, seed), open_lanes, rings)


def car_case(tracks: Sequence[str | Track], count: int, starts: int, seed: int) -> CarCase:
    """Cars that drive by a disturbed steady driver, and once more by that driver itself."""
    given = [load_track(one) if isinstance(one, str) else one for one in tracks]
    places = start_places(given, starts, seed)
    cars, numbers = place_cars(places, count, seed), car_numbers()
    frames = round(SECONDS / numbers.frame)
    noise = generator(seed, "actions").normal(0.0, SPREAD, (frames, 2, count))
    actions, kept, seen, reward, fine = _race(given, cars, numbers, noise)
    _, alone, _, _, alone_fine = _race(given, cars, numbers, np.zeros_like(noise))
    at = np.arange(EVERY, frames + 1, EVERY)
    steer, pedal = np.moveaxis(actions, 2, 0).copy()
    named = (numbers, road_arrays(given), places, cars, steer, pedal, at, kept)
    return CarCase(*named, seen, reward, fine, alone[-1], alone_fine)


def _race(
    tracks: Sequence[Track], cars: Cars, numbers: Numbers, noise: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Actions (t, n, 2), states (k, 8, n) at every second, what is seen at the end (17, n), rewards (n,) and
    who never left the road (n,)."""
    count, frames = len(cars.x), len(noise)
    roads, packed, decide = (
        lay_out(tracks),
        CarParameters().packed(),
        jax.jit(partial(steady, numbers=numbers)),
    )
    state = np.column_stack([*cars[:9], np.zeros(count)]).astype(float)
    actions, kept = np.empty((frames, count, 2)), []
    seen, reward, total = np.zeros((count, SIZE), np.float32), np.zeros(count), np.zeros(count)
    over, ever, nobody = np.zeros(count, bool), np.zeros(count, bool), np.zeros(count, bool)
    observe(roads, state, seen)
    for k in range(frames):
        actions[k] = np.clip(np.stack(decide(tuple(seen.T))) + noise[k], -1.0, 1.0).T
        race(roads, state, actions[k], nobody, packed, reward, over)
        total, ever = total + reward, ever | over
        observe(roads, state, seen)
        if (k + 1) % EVERY == 0:
            kept.append(state[:, :8].T.copy())
    return actions, np.array(kept), seen.T.copy(), total, ~ever


def rider_case(name: str, each: int, seed: int) -> RiderCase:
    """Riders on the seven curves, `each` of them from so many starts."""
    map_ = load_map(name)
    navigator = load_tuned(name).navigator(map_, "path")
    seven = [curve(k, map_.speed) for k in range(1, 8)]
    ways = [way for way in seven for _ in range(each)]
    starts = starts_beside(ways, seed)
    glide = Glide(map_, len(ways))
    paces = paces_for(ways, map_)
    done = follow(glide, map_.speed, ways, navigator, starts, paces)
    ticks = np.arange(10, round(SECONDS / DECIDE) + 1, 10)
    way = np.repeat(np.arange(len(seven), dtype=np.int32), each)
    begin = np.array([pace.speed[0] for pace in paces])
    arrays = (map_arrays(map_, navigator), way_arrays(seven, map_), riders_at(starts, begin))
    return RiderCase(*arrays, way, ticks, done.pose[ticks], done.roll[ticks], done.fell)


def lane_case(lanes: int, seed: int, cars: int = 60) -> tuple[LaneCase, LaneCase]:
    """Lanes with an end, on which the same `cars` follow each other twice; and rings with those cars.

    News travels back by one car a step, so over fewer steps than there are cars the first of the two on a
    lane drive as on a ring.
    """
    rng = generator(seed, "lanes")
    drawn = Simulation(
        load_town("grid"), vehicles=lanes * cars, seed=seed, options=SimulationOptions(referee=False)
    ).traffic.fleet
    pieces = round(SPACING * cars / PIECE)
    paces = np.clip(rng.normal(16.0, 6.0, (lanes, pieces)), 7.0, 30.0)
    thrice = np.column_stack([paces, paces, paces, paces[:, :1]])  # once more for those in front
    station = np.arange(cars) * (pieces * PIECE / cars) + rng.uniform(0.0, 12.0, (lanes, cars))
    speed = rng.uniform(0.0, 9.0, (lanes, cars)) * (rng.random((lanes, cars)) > 0.2)
    fleet = empty_fleet(2 * lanes * cars)
    for name in drawn.dtype.names or ():
        fleet[name] = np.tile(drawn[name].reshape(lanes, cars), 2).ravel()
    fleet.station[:] = np.hstack([station, station + pieces * PIECE]).ravel()
    fleet.speed[:] = np.tile(speed, 2).ravel()
    net = straight_net(thrice)
    _drive_alone(net, fleet, lanes)
    piece = np.floor(fleet.station / PIECE).astype(np.int32).reshape(lanes, -1)
    along, zero = fleet.station.reshape(lanes, -1) - piece * PIECE, np.zeros((lanes, 2 * cars))
    first = host(Traffic, piece, along, np.tile(speed, 2), zero, zero)
    drivers = drivers_of(fleet, lanes)
    steps = np.arange(10, round(SECONDS / STEP) + 1, 10)
    where, fast = _follow(net, fleet, lanes, steps)
    opened = LaneCase(lane_rules(), _lanes(thrice, False, 2 * cars), drivers, first, steps, where, fast)
    ring = _lanes(thrice[:, : pieces + 1], True, cars)
    half = (Drivers(*(c[:, :cars] for c in drivers)), Traffic(*(c[:, :cars] for c in first)))
    return opened, LaneCase(lane_rules(), ring, *half, steps, where[..., :cars], fast[..., :cars])


def _follow(net: Net, fleet: Fleet, lanes: int, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Stations [m] and speeds [m/s] (k, l, m) after some steps of the city's kernels.

    A stop may leave 1e-18 m/s there, by which a driver starts a step later than one who stands; it is taken
    off, as it is on the device, because no other precision has the same rest.
    """
    order, everyone = empty_order(len(fleet), lanes), np.arange(len(fleet))
    lights, field = np.zeros(1, np.int8), np.zeros((1, lanes))
    where, fast = [], []
    for k in range(1, int(steps[-1]) + 1):
        sort_entries(net, fleet, everyone, order)
        accelerate(net, fleet, everyone, order, lights, STEP)
        move_all(net, fleet, field, STEP)
        fleet.speed[fleet.speed < STANDS] = 0.0
        if k in steps:
            where.append(fleet.station.reshape(lanes, -1).copy())
            fast.append(fleet.speed.reshape(lanes, -1).copy())
    return np.array(where), np.array(fast)


def straight_net(paces: np.ndarray) -> Net:
    """Straight lanes that lead out of the world, side by side, as the city's kernels see them; `paces`
    (l, p + 1) [m/s] at the ends of their pieces."""
    lanes, points = paces.shape
    strips = np.zeros(lanes + 1, STRIP)
    strips["first"] = np.arange(lanes + 1) * points
    strips["length"], strips["limit"], strips["width"] = (points - 1) * PIECE, ROAD_LIMIT, 3.5
    for name in ("junction", "inner", "outer", "opposite", "light", "follows"):
        strips[name] = -1
    strips["open"] = True
    made = np.zeros(lanes * points, POINT)
    made["station"] = made["x"] = np.tile(np.arange(points) * PIECE, lanes)
    made["y"] = np.repeat(np.arange(lanes) * 3.5, points)
    made["pace"] = paces.ravel()
    none = np.zeros(0, np.int32), np.zeros(0, CONFLICT), np.zeros(0, WALK)
    return Net(strips, made, *none, False, np.zeros((lanes * points, 3)))


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


def _lanes(paces: np.ndarray, ring: bool, cars: int) -> Lanes:
    lanes, points = paces.shape
    column = np.ones((lanes, 1))
    pieces, count = (points - 1) * column, cars * column
    made = (PIECE * column, pieces.astype(np.int32), np.full((lanes, 1), ring), ROAD_LIMIT * column)
    return host(Lanes, *made, count.astype(np.int32), paces)


def main(words: Sequence[str]) -> None:
    """Write the cases to the file that is named."""
    if len(words) != 1:
        raise BadInput("python -m swerve.gpu.cases", list(words), "takes one word, the file to write;")
    print(save(words[0], make()))


if __name__ == "__main__":
    main(sys.argv[1:])
