"""What robots and the ball are: sizes, masses, limits, and the columns of arrays that hold their state."""

import numpy as np

FRAME = 1 / 60  # [s]
SUBSTEPS = 5

# columns of a robot
X, Y, HEADING, VX, VY, SPIN = range(6)
# columns of the ball; Z is the height of its lowest point, UX and UY what it would have if it rolled
Z, BVX, BVY, BVZ, UX, UY = range(2, 8)
BALL_COLUMNS = 8
# columns of a command: velocity in the world's frame, turning rate, speeds of kick and chip, dribbler
TOLD_VX, TOLD_VY, TOLD_SPIN, KICK, CHIP, DRIBBLE = range(6)
# columns of a frame's notes: who touched the ball last, the ball's greatest speed, who kicked it, and who
# counts as the nearer of two that are as near: the last of the list if it is not 0
LAST_TOUCH, TOP_SPEED, KICKER, COIN = range(4)
NOTES = 4

ROBOT_RADIUS, ROBOT_HEIGHT, ROBOT_MASS = 0.09, 0.15, 2.5
FRONT = 0.075  # [m] from the middle to the flat front
FRONT_HALF = (ROBOT_RADIUS**2 - FRONT**2) ** 0.5  # [m] half the width of the front
BALL_RADIUS, BALL_MASS = 0.0215, 0.046
HELD = FRONT + BALL_RADIUS  # [m] from the middle of a robot to a ball at its front
REACH = 0.012  # [m] before the front within which dribbler and kicker act
MOUTH = 0.04  # [m] half the width within which they do

SPEED, ACCELERATION, BRAKING = 3.0, 4.0, 5.0  # [m/s, m/s²] of robots
TURNING, TURNING_ACCELERATION = 10.0, 60.0  # [rad/s, rad/s²]
KICK_SPEED = 6.5  # [m/s] strongest kick, which is also the fastest ball allowed
CHIP_ANGLE = np.pi / 4
GRIP = 4.0  # [m/s²] that a dribbler can give a ball; what needs more loses it

GRAVITY = 9.81
SLIDING, ROLLING = 3.0, 0.3  # [m/s²] deceleration of a ball that slides and of one that rolls
BOUNCE, BOUNCE_FRICTION = 0.5, 0.3  # of the ball on the ground
SLOWEST_BOUNCE = 0.2  # [m/s] below which a ball stays on the ground
SHELL, FACE, DAMPED, WALL, BETWEEN = (
    0.5,
    0.3,
    0.05,
    0.5,
    0.2,
)  # restitution: shell, front, dribbler, walls, robots


def turned_round(robots: np.ndarray, ball: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Robots (…, 6) and ball (…, 8), as they are seen from the other end of the field.

    >>> robots, ball = turned_round(np.array([[1.0, 0.5, 0.0, 2.0, 0.0, 3.0]]), np.ones(8))
    >>> robots[0, :2].tolist(), robots[0, 3:].tolist(), ball[:3].tolist()
    ([-1.0, -0.5], [-2.0, -0.0, 3.0], [-1.0, -1.0, 1.0])
    """
    turned = robots * np.array([-1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
    turned[..., HEADING] += np.pi
    return turned, ball * np.array([-1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0])
