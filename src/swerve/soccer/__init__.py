"""Robot soccer whole: a match between two teams, what they see, and the language they speak.

>>> from swerve.soccer import MatchOptions, play_match
>>> match = play_match("swerve", "reactive", MatchOptions(minutes=0.05), seed=1)
>>> match.log.frames, match.referee.score
(180, [0, 0])
"""

from .game import Match, MatchOptions, Side, play_match
from .match.field import FIELDS, Field, load_field
from .match.referee import Referee, State
from .match.sight import Sight, Tracker
from .match.world import MatchWorld, advance
from .team.plays import Play, Playbook, Role, load_playbook
from .team.plays import names as team_names
from .team.team import Team

__all__ = [
    "FIELDS",
    "Field",
    "Match",
    "MatchOptions",
    "MatchWorld",
    "Play",
    "Playbook",
    "Referee",
    "Role",
    "Side",
    "Sight",
    "State",
    "Team",
    "Tracker",
    "advance",
    "load_field",
    "load_playbook",
    "play_match",
    "team_names",
]
