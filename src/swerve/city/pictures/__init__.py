"""Pictures of towns, traffic and drives."""

from .drive import draw_report
from .town import draw_town
from .traffic import draw_junction, draw_signals, draw_siren_times, draw_turns

__all__ = [
    "draw_junction",
    "draw_report",
    "draw_signals",
    "draw_siren_times",
    "draw_town",
    "draw_turns",
]
