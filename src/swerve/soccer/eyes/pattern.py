"""What is on top of a robot: the league's standard "butterfly" of one dot in the team's colour and four
around it.

The four dots lie 65 mm from the middle, at ±57.4° in front and ±147.4° behind, so that their places alone
give the heading; which of them are pink gives the number. (RoboCup-SSL/ssl-vision,
patterns/teams/standard2010_16.)
"""

from __future__ import annotations

import numpy as np

TEAMS = ("blue", "yellow")
ROBOT_RADIUS, ROBOT_HEIGHT = 0.09, 0.15  # [m] at most, by the league's rules
FRONT = 0.055 + 0.018  # [m] from the middle to the flat front
BALL_RADIUS = 0.0215  # [m]
CENTRE_DOT, SIDE_DOT = 0.025, 0.020  # [m] radii
DOTS = np.array([[35.0, 54.772], [-54.772, 35.0], [-54.772, -35.0], [35.0, -54.772]]) / 1000
"""Front left, rear left, rear right, front right [m]; x forward, y left."""
REACH = float(np.hypot(*DOTS[0]))

# Which dots are pink, for numbers 0 to 15, in the order of DOTS; the others are green.
PINK = np.array(
    [
        [1, 0, 1, 1],
        [0, 0, 1, 1],
        [0, 0, 1, 0],
        [1, 0, 1, 0],
        [1, 1, 0, 1],
        [0, 1, 0, 1],
        [0, 1, 0, 0],
        [1, 1, 0, 0],
        [0, 0, 0, 0],
        [1, 1, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 1, 0],
        [0, 0, 0, 1],
        [0, 1, 1, 1],
        [1, 0, 0, 0],
        [1, 1, 1, 0],
    ],
    dtype=np.bool_,
)
NUMBER_OF = np.empty(16, dtype=np.int64)  # by the dots read as binary digits, the first the lowest
NUMBER_OF[PINK @ np.array([1, 2, 4, 8])] = np.arange(16)


def body_name(team: int, number: int) -> str:
    """As recordings call it.

    >>> body_name(1, 3)
    'yellow-3'
    """
    return f"{TEAMS[team]}-{number}"
