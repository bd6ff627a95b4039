"""A cheap body for tests: a leaning bicycle with a lag, that must steer right to turn left, and can fall."""

import numpy as np

from swerve.core.steered import SteeredBody

GRAVITY, HEIGHT, WHEELBASE, TRAIL_ARM, LAG = 9.81, 1.0, 1.02, 0.4, 0.06
NAMES = ("x", "y", "yaw", "vx", "vy", "yaw_rate", "roll", "roll_rate", "steer", "speed", "wheel", "fell")


def ride_on(rows, commands, step):
    heading, speed = commands.T
    x, y, yaw, _, _, _, roll, roll_rate, steer, v, wheel, fell = rows.T
    off = heading - yaw
    lean = -np.clip(np.arctan(v * off / 0.9 / GRAVITY), -0.42, 0.42)
    wanted = 14.0 * (lean - roll) - 6.0 * roll_rate
    target = np.arctan(WHEELBASE / v**2 * (HEIGHT * wanted - GRAVITY * np.sin(roll)))
    steer_rate = np.clip((np.clip(target, -0.3, 0.3) - steer) / LAG, -2.0, 2.0)
    steer = steer + step * steer_rate
    rate = v * np.tan(steer) / WHEELBASE
    push = GRAVITY * np.sin(roll) + v * rate * np.cos(roll) + TRAIL_ARM * v * steer_rate / WHEELBASE * 0.2
    roll_rate = roll_rate + step * push / HEIGHT
    roll = roll + step * roll_rate
    yaw = yaw + step * rate
    v = v + step * np.clip(speed - v, -4.0, 1.0)  # brakes as the riders that are shipped
    side = -HEIGHT * roll_rate * np.cos(roll)  # the centre of mass swings as the body leans
    vx, vy = v * np.cos(yaw) - side * np.sin(yaw), v * np.sin(yaw) + side * np.cos(yaw)
    new = [
        x + step * vx,
        y + step * vy,
        yaw,
        vx,
        vy,
        rate,
        roll,
        roll_rate,
        steer,
        v,
        wheel + step * v / 0.34,
    ]
    fell = (fell > 0) | (np.abs(roll) > 0.9)
    moved = np.column_stack([*new, fell])
    moved[rows[:, -1] > 0] = rows[rows[:, -1] > 0]
    return moved


def standin(speed=12.0, turns=(-1.0, 1.0)):
    start = (0.0, 0.0, 0.0, speed, 0.0, 0.0, 0.0, 0.0, 0.0, speed, 0.0, 0.0)
    return SteeredBody("standin", (1.8, 0.6, 1.7), NAMES, start, ride_on, speed=speed, turns=turns)
