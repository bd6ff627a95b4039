"""Plans carried out in a world that does not follow them: a closed loop, fitting, variable level of detail.

>>> from swerve.tactics.loop import PlayOptions, play
>>> played = play("minigolf-one-bounce", PlayOptions(reality="mujoco", noise=0.0), trials=1, seed=3)
>>> played.frames > 100
True
"""

from .again import replay_gap
from .fit import Fit, fit
from .frames import Log, Loop, Mind, Thought
from .play import GAMES, Played, PlayOptions, Trial, play, trial_of
from .reality import Command, Drive, MujocoReality, Reality, with_materials
from .sense import Camera, Noise
from .tracker import Tracker

__all__ = [
    "GAMES",
    "Camera",
    "Command",
    "Drive",
    "Fit",
    "Log",
    "Loop",
    "Mind",
    "MujocoReality",
    "Noise",
    "PlayOptions",
    "Played",
    "Reality",
    "Thought",
    "Tracker",
    "Trial",
    "fit",
    "play",
    "replay_gap",
    "trial_of",
    "with_materials",
]
