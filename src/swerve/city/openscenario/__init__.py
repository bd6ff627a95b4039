"""OpenSCENARIO: storyboards of other people's scenarios, played on OpenDRIVE roads in a world.

outcome = play("cut-in.xosc")
print(outcome.finished, outcome.events, outcome.unsupported)
"""

from .play import Outcome, play

__all__ = ["Outcome", "play"]
