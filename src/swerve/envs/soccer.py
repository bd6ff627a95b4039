"""`Soccer-v0`: bring a ball into the goal past two defenders and a goalie, who act by rules of their own.

A step is 1/60 s. An action (5,) in [−1, 1] is what is wanted of the robot: its velocity, x and y, 1 being
`FASTEST`, its turning rate, 1 being `TURN`, and a kick: its level speed, 1 being `KICK` and none below 0, and
its upward speed, 1 being `CHIP`. The robot holds a ball that comes to its mouth, and kicks it straight ahead.
An observation is `COLUMNS`, then of every opponent `OPPONENT`. The reward is by how much the ball came nearer
to the goal [m], 0.2 times by how much the robot came nearer to the ball [m], `GOAL` for a goal and `FOUL`
less when the robot touches somebody or leaves the field, or the ball does; all of these end it. After
`seconds` it is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from swerve.core.errors import require
from swerve.core.geometry import wrap
from swerve.tactics import TacticsPlan
from swerve.tactics.domains.soccer import BODY, FIELD, GOAL_DEPTH, OPPONENTS
from swerve.tactics.skills.ball import DRIBBLER, has_ball
from swerve.tactics.skills.commanded import play_ball

from .arena import BALL, LAYOUTS, LIMIT, PLANNED, ArenaEnv, Planned
from .batch import Info, OneEnv

STEPS = 1  # of planning in one of the environment
FASTEST, ACCELERATION = 2.5, 6.0  # [m/s], [m/s²]
TURN, TURN_ACCELERATION = 12.0, 60.0  # [rad/s], [rad/s²]
KICK, CHIP = 6.0, 3.0  # [m/s]
GOAL, FOUL = 5.0, 1.0
AIMING = 6  # planning steps before a kick, in which the robot turns to where it is to go
KICKED = 3.0 * DRIBBLER  # [N] above which a plan's force on the ball is a kick
COLUMNS = (
    "robot's place, x [m]",
    "robot's place, y [m]",
    "sine of its heading",
    "cosine of its heading",
    "its velocity, x / 2 m/s",
    "its velocity, y / 2 m/s",
    "its turning rate / 10 rad/s",
    "from the robot to the ball, x [m]",
    "from the robot to the ball, y [m]",
    "height of the ball / 0.1 m",
    "ball's velocity, x / 3 m/s",
    "ball's velocity, y / 3 m/s",
    "whether the robot holds the ball",
    "from the ball to the goal, x [m]",
    "from the ball to the goal, y [m]",
)
OPPONENT = ("from the ball to it, x [m]", "and y [m]", "its velocity, x / 2 m/s", "and y / 2 m/s")


class SoccerVectorEnv(ArenaEnv):
    """`num_envs` attacks, whose every start draws one of the `layouts`; with a `goalie` or without."""

    def __init__(
        self,
        num_envs: int = 1,
        goalie: bool = True,
        layouts: Sequence[int] = LAYOUTS,
        seconds: float = 15.0,
    ):
        require(isinstance(goalie, bool), "goalie", goalie, "must be true or false")
        self.opponents = OPPONENTS if goalie else OPPONENTS[:2]
        size = len(COLUMNS) + len(OPPONENT) * len(self.opponents)
        domain = "soccer" if goalie else "soccer-two-defenders"
        obeys = (play_ball, (ACCELERATION, TURN_ACCELERATION, DRIBBLER))
        super().__init__(num_envs, domain, BODY, layouts, seconds, size, 5, obeys, STEPS)
        self._goal = np.array([FIELD[2] + GOAL_DEPTH / 2, 0.0])

    def commands(self, actions: np.ndarray) -> np.ndarray:
        told = actions * [FASTEST, FASTEST, TURN, KICK, CHIP]
        told[:, 3:] = np.maximum(told[:, 3:], 0.0)
        return told

    def _move(self, actions: np.ndarray, skip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        before = self._to_go()
        scored, fouls = self._play(actions, skip)
        reward = before - self._to_go() + GOAL * scored - FOUL * fouls
        return np.where(skip, 0.0, reward), scored | fouls

    def _to_go(self) -> np.ndarray:
        """(n,) [m] from the ball to the goal, and a fifth of those from the robot to the ball."""
        ball = self.place(BALL)
        return np.hypot(*(self._goal - ball).T) + 0.2 * np.hypot(*(self.place(BODY) - ball).T)

    def _see(self) -> tuple[np.ndarray, Info]:
        ball, robot, own = self.place(BALL), self.place(BODY), self.arena.world.slot(BODY)
        heading = self.rows[:, own.qpos + 2]
        size = len(COLUMNS) + len(OPPONENT) * len(self.opponents)
        seen = np.empty((self.num_envs, size), np.float32)
        seen[:, 0:2], seen[:, 2], seen[:, 3] = robot, np.sin(heading), np.cos(heading)
        seen[:, 4:6], seen[:, 6] = self.velocity(BODY) / 2.0, self.rows[:, own.qvel + 2] / 10.0
        seen[:, 7:9], seen[:, 9] = ball - robot, self.rows[:, self.arena.world.slot(BALL).qpos + 2] / 0.1
        seen[:, 10:12] = self.velocity(BALL) / 3.0
        seen[:, 12] = has_ball(self.arena.problems[0].scene(self.rows, self.touched), BODY, BALL)
        seen[:, 13:15] = self._goal - ball
        for k, name in enumerate(self.opponents):
            at = len(COLUMNS) + len(OPPONENT) * k
            seen[:, at : at + 2] = self.place(name) - ball
            seen[:, at + 2 : at + 4] = self.velocity(name) / 2.0
        return np.clip(seen, -LIMIT, LIMIT, out=seen), {"solved": self.solved.copy()}


class SoccerEnv(OneEnv):
    """One attack, with the settings of `SoccerVectorEnv`."""

    batch: SoccerVectorEnv

    def __init__(self, goalie: bool = True, layouts: Sequence[int] = LAYOUTS, seconds: float = 15.0):
        super().__init__(SoccerVectorEnv(1, goalie, layouts, seconds))


class SoccerExpert(Planned):
    """The planner's attacker as an agent."""

    def _action(self, row: np.ndarray, plan: TacticsPlan, begin: int, end: int) -> np.ndarray:
        vx, vy, rate = self._motion(row, plan, begin, end)
        own, ball = (self.batch.arena.world.slot(name) for name in (BODY, BALL))
        forces = plan.controls[begin : end + AIMING, ball.dof : ball.dof + 3]
        level, rise = 0.0, 0.0
        for k in np.flatnonzero(np.linalg.norm(forces, axis=1) > KICKED)[:1]:
            before = plan.rows[begin + k, ball.qvel : ball.qvel + 3]
            x, y, z = before + forces[k] * PLANNED / ball.mass
            rate = wrap(np.arctan2(y, x) - row[own.qpos + 2]) / ((k + 1) * PLANNED)
            if begin + k < end:
                level, rise = np.hypot(x, y), z
        return np.array([vx / FASTEST, vy / FASTEST, rate / TURN, level / KICK, rise / CHIP])
