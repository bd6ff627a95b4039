"""Reusable skills. Each is a small class over batches; `swerve.tactics.skill.Skill` says how to write one."""

from .driving import DriveToPoint, DriveToSample, DriveToSampledTarget, PositionAt, Turn, Wait

__all__ = [
    "DriveToPoint",
    "DriveToSample",
    "DriveToSampledTarget",
    "PositionAt",
    "Turn",
    "Wait",
]
