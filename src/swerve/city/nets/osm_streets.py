"""Streets of an OpenStreetMap extract as a network: joined, cut back at junctions, laid out lane by lane."""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np

from .osm import STOREY, Segment, Streets
from .osm_turns import Arm, turns_at
from .plain import Edge, NetLane, PlainNet

WIDTH = 3.25  # [m] of a lane
CORNER = 5.0  # [m] radius of kerbs
NEAREST, FURTHEST = 3.0, 22.0  # [m] from the middle of a junction to where its roads end
LEADING_OVER = 10.0  # [m] the same where only the number of lanes changes
SHARE = 0.4  # of a street that a junction may take
BLUNT = np.radians(150.0)  # [rad] between roads that have no corner between them
GRADE = 0.06  # of the ramps of bridges
RAMP_STEP = 10.0  # [m] between points of ramps

End = tuple[int, int]  # segment, and 0 for its first node or 1 for its last


def network_of(streets: Streets) -> PlainNet:
    """The network of an extract."""
    segments = _joined(streets)
    ends: dict[str, list[End]] = {}
    for k, one in enumerate(segments):
        ends.setdefault(one.nodes[0], []).append((k, 0))
        ends.setdefault(one.nodes[-1], []).append((k, 1))
    lines = [np.array([streets.place[name] for name in one.nodes]) for one in segments]
    cuts = {end: cut for some in ends.values() for end, cut in _cuts(segments, lines, some).items()}
    heights = _heights(segments, lines)
    net = PlainNet(streets.name, {}, [], unused=list(streets.unused), reference=streets.reference)
    for k, one in enumerate(segments):
        z = heights[one.nodes[0]], heights[one.nodes[-1]]
        points = _trimmed(_raised(lines[k], z, one.layer), cuts[k, 0], cuts[k, 1])
        for there, lanes, limit in ((True, one.there, one.limit), (False, one.back, one.limit_back)):
            if lanes:
                aside = WIDTH / 2 if one.back else -(lanes - 1) / 2 * WIDTH
                along = _beside(points if there else points[::-1], aside)
                start, end = (one.nodes[0], one.nodes[-1]) if there else (one.nodes[-1], one.nodes[0])
                name = _edge(k, there)
                net.edges[name] = Edge(name, start, end, along, (NetLane(WIDTH, limit),) * lanes)
    for node, some in ends.items():
        net.turns += turns_at(node, [_arm(segments, net, end) for end in some], streets)
    return net


def _edge(segment: int, there: bool) -> str:
    return f"{segment}{'+' if there else '-'}"


def _arm(segments: list[Segment], net: PlainNet, end: End) -> Arm:
    """A street as its junction sees it."""
    k, last = end
    one = segments[k]
    into, out_of = _edge(k, bool(last)), _edge(k, not last)
    nodes = one.nodes[::-1] if last else one.nodes
    return Arm(net.edges.get(into), net.edges.get(out_of), one.ways[last], nodes, one.rank, one.roundabout)


def _joined(streets: Streets) -> list[Segment]:
    """Segments that only go on as each other become one."""
    segments = dict(enumerate(streets.segments))
    ends: dict[str, set[int]] = {}
    for k, one in segments.items():
        for name in (one.nodes[0], one.nodes[-1]):
            ends.setdefault(name, set()).add(k)
    count: dict[str, int] = {}
    for one in segments.values():
        for name in (one.nodes[0], one.nodes[-1]):
            count[name] = count.get(name, 0) + 1
    for node, some in ends.items():
        if len(some) != 2 or count[node] != 2:
            continue
        a, b = sorted(some)
        one, other = segments[a], segments[b]
        if one.nodes[-1] != node:
            one, other = (other, one) if other.nodes[-1] == node else (_turned(one), other)
        if other.nodes[0] != node:
            other = _turned(other)
        alike = all(
            getattr(one, name) == getattr(other, name)
            for name in ("there", "back", "limit", "limit_back", "rank", "layer", "roundabout")
        )
        if not alike or one.nodes[-1] != node or one.nodes[0] == other.nodes[-1]:
            continue
        joined = replace(one, ways=(one.ways[0], other.ways[1]), nodes=one.nodes + other.nodes[1:])
        del segments[b]
        segments[a] = joined
        for name in (joined.nodes[0], joined.nodes[-1]):
            ends[name] = {a if k == b else k for k in ends[name]}
    return list(segments.values())


def _turned(one: Segment) -> Segment:
    return replace(
        one,
        ways=one.ways[::-1],
        nodes=one.nodes[::-1],
        there=one.back,
        back=one.there,
        limit=one.limit_back,
        limit_back=one.limit,
    )


def _cuts(segments: list[Segment], lines: list[np.ndarray], ends: list[End]) -> dict[End, float]:
    """How far [m] from the middle of a junction its roads end: beyond where their kerbs meet."""
    if len(ends) == 1:
        return {ends[0]: 0.0}
    arms = []
    for k, last in ends:
        line = lines[k][::-1] if last else lines[k]
        one = segments[k]
        far = min(len(line) - 1, int(np.argmax(np.hypot(*(line - line[0]).T) > CORNER)) or len(line) - 1)
        out = line[far] - line[0]
        into, out_of = (one.there, one.back) if last else (one.back, one.there)
        left, right = (into, out_of) if one.back else ((into + out_of) / 2,) * 2
        arms.append((float(np.arctan2(out[1], out[0])) % (2 * np.pi), left * WIDTH, right * WIDTH))
    order = sorted(range(len(arms)), key=lambda i: arms[i][0])
    least = NEAREST
    if len(ends) == 2:  # one street goes on as another: lanes that come or go need some way to lead over
        lanes = [sorted((segments[k].there, segments[k].back)) for k, _ in ends]
        least = 1.0 if lanes[0] == lanes[1] else LEADING_OVER
    cuts = dict.fromkeys(ends, least)
    for i, a in enumerate(order):
        b = order[(i + 1) % len(order)]
        gap = (arms[b][0] - arms[a][0]) % (2 * np.pi)
        if a == b or gap > BLUNT:
            continue
        gap = max(gap, np.radians(10.0))
        fillet = CORNER / np.tan(gap / 2)
        left, right = arms[a][1], arms[b][2]
        for end, far in (
            (ends[a], (right + left * np.cos(gap)) / np.sin(gap)),
            (ends[b], (left + right * np.cos(gap)) / np.sin(gap)),
        ):
            cuts[end] = max(cuts[end], min(far + fillet, FURTHEST))
    for k, last in ends:
        long = float(np.hypot(*np.diff(lines[k], axis=0).T).sum())
        cuts[k, last] = min(cuts[k, last], SHARE * long)
    return cuts


def _heights(segments: list[Segment], lines: list[np.ndarray]) -> dict[str, float]:
    """Heights [m] of nodes: bridges and tunnels lie storeys off the ground, and ramps lead there."""
    ways: dict[str, list[tuple[str, float]]] = {}
    found: dict[str, float] = {}
    queue: list[tuple[float, str, float]] = []
    for k, one in enumerate(segments):
        a, b = one.nodes[0], one.nodes[-1]
        long = float(np.hypot(*np.diff(lines[k], axis=0).T).sum())
        ways.setdefault(a, []).append((b, 0.0 if one.layer else long))
        ways.setdefault(b, []).append((a, 0.0 if one.layer else long))
        if one.layer:
            queue += [(-abs(one.layer) * STOREY, name, np.sign(one.layer)) for name in (a, b)]
    heapq.heapify(queue)
    while queue:
        height, name, sign = heapq.heappop(queue)
        if name in found:
            continue
        found[name] = -height * sign
        for other, long in ways[name]:
            rest = -height - GRADE * long
            if rest > 0 and other not in found:
                heapq.heappush(queue, (-rest, other, sign))
    return {name: found.get(name, 0.0) for name in ways}


def _raised(line: np.ndarray, ends: tuple[float, float], layer: int) -> np.ndarray:
    """Points (k, 3) of a street between heights; ramps get points of their own."""
    if not any(ends):
        return np.column_stack([line, np.zeros(len(line))])
    gone = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    at = np.union1d(gone, np.linspace(0.0, gone[-1], int(gone[-1] / RAMP_STEP) + 2))
    x, y = (np.interp(at, gone, line[:, k]) for k in (0, 1))
    sign = np.sign(sum(ends)) or 1.0
    falls = [np.maximum(abs(z) - GRADE * far, 0.0) for z, far in zip(ends, (at, gone[-1] - at), strict=True)]
    even = np.interp(at, [0.0, gone[-1]], ends)
    return np.column_stack([x, y, even if layer else sign * np.maximum(*falls)])


def _trimmed(points: np.ndarray, first: float, last: float) -> np.ndarray:
    """A line without so many metres at its ends."""
    gone = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points[:, :2], axis=0).T))])
    low, high = first, gone[-1] - last
    inside = gone[(gone > low + 0.2) & (gone < high - 0.2)]
    at = np.concatenate([[low], inside, [high]])
    return np.stack([np.interp(at, gone, points[:, k]) for k in range(3)], -1)


def _beside(points: np.ndarray, aside: float) -> np.ndarray:
    """The line `aside` [m] to the right of another."""
    keep = np.concatenate([[True], np.hypot(*np.diff(points[:, :2], axis=0).T) > 0.05])
    points = points[keep] if keep.sum() > 1 else points
    legs = np.diff(points[:, :2], axis=0)
    normal = np.stack([legs[:, 1], -legs[:, 0]], -1) / np.hypot(*legs.T)[:, None]
    both = np.vstack([normal[:1], normal[:-1] + normal[1:], normal[-1:]])
    square = np.maximum((both**2).sum(axis=1), 1.0)
    square[[0, -1]] = 1.0
    scale = np.concatenate([[1.0], 2.0 / square[1:-1], [1.0]])
    return np.column_stack([points[:, :2] + aside * both * scale[:, None], points[:, 2]])
