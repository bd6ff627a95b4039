"""A team's mind: a playbook, and in every frame a play, roles, intents and commands for all its robots."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from swerve.core.seeding import generator

from ..match.field import HALF_LENGTH, Field
from ..match.model import BALL_COLUMNS, BALL_RADIUS, BVX, BVY, HELD, ROBOT_RADIUS, turned_round
from ..match.referee import Referee, State
from .conditions import any_holds, hold, holding
from .evaluate import WEIGHTS, supporters
from .frame import (
    AIM_X,
    AIM_Y,
    CHIP,
    INTENT_COLUMNS,
    KICK,
    KIND,
    MATE,
    MINE,
    PASS,
    PLAN_COLUMNS,
    SPOT_X,
    STOPPED,
    WHAT,
    has_ball,
)
from .intercept import intercepts
from .lookahead import FIRST_EVERY, Lookahead
from .navigate import WAYPOINTS, navigate
from .plays import Play, Playbook
from .reactive import shoot, shoot_or_pass
from .standoff import Standoff
from .tactics import ATTACK, GOALIE, SUPPORT, TACTICS, act, role_costs, role_places

TACTIC_WORDS = list(TACTICS)
PLAN_WORDS = ("", "shot", "pass", "carry", "clear")
SUPPORT_EVERY = 8  # frames between evaluations of where supporters should be

PATIENCE, EXPECTED = 0.4, 10.0  # [s] that a pass may look lost for; by which its receiver is preferred


@dataclass
class Mindset:
    """What a team carries from frame to frame: play, roles, plan and way-points."""

    play: Play | None = None
    began: float = 0.0
    roles: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    holder: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    ours: bool = False  # the ball
    attacker: int = -1
    banned: int = -1  # robot that took our kick and must wait until somebody else has touched the ball
    kicking: int = -1  # robot that is about to take one
    expecting: int = -1  # robot that a pass is on its way to
    expected: float = 0.0  # [s] until when


def situation_of(referee: Referee, side: int) -> np.ndarray:
    """What a side is told by the referee, (7,) as `frame` names it."""
    sign = 1.0 if side == 0 else -1.0
    restart = referee.restart
    kind = referee.coming if referee.state is not State.OVER else State.FREE_KICK
    mine = 1.0 if restart.side == side and kind is not State.RUNNING else 0.0
    stopped = referee.state in (State.STOP, State.OVER)
    spot = sign * restart.spot
    lead = referee.score[side] - referee.score[1 - side]
    return np.array([kind, mine, spot[0], spot[1], stopped, lead, referee.t], dtype=float)


def seen_from(side: int, robots: np.ndarray, ball: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Robots (2n, 6), ours first, and ball (8,), so that we attack towards +x."""
    if side == 0:
        return robots, ball
    n = len(robots) // 2
    turned, ball = turned_round(robots, ball)
    return np.concatenate([turned[n:], turned[:n]]), ball


class Team:
    """Plays one side (0 blue, 1 yellow). `decide` is all that a match asks of it."""

    def __init__(self, book: Playbook, field: Field, side: int, seed: int = 0):
        self.book, self.field, self.side = book, field, side
        self.row, self.n = field.row, field.robots
        self.random = generator(seed, "team", side)
        self.mind = Mindset()
        self.waypoints = self.random.uniform(-2, 2, (self.n, WAYPOINTS, 2))
        self.streams = self.random.integers(1, 1 << 62, self.n).astype(np.uint64)
        self.supporting = np.array([[0.4, 0.5], [0.4, -0.5], [0.1, 0.0], [-0.2, 0.5]]) * self.row[:2]
        self.plan = np.zeros(PLAN_COLUMNS)
        self.met = np.zeros(1)  # when a pass is to be met
        self.frames = 0
        self.kicker = self.planned = -1  # who kicked last; whom the plan is for
        self.attacker_name = book.attacker
        self.lookahead = Lookahead(self.row, self.n)
        self.standoff = Standoff(self.random)
        self.tables = {play.name: play.table(self.n) for play in book.plays}

    def rehearse(self) -> None:
        """Load all that deciding needs, kernels too, so that the first frame of a match is as quick as all
        others; what this team will decide stays as it is."""
        robots, ball = np.zeros((2 * self.n, 6)), np.zeros(BALL_COLUMNS)
        robots[:, 0], robots[:, 1] = np.linspace(-0.4, 0.4, 2 * self.n) * self.field.length, 1.0
        robots[1, :2] = -HELD, 0.0
        other = Team(self.book, self.field, 0)
        for kind in (State.RUNNING, State.FREE_KICK):
            other.decide(robots, ball, np.array([kind, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
        end = self.row[HALF_LENGTH]  # a ball crossed from the wing
        robots[1, :3], ball[:2], ball[BVX : BVY + 1] = (end - 1.7, 0.8, -1.0), (end - 0.9, -1.5), (-1.0, 3.0)
        for _ in range(FIRST_EVERY):
            other.lookahead.think(robots, ball, np.array([State.RUNNING, *[0.0] * 6]), 1, other.plan)

    def decide(self, robots: np.ndarray, ball: np.ndarray, situation: np.ndarray) -> np.ndarray:
        """Commands (n, 6) from what is believed of all robots (2n, 6), blue first, and of the ball (8,)."""
        robots, ball = seen_from(self.side, robots, ball)
        if situation[0] != State.RUNNING:
            ball = np.zeros_like(ball)
            ball[:2] = situation[SPOT_X : SPOT_X + 2]
        n, m = self.n, self.mind
        times, places = np.empty(2 * n), np.empty((2 * n, 2))
        intercepts(robots, ball, self.row, times, places)
        now = holding(situation, ball, times[:n].min(), times[n:].min(), m.ours, self.row[HALF_LENGTH])
        if m.expecting >= 0 and times[:n].min() < times[n:].min() + PATIENCE:
            now = (now - {"their ball"}) | {"our ball"}
        m.ours = "our ball" in now
        self._remember_kicker(robots, ball, situation)
        self._choose_play(now, situation[-1])
        if self.frames % SUPPORT_EVERY == 0 and (m.roles[:, 0] == SUPPORT).any():
            who = np.full(len(self.supporting), -1)
            supporting = m.holder[m.roles[:, 0] == SUPPORT][: len(who)]
            who[: len(supporting)] = supporting
            supporters(robots, ball, self.row, WEIGHTS, who, self.supporting)
        self._assign(robots, ball, situation, times)
        self._plan(robots, ball, situation)
        self._send_receiver(robots, ball, situation)
        intents = np.zeros((n, INTENT_COLUMNS))
        act(
            m.roles,
            self.wanted,
            m.holder,
            robots,
            ball,
            self.row,
            situation,
            places,
            self.plan,
            situation[-1],
            m.expecting,
            self.met,
            intents,
        )
        playing = situation[KIND] == State.RUNNING
        self.standoff.bend(intents, robots, ball, m.attacker, playing, situation[-1])
        commands = np.zeros((n, 6))
        self._expect(robots, ball, intents, situation[-1])
        navigate(robots, ball, self.row, intents, self.waypoints, self.streams, commands)
        self.frames += 1
        return commands if self.side == 0 else commands * np.array([-1, -1, 1, 1, 1, 1.0])

    def doing(self) -> list[str]:
        """The tactic of every robot in a word; the attacker's says what it is about to do with the ball."""
        words = [""] * self.n
        for role, robot in zip(self.mind.roles[:, 0], self.mind.holder, strict=True):
            if robot >= 0:
                words[robot] = TACTIC_WORDS[int(role)]
        if self.mind.attacker >= 0 and self.plan[WHAT] > 0:
            words[self.mind.attacker] += f": {PLAN_WORDS[int(self.plan[WHAT])]}"
        return words

    def _remember_kicker(self, robots: np.ndarray, ball: np.ndarray, situation: np.ndarray) -> None:
        m = self.mind
        if situation[KIND] != State.RUNNING:
            m.kicking, m.banned = m.attacker if situation[MINE] > 0 else -1, -1
        elif m.kicking >= 0:
            m.banned, m.kicking = m.kicking, -1
        elif m.banned >= 0:
            near = np.hypot(*(robots[:, :2] - ball[:2]).T) < ROBOT_RADIUS + BALL_RADIUS + 0.02
            near[m.banned] = False
            m.banned = -1 if near.any() else m.banned

    def _expect(self, robots: np.ndarray, ball: np.ndarray, intents: np.ndarray, t: float) -> None:
        """A mate who is passed to goes for the ball until somebody has it."""
        m, plan = self.mind, self.plan
        kicked = (intents[:, KICK] > 0) | (intents[:, CHIP] > 0)
        if kicked.any() and plan[WHAT] == PASS:
            away = float(np.hypot(plan[AIM_X] - ball[0], plan[AIM_Y] - ball[1]))
            m.expecting, m.expected = int(plan[MATE]), t + 0.5 + away / 1.5
            self.kicker = int(np.argmax(kicked))
        elif m.expecting >= 0:
            near = np.hypot(*(robots[:, :2] - ball[:2]).T) < ROBOT_RADIUS + BALL_RADIUS + 0.02
            near[self.kicker] = False
            if near.any() or t > m.expected:
                m.expecting = -1

    def _send_receiver(self, robots: np.ndarray, ball: np.ndarray, situation: np.ndarray) -> None:
        """A mate who is about to be passed to goes to where it will get the ball."""
        m, plan = self.mind, self.plan
        if situation[KIND] != State.RUNNING or plan[WHAT] != PASS or m.attacker < 0:
            return
        if self.attacker_name == "physics" and has_ball(robots, m.attacker, ball[0], ball[1]):
            self.wanted[(m.holder == plan[MATE]) & (m.roles[:, 0] != GOALIE)] = plan[AIM_X : AIM_Y + 1]

    def _choose_play(self, now: set[str], t: float) -> None:
        m = self.mind
        fit = [play for play in self.book.plays if hold(play.when, now)]
        special = [play for play in fit if not play.for_all_else] or fit
        keep = m.play in special and not any_holds(m.play.until, now)
        if keep and m.play is not None and t - m.began < m.play.seconds:
            return
        weights = np.array([play.weight for play in special])
        play = special[int(self.random.choice(len(special), p=weights / weights.sum()))]
        if play is not m.play:
            m.roles = self.tables[play.name]
            m.holder = np.full(self.n, -1)
            if m.attacker >= 0:
                m.holder[m.roles[:, 0] == ATTACK] = m.attacker
        m.play, m.began = play, t

    def _assign(self, robots: np.ndarray, ball: np.ndarray, situation: np.ndarray, times: np.ndarray) -> None:
        """Roles to robots so that the sum of all costs is least."""
        m = self.mind
        self.wanted = np.empty((len(m.roles), 2))
        role_places(m.roles, robots, ball, self.row, self.supporting, self.wanted)
        costs = np.empty((len(m.roles), self.n))
        role_costs(m.roles, self.wanted, robots, times, m.holder, situation, m.banned, costs)
        kicker_has = situation[KIND] != State.RUNNING or has_ball(robots, self.kicker, ball[0], ball[1])
        if m.expecting >= 0 and not kicker_has:  # the ball is on its way
            costs[m.roles[:, 0] == ATTACK, m.expecting] -= EXPECTED
        rows, columns = linear_sum_assignment(costs)
        m.holder = np.full(len(m.roles), -1)
        m.holder[rows] = columns
        attacks = m.holder[m.roles[:, 0] == ATTACK]
        m.attacker = int(attacks[0]) if len(attacks) else -1

    def _plan(self, robots: np.ndarray, ball: np.ndarray, situation: np.ndarray) -> None:
        """What whoever has the ball is to do with it."""
        m = self.mind
        who, before = m.attacker, self.planned
        keeper = m.holder[m.roles[:, 0] == GOALIE]
        if len(keeper) and has_ball(robots, 0, ball[0], ball[1]):
            who = 0
        attacker = (m.play and m.play.attacker) or self.book.attacker
        self.attacker_name, self.planned = attacker, who
        may_kick = situation[KIND] != State.RUNNING and situation[STOPPED] == 0
        if attacker != "physics" and may_kick and who == before and self.plan[WHAT] > 0:
            return  # it lines up for this
        if attacker == "shoot":
            shoot(robots, ball, self.row, self.plan)
        elif attacker == "reactive" or who < 0:
            shoot_or_pass(robots, ball, self.row, who, self.plan)
        else:
            self.lookahead.keeper = 0 if len(keeper) else -1
            self.lookahead.think(robots, ball, situation, who, self.plan)
