"""From the wings' objects to arrays for the device: tracks, cars, maps, ways, drivers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from itertools import pairwise

import numpy as np

from swerve.city import Simulation, SimulationOptions, load_town
from swerve.city.traffic import drivers as city_drivers
from swerve.city.traffic import following
from swerve.city.traffic.fleet import Fleet
from swerve.city.traffic.net import FASTEST
from swerve.core.errors import require
from swerve.core.seeding import generator
from swerve.core.way import Way
from swerve.race import car as race_car
from swerve.race.car import CarParameters
from swerve.race.road import lay_out
from swerve.race.sight import AHEAD, CRASH, LIMIT
from swerve.race.track import Track
from swerve.race.tracks import load_track
from swerve.riders.maps.carry import outcomes
from swerve.riders.maps.mobility import MobilityMap
from swerve.riders.maps.trials import DECIDE
from swerve.riders.steering.curves import courses
from swerve.riders.steering.decide import Navigator, Weights
from swerve.riders.steering.follow import paces_for
from swerve.riders.steering.herd_law import FORESEEN
from swerve.riders.steering.ways import Ways as RiderWays

from .arrays import host
from .cars import Cars, Numbers, Roads, Starts
from .lanes import Drivers, Lanes, Rules, Traffic
from .riders import Map, Riders
from .ways import Ways

START_SPEED = 8.0  # [m/s] at most
LEAD, OPEN_SHARE = 5.0, 0.8  # [m] before the first start, share of an open track on which cars start
FAR = 1e9  # where there is no state
PIECE, LEAST_SPACING = 50.0, 8.0  # [m]
DRAWN = 100  # drivers of the city of which those on lanes are drawn


def car_numbers(parameters: CarParameters | None = None) -> Numbers:
    """The constants of a car and of its frames."""
    own = astuple(parameters or CarParameters())
    frame = (race_car.FRAME, race_car.SUBSTEPS, race_car.MAX_STEER, race_car.MAX_STEER_RATE)
    body = (race_car.MAX_DRIVE, race_car.LENGTH, race_car.WIDTH)
    blend = (race_car.ROLLING_BELOW, race_car.SLIDING_ABOVE)
    rest = (float(value) for value in (*own, *frame, *body, *blend, CRASH, LIMIT))
    return host(Numbers, *rest, tuple(float(far) for far in AHEAD))


def road_arrays(tracks: Sequence[str | Track]) -> Roads:
    """Tracks by name or as they are."""
    roads = lay_out(_tracks(tracks))
    count = np.diff(roads.first)
    first, last = roads.first[:-1].astype(np.int32), (count - 2).astype(np.int32)
    gap = 1.0 / roads.per_metre
    one = (first, last, gap, gap * (count - 1), roads.closed.astype(np.int32), roads.finish)
    return host(Roads, *roads.points.T.copy(), *one)


def start_places(tracks: Sequence[str | Track], count: int, seed: int) -> Starts:
    """Places all along the tracks to start at, at up to 8 m/s, as `Race-v0` draws them."""
    given, rng = _tracks(tracks), generator(seed, "starts on the device")
    which = rng.integers(len(given), size=count)
    share, speed = rng.random(count), START_SPEED * rng.random(count)
    station, pose = np.empty(count), np.empty((count, 3))
    for k, track in enumerate(given):
        rows = which == k
        room = track.finish if track.closed else OPEN_SHARE * track.finish
        station[rows] = LEAD + share[rows] * (room - LEAD)
        pose[rows] = track.pose(station[rows])
    return host(Starts, *pose.T.copy(), station, which.astype(np.int32), speed)


def place_cars(starts: Starts, count: int, seed: int) -> Cars:
    """`count` cars at starts."""
    rng = generator(seed, "cars on the device")
    row = rng.integers(len(starts.x), size=count)
    heading, speed, zero = starts.heading[row], starts.speed[row], np.zeros(count)
    velocity = (speed * np.cos(heading), speed * np.sin(heading))
    draw = rng.integers(2**32, size=count, dtype=np.uint32)
    frames = np.zeros(count, np.int32)
    at = (starts.station[row], starts.track[row], frames, draw)
    return host(Cars, starts.x[row], starts.y[row], heading, *velocity, zero, zero, *at)


def _tracks(tracks: Sequence[str | Track]) -> list[Track]:
    return [load_track(one) if isinstance(one, str) else one for one in tracks]


def map_arrays(map_: MobilityMap, navigator: Navigator | None = None) -> Map:
    """A map, with what a navigator's weights look at, by the rule `ours`; without one, for riding only."""
    navigator = navigator or Navigator(map_, Weights(DECIDE, 0.5))
    scale = np.zeros(3)
    scale[map_.columns] = map_.scale
    begins = map_.index.begins
    most = int(np.diff(begins).max())
    points = np.full((len(map_.speeds), most, 3), FAR)
    row = np.zeros(points.shape[:2], np.int32)
    for k, (first, stop) in enumerate(pairwise(begins)):
        points[k, : stop - first] = map_.states[first:stop, :3] * scale
        row[k, : stop - first] = np.arange(first, stop)
    shape = (len(map_.states), map_.actions)
    ratio, then = navigator.weights.ratio, round(FORESEEN / DECIDE)
    table, falling = navigator.table
    return host(
        Map,
        points,
        row,
        scale,
        map_.states,
        map_.speeds,
        map_.pacing,
        map_.turns,
        outcomes(map_)[:, 1].reshape(*shape, 6),
        map_.carry[:, 1],
        map_.tracks.fell.reshape(shape),
        table,
        falling,
        navigator.carried,
        map_.samples.pose[:, then].reshape(*shape, 3),
        map_.carry[:, then, :, :3],
        np.array([ratio * ratio, (1.0 - ratio) ** 2], np.float32),
    )


def way_arrays(ways: Sequence[Way], map_: MobilityMap) -> Ways:
    """Ways, all different, as courses with the pace at which a body of that map can ride them."""
    lines, paces = RiderWays(courses(ways)), paces_for(ways, map_)
    ends = [[0] if way.closed else [] for way in ways]
    pace, told = (
        [np.append(column, column[end]) for column, end in zip(columns, ends, strict=True)]
        for columns in ([p.speed for p in paces], [p.told for p in paces])
    )
    last = (lines.last - lines.first).astype(np.int32)
    return host(
        Ways,
        *lines.points.T.copy(),
        np.concatenate(pace),
        np.concatenate(told),
        lines.first.astype(np.int32),
        last,
        lines.step,
        np.array([p.speed.min() for p in paces]),
        lines.closed,
        np.array(last.max() + 1, np.int32),
    )


def riders_at(starts: np.ndarray, speed: float | np.ndarray) -> Riders:
    """Riders at `starts` (n, 3) x, y, yaw, upright and straight ahead at `speed` [m/s], one or (n,)."""
    x, y, yaw = np.asarray(starts, float).T.copy()
    zero = np.zeros(len(x))
    velocity = (speed * np.cos(yaw), speed * np.sin(yaw))
    return host(Riders, x, y, yaw, zero, zero, zero, *velocity, zero + speed, zero > 0, zero)


def drivers_of(fleet: Fleet, lanes: int) -> Drivers:
    """What the drivers of a fleet are like, lane after lane."""
    return host(Drivers, *(np.asarray(fleet[name], float).reshape(lanes, -1) for name in Drivers._fields))


def draw_lanes(
    lanes: int, cars: int, spacing: float, ring: bool, seed: int, limit: float = 14.0
) -> tuple[Lanes, Drivers, Traffic]:
    """Lanes with so many cars each, `spacing` [m] apart and standing, with drivers as in the city."""
    require(lanes >= 1 and cars >= 1, "cars", (lanes, cars), "must be at least 1 on at least 1 lane;")
    require(spacing >= LEAST_SPACING, "spacing", spacing, f"must be at least {LEAST_SPACING} m")
    rng = generator(seed, "lanes on the device")
    some = Simulation(
        load_town("grid"), vehicles=DRAWN, seed=seed, options=SimulationOptions(referee=False)
    ).traffic.fleet
    drivers = drivers_of(some[rng.integers(DRAWN, size=lanes * cars)].view(Fleet), lanes)
    pieces = int(np.ceil(cars * spacing / PIECE))
    piece = cars * spacing / pieces
    station = np.broadcast_to(spacing * (np.arange(cars) + 0.5), (lanes, cars))
    at, zero = (station // piece).astype(np.int32), np.zeros((lanes, cars))
    column = np.ones((lanes, 1))
    whole = (column * pieces).astype(np.int32), (column * cars).astype(np.int32)
    paces = np.full((lanes, pieces + 1), FASTEST)
    road = (piece * column, whole[0], np.full((lanes, 1), ring), limit * column, whole[1], paces)
    moving = (at, station - at * piece, zero, zero, zero)
    return host(Lanes, *road), drivers, host(Traffic, *moving)


def lane_rules() -> Rules:
    """What holds for every driver of the city."""
    f = following
    limits = (f.JAM, f.REACTION, f.BRAKING, f.START_DELAY, f.JERK_UP, f.JERK_DOWN)
    return Rules(*limits, city_drivers.PREVIEW, city_drivers.HARDEST_FOR_BENDS)
