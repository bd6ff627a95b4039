"""Ways like those through a town's grid: straights of a block, right angles at junctions, one lane and the
next as the road.
"""

import numpy as np

from swerve.core.errors import BadInput
from swerve.race import Track
from swerve.race.tracks import _points

STEPS = ((0, 1), (-1, 0), (0, -1), (1, 0))


def town_line(seed: int, length: float = 900.0, again: bool = False) -> np.ndarray:
    """A random centre line (n, 2) of blocks of 80 to 110 m; with `again` it may come by where it was."""
    rng = np.random.default_rng(seed)
    while True:
        blocks = rng.uniform(80.0, 110.0, 2)
        pieces, way, straight = [], 0.0, blocks[0] - 10.0
        facing, at, seen = 0, (0, 1), {(0, 0), (0, 1)}
        while way < length:
            turn = int(rng.integers(-1, 2))
            if turn == 0:
                straight += blocks[facing % 2]
            else:
                radius = rng.uniform(6.0, 7.0) if turn < 0 else rng.uniform(8.0, 10.0)
                pieces += [(straight - radius, 0.0), (0.0, 90.0 * turn, radius)]
                way += straight
                facing = (facing + turn) % 4
                straight = blocks[facing % 2] - radius
            at = (at[0] + STEPS[facing][0], at[1] + STEPS[facing][1])
            if at in seen and not again:
                break
            seen.add(at)
        else:
            return np.array(_points([*pieces, (straight, 0.0)]))


def town_route(seed: int, length: float = 900.0) -> Track:
    """2.2 m of road to the right and 4.8 m to the left of the lane's middle."""
    while True:
        try:
            return Track.from_centre(f"town {seed}", town_line(seed, length), 2.2, 4.8)
        except BadInput:
            seed += 10_000
