"""Reusable skills. Each is a small class over batches; `swerve.tactics.skill.Skill` says how to write one."""

from .ball import ChipOver, Dribble, DribbleAway, DribbleFacing, GetBall, Kick, Putt, Watch, has_ball
from .billiards import RestUntilHit, Roll, SampledSpin, Shoot
from .driving import DriveToPoint, DriveToSample, DriveToSampledTarget, PositionAt, Turn, Wait
from .duelling import Attack, GoRound
from .falling import BiasedFall
from .links import MoveJoint
from .opponents import Chase, Defend, GuardGoal, KeepTurning, PaceLanes
from .pushing import PushOn, StandBehind
from .reactive import ShootAtGap

__all__ = [
    "Attack",
    "BiasedFall",
    "Chase",
    "ChipOver",
    "Defend",
    "Dribble",
    "DribbleAway",
    "DribbleFacing",
    "DriveToPoint",
    "DriveToSample",
    "DriveToSampledTarget",
    "GetBall",
    "GoRound",
    "GuardGoal",
    "KeepTurning",
    "Kick",
    "MoveJoint",
    "PaceLanes",
    "PositionAt",
    "PushOn",
    "Putt",
    "RestUntilHit",
    "Roll",
    "SampledSpin",
    "Shoot",
    "ShootAtGap",
    "StandBehind",
    "Turn",
    "Wait",
    "Watch",
    "has_ball",
]
