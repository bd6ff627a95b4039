"""States of one against one that tests begin with."""

import numpy as np


def holding(problem, heading=0.0, ball=(0.0, 0.0), opponent=(0.5, 0.0), t=1.0):
    """Blue has the ball at its mouth."""
    world, row = problem.world, problem.start.copy()
    mine, other, slot = (world.slot(name) for name in ("blue", "yellow", "ball"))
    reach = mine.radius + slot.radius + 0.004
    row[0] = t
    row[slot.qpos : slot.qpos + 2] = ball
    row[mine.qpos : mine.qpos + 3] = (
        ball[0] - reach * np.cos(heading),
        ball[1] - reach * np.sin(heading),
        heading,
    )
    row[other.qpos : other.qpos + 2] = opponent
    return row
