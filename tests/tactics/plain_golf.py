"""A course that tests of the closed loop play on, and a ball that rolls there."""

from swerve.tactics.domains.minigolf import lay

COURSE = lay(3, 1)


def rolling(problem, velocity, place=(0.5, 0.4)):
    row, slot = problem.start.copy(), problem.world.slot("ball")
    row[slot.qpos : slot.qpos + 2], row[slot.qvel : slot.qvel + 2] = place, velocity
    return row
