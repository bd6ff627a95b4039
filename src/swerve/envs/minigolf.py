"""`Minigolf-v0`: putt a ball past a turning bar into a hole, by driving into it once.

A step is 0.05 s. An action (2,) in [−1, 1] is the velocity that is wanted of the robot, x and y, 1 being
`FASTEST`; it gets there at no more than `ACCELERATION`. Only the collision moves the ball. An observation
is `COLUMNS`. The reward is by how much the ball came nearer to the hole [m], until it is played 0.2 times by
how much the robot came nearer to it [m], `HOLED` for holing it and `LOST` less for what ends it otherwise:
the robot touches wall, bar or hole, or the ball lies elsewhere. After `seconds` it is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from swerve.core.errors import require
from swerve.tactics import TacticsPlan
from swerve.tactics.domains.minigolf import lay
from swerve.tactics.skills.commanded import drive_at

from .arena import BALL, LAYOUTS, LIMIT, ArenaEnv, Planned
from .batch import Info, OneEnv

STEPS = 3  # of planning in one of the environment
FASTEST, ACCELERATION = 3.5, 12.0  # [m/s], [m/s²]
HOLED, LOST = 5.0, 1.0
PLAYED = 0.02  # [m] from its start, where a ball counts as played
COURSES = {"minigolf": 0, "minigolf-one-bounce": 1, "minigolf-two-bounces": 2}
COLUMNS = (
    "from the robot to the ball, x [m]",
    "from the robot to the ball, y [m]",
    "robot's velocity, x / 3 m/s",
    "robot's velocity, y / 3 m/s",
    "ball's velocity, x / 3 m/s",
    "ball's velocity, y / 3 m/s",
    "from the ball to the hole, x [m]",
    "from the ball to the hole, y [m]",
    "ball's place, x [m]",
    "ball's place, y [m]",
    "sine of twice the bar's angle, 0 without a bar",
    "cosine of twice the bar's angle, 0 without a bar",
    "whether the ball has been played",
)


class MinigolfVectorEnv(ArenaEnv):
    """`num_envs` balls on a course (`minigolf` has the bar, `minigolf-one-bounce` and `minigolf-two-bounces`
    have walls), whose every start draws one of its `layouts` and the angle of its bar."""

    def __init__(
        self,
        num_envs: int = 1,
        course: str = "minigolf",
        layouts: Sequence[int] = LAYOUTS,
        seconds: float = 20.0,
    ):
        require(course in COURSES, "course", course, f"must be one of {', '.join(COURSES)}")
        obeys = (drive_at, (ACCELERATION,))
        super().__init__(num_envs, course, "robot", layouts, seconds, len(COLUMNS), 2, obeys, STEPS)
        courses = [lay(int(seed), COURSES[course]) for seed in layouts]
        self._holes, self._balls = (
            np.array([getattr(one, what) for one in courses]) for what in ("hole", "ball")
        )
        self._bar = self.arena.world.slot("bar").qpos if courses[0].bar is not None else None

    def _start(self, who: np.ndarray, drawn: np.ndarray) -> None:
        super()._start(who, drawn)
        if self._bar is not None:
            self.rows[who, self._bar] = np.pi * drawn[:, 1]

    def _move(self, actions: np.ndarray, skip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        before = self._to_go()
        holed, lost = self._play(actions, skip)
        reward = before - self._to_go() + HOLED * holed - LOST * lost
        return np.where(skip, 0.0, reward), holed | lost

    def commands(self, actions: np.ndarray) -> np.ndarray:
        return FASTEST * actions

    def _to_go(self) -> np.ndarray:
        """(n,) [m] from the ball to the hole, and a fifth of those from the robot to a ball that waits."""
        ball = self.place(BALL)
        to_ball = np.hypot(*(self.place(self.robot) - ball).T)
        return np.hypot(*(self._holes[self.which] - ball).T) + 0.2 * np.where(self._played(), 0.0, to_ball)

    def _played(self) -> np.ndarray:
        return np.hypot(*(self.place(BALL) - self._balls[self.which]).T) >= PLAYED

    def _see(self) -> tuple[np.ndarray, Info]:
        ball = self.place(BALL)
        seen = np.zeros((self.num_envs, len(COLUMNS)), np.float32)
        seen[:, 0:2] = ball - self.place(self.robot)
        seen[:, 2:4], seen[:, 4:6] = self.velocity(self.robot) / 3.0, self.velocity(BALL) / 3.0
        seen[:, 6:8], seen[:, 8:10] = self._holes[self.which] - ball, ball
        if self._bar is not None:
            seen[:, 10] = np.sin(2.0 * self.rows[:, self._bar])
            seen[:, 11] = np.cos(2.0 * self.rows[:, self._bar])
        seen[:, 12] = self._played()
        return np.clip(seen, -LIMIT, LIMIT, out=seen), {"solved": self.solved.copy()}


class MinigolfEnv(OneEnv):
    """One ball, with the settings of `MinigolfVectorEnv`."""

    batch: MinigolfVectorEnv

    def __init__(self, course: str = "minigolf", layouts: Sequence[int] = LAYOUTS, seconds: float = 20.0):
        super().__init__(MinigolfVectorEnv(1, course, layouts, seconds))


class MinigolfExpert(Planned):
    """The planner's golfer as an agent."""

    def _action(self, row: np.ndarray, plan: TacticsPlan, begin: int, end: int) -> np.ndarray:
        return self._motion(row, plan, begin, end)[:2] / FASTEST
