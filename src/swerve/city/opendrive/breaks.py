"""Lanes that break off: where a car has no way on though the road goes on."""

from __future__ import annotations

import numpy as np

from ..roads.roads import Roads
from .joins import link_of
from .pieces import Piece
from .records import OpenDrive
from .threads import Thread

NAMED = 4  # of the places that a note names


def find_breaks(drive: OpenDrive, pieces: list[Piece], strip: dict[int, int], roads: Roads) -> list[int]:
    """Numbers of the pieces that end where their road does not, or where it is linked with something; `strip`
    says which lane of the roads a piece has become."""
    leads_on = np.diff(roads.after_first) > 0
    return [i for i, own in strip.items() if not leads_on[own] and not _leaves_openly(drive, pieces[i])]


def note_of(pieces: list[Piece], broken: list[int]) -> list[str]:
    """What is said of them, in one line if there are any."""
    if not broken:
        return []
    places = [
        f"road {p.thread.road.id} lane {p.thread.lane_at(p.end).id} at {float(p.thread.s(p.end)):.0f} m"
        for p in (pieces[i] for i in broken)
    ]
    said = ", ".join(places[:NAMED]) + (f" and {len(places) - NAMED} more" if len(places) > NAMED else "")
    return [f"lanes break off where no car has a way on, though the road goes on: {said}"]


def _leaves_openly(drive: OpenDrive, piece: Piece) -> bool:
    """Whether a road ends openly behind a piece, or behind the parts of junctions after it."""
    seen, left = {id(piece)}, [piece]
    while left:
        one = left.pop()
        if one.end >= one.thread.whole - 1e-6 and not _goes_on(drive, one.thread):
            return True
        onward = [p for p in one.after if p.zone and id(p) not in seen]
        seen |= {id(p) for p in onward}
        left += onward
    return False


def _goes_on(drive: OpenDrive, thread: Thread) -> bool:
    """Whether the file says that something follows the road of a thread; a junction without ways does not."""
    link = link_of(thread)
    if link is None or link.type == "road":
        return link is not None
    return link.id in drive.junctions and bool(drive.junctions[link.id].connections)
