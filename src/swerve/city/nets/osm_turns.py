"""Who may turn where at a junction of an OpenStreetMap extract, from which lane, by which sign or light."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..roads.curves import wrap
from .osm import Streets
from .plain import STOP_SIGN, YIELD_SIGN, Edge, Turn

STRAIGHT_ON = np.radians(45.0)
SIGN_REACH = 30.0  # [m] before a junction within which a sign or a light stands for it


class Arm(NamedTuple):
    """A street at a junction: the edges that lead in and out (either may be missing), its way, its nodes from
    the junction on, how large a road it is, and whether it is part of a roundabout."""

    into: Edge | None
    out_of: Edge | None
    way: str
    nodes: tuple[str, ...]
    rank: int
    ring: bool


def turns_at(node: str, arms: list[Arm], streets: Streets) -> list[Turn]:
    """All turns at a junction."""
    lit = len(arms) > 2 and any(_told(arm, streets, {"traffic_signals"}) for arm in arms)
    found = []
    for k, arm in enumerate(arms):
        if arm.into is None:
            continue
        exits = [other for i, other in enumerate(arms) if i != k and other.out_of is not None]
        exits = _allowed(node, arm, exits, streets)
        sign = "" if lit else _sign(arm, arms, streets)
        for lane, other, onto in _moves(arm, exits):
            target = other.out_of
            assert target is not None
            name = f"{arm.into.id}.{lane} to {target.id}.{onto}"
            head = f"light {arm.into.id}" if lit else ""
            found.append(Turn(name, arm.into.id, lane, target.id, onto, None, sign, head))
    return found


def _told(arm: Arm, streets: Streets, words: set[str]) -> bool:
    """Whether a node of the street, at the junction or shortly before it, is tagged so."""
    gone = 0.0
    for k, name in enumerate(arm.nodes):
        if k:
            a, b = streets.place[arm.nodes[k - 1]], streets.place[name]
            gone += float(np.hypot(b[0] - a[0], b[1] - a[1]))
        if gone > SIGN_REACH or (k and k == len(arm.nodes) - 1):
            return False
        if streets.tags.get(name, {}).get("highway") in words:
            return True
    return False


def _sign(arm: Arm, arms: list[Arm], streets: Streets) -> str:
    """Signs of the map; without any, smaller roads give way, and whoever comes into a roundabout."""
    if len(arms) < 3:
        return ""
    own = arm._replace(nodes=arm.nodes[1:]) if len(arm.nodes) > 2 else arm
    if _told(own, streets, {"stop"}) or streets.tags.get(arm.nodes[0], {}).get("highway") == "stop":
        return STOP_SIGN
    smaller = arm.rank < max(other.rank for other in arms)
    enters = not arm.ring and any(other.ring for other in arms)
    return YIELD_SIGN if smaller or enters or _told(own, streets, {"give_way"}) else ""


def _allowed(node: str, arm: Arm, exits: list[Arm], streets: Streets) -> list[Arm]:
    """Exits that no restriction forbids; of a way that lies on both sides the side that it names is meant."""
    only, kept = [], []
    for other in exits:
        kind = streets.restrictions.get((arm.way, node, other.way), "")
        assert arm.into is not None
        by = _turn(arm.into, other.out_of)
        meant = by > 0 if "left" in kind else by < 0 if "right" in kind else True
        if meant and kind.startswith("only_"):
            only.append(other)
        if not (meant and kind.startswith("no_")):
            kept.append(other)
    return only or kept


def _moves(arm: Arm, exits: list[Arm]) -> list[tuple[int, Arm, int]]:
    """From which lane into which lane of which exit; lanes are counted from the left.

    Straight on keeps to the kerb; lanes for which there is no room ahead turn off where there is somewhere to
    turn to, and end otherwise. Right turns leave from the kerb, left turns from the middle.
    """
    if arm.into is None or not exits:
        return []
    n = len(arm.into.lanes)
    by = {id(e): _turn(arm.into, e.out_of) for e in exits if e.out_of is not None}
    exits = sorted(exits, key=lambda e: by[id(e)])
    main = min(exits, key=lambda e: abs(by[id(e)]))
    straight = abs(by[id(main)]) < STRAIGHT_ON or len(exits) == 1
    where = exits.index(main)
    rights = exits[:where] if straight else [e for e in exits if by[id(e)] < 0]
    lefts = exits[where + 1 :] if straight else [e for e in exits if by[id(e)] >= 0]
    low, high = 0, n  # lanes from the kerb that go straight on
    if straight:
        room = _lanes_out(main)
        while high - low > room:
            if rights and (low <= n - high or not lefts):
                low += 1
            else:
                high -= 1
    elif rights and lefts and n > 1:
        low = high = (n + 1) // 2
    elif not straight:
        low, high = (n, n) if rights else (0, 0)
    moves = [(i, main, i - low) for i in range(low, high)] if straight else []
    if len(exits) == 1:  # a street that becomes wider: its new lanes are reached from the one beside them
        moves += [(n - 1, main, i) for i in range(n, _lanes_out(main))]
    for e in rights:
        moves += [(i, e, i) for i in range(min(max(low, 1), _lanes_out(e)))]
    for e in lefts:
        out, count = _lanes_out(e), max(n - high, 1)
        moves += [(n - 1 - i, e, out - 1 - i) for i in range(min(count, out))]
    return [(n - 1 - i, e, _lanes_out(e) - 1 - j) for i, e, j in moves]


def _lanes_out(arm: Arm) -> int:
    return 0 if arm.out_of is None else len(arm.out_of.lanes)


def _turn(one: Edge, other: Edge | None) -> float:
    """By how much [rad] a turn leads to the left."""
    assert other is not None
    a, b = one.points[-1] - one.points[-2], other.points[1] - other.points[0]
    return wrap(float(np.arctan2(b[1], b[0]) - np.arctan2(a[1], a[0])))
