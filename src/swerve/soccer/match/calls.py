"""What the referee says, in words: for pages that play a match."""

from __future__ import annotations

from .referee import Event, Referee, State

COLOURS = ("blue", "yellow")
STATES = {
    State.KICK_OFF: "kick-off",
    State.FREE_KICK: "free kick",
    State.PENALTY: "penalty",
    State.RUNNING: "running",
    State.OVER: "over",
}
OWN = ("goal", "throw in", "goal kick", "corner kick")  # of events, that a side gets; all else it does


def state_in_words(referee: Referee) -> str:
    """What the referee has the sides do, and what comes after a stop.

    >>> from .field import load_field
    >>> state_in_words(Referee(load_field("seed"), 60.0))
    'stopped, then kick-off for blue'
    """
    word, whose = STATES[referee.coming], referee.restart.side
    if referee.coming in (State.RUNNING, State.OVER):
        return word
    whole = "drop ball" if whose < 0 else f"{word} for {COLOURS[whose]}"
    return f"stopped, then {whole}" if referee.state is State.STOP else whole


def call_in_words(event: Event) -> str:
    """What was called.

    >>> call_in_words(Event(1.0, "goal", 0)), call_in_words(Event(1.0, "double touch", 1))
    ('goal for blue', 'double touch by yellow')
    """
    if event.side < 0:
        return event.what
    return f"{event.what} {'for' if event.what in OWN else 'by'} {COLOURS[event.side]}"
