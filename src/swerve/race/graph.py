"""A motion graph made from takes without a hand touching them.

Two frames fit where d = |Δu| + |Δv| + |Δω| in the car's frame stays below ε. Comparing every frame with
every other gives a graph that is far too dense: whenever two frames fit, so do their successors, and a
stretch of straight driving fits itself everywhere. Hence two thinnings,

- `k_c`: a frame is not compared with the next k_c frames after it;
- `k_s`: after a frame that fits, the next k_s are skipped, on either side of the comparison;

then cut points that fit become one node, if the wheel gets from one clip to the next within the car's
steering rate, and two prunings follow: of clips that add nothing because another
between the same nodes leads to nearly the same place, and of everything outside the largest part in which
each node can be reached from each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary

from .similar import Frames, Report, Settings, similar_frames
from .takes import Take


def build_graph(
    takes: Sequence[Take], settings: Settings | None = None, name: str = "graph"
) -> tuple[MotionLibrary, Report]:
    """The motion graph of `takes` and the report of its making."""
    settings, report = settings or Settings(), Report()
    frames = Frames.of(takes, report)
    fits = similar_frames(frames, settings, report)
    marks = _cut_points(frames, fits, settings, report)
    nodes, clips = _pieces(frames, marks, fits, settings, report)
    clips = without_redundant(clips, frames, settings, report)
    clips = strongly_connected(clips, report)
    if len(clips.source) == 0:
        raise BadInput("takes", len(takes), f"never meet again within epsilon {settings.epsilon}; takes")
    return _library(nodes, clips, frames, takes, settings, report, name), report


@dataclass(frozen=True)
class Pieces:
    """Clips to be: node they start from, node they end at, first and last frame in `Frames`."""

    source: np.ndarray
    target: np.ndarray
    start: np.ndarray
    stop: np.ndarray

    def only(self, chosen: np.ndarray) -> Pieces:
        return Pieces(self.source[chosen], self.target[chosen], self.start[chosen], self.stop[chosen])


def without_redundant(clips: Pieces, frames: Frames, settings: Settings, report: Report) -> Pieces:
    """Leave out a clip where another between the same nodes ends at nearly the same place, heading and time;
    of two alike the quicker stays. Which node leads to which does not change.
    """
    place, frames_long = _displacement(clips, frames), clips.stop - clips.start
    limits = [settings.same_place, settings.same_place, settings.same_heading]
    order = np.lexsort((clips.start, frames_long, clips.target, clips.source))
    ends = np.stack([clips.source, clips.target], axis=1)[order]
    kept = []
    for group in np.split(order, np.flatnonzero((ends[1:] != ends[:-1]).any(axis=1)) + 1):
        own: list[int] = []
        for e in group:
            alike = (np.abs(place[own] - place[e]) <= limits).all(axis=1)
            alike &= (frames_long[e] - frames_long[own]) * frames.dt <= settings.same_time
            if not alike.any():
                own.append(int(e))
        kept += own
    report.cut["clips that add nothing"] = len(order) - len(kept)
    return clips.only(np.sort(np.array(kept, dtype=np.int64)))


def strongly_connected(clips: Pieces, report: Report) -> Pieces:
    """The clips of the largest part in which every node can be reached from every other."""
    n = int(max(clips.source.max(initial=-1), clips.target.max(initial=-1))) + 1
    matrix = csr_array((np.ones(len(clips.source)), (clips.source, clips.target)), shape=(n, n))
    _, label = connected_components(matrix, directed=True, connection="strong")
    inside = label[clips.source] == label[clips.target]
    largest = np.bincount(label[clips.source[inside]], minlength=1).argmax() if inside.any() else -1
    chosen = inside & (label[clips.source] == largest)
    report.cut["nodes outside the largest connected part"] = n - int((label == largest).sum())
    report.cut["clips outside the largest connected part"] = int((~chosen).sum())
    return clips.only(chosen)


def _cut_points(frames: Frames, fits: np.ndarray, settings: Settings, report: Report) -> np.ndarray:
    """Frames to cut at, more than k_s apart on each take; those that fit most others come first."""
    marked = np.zeros(len(fits), dtype=bool)
    fits = np.where(frames.rushed, 0, fits)
    for i in np.argsort(-fits, kind="stable")[: np.count_nonzero(fits)]:
        around = slice(max(0, i - settings.k_s), i + settings.k_s + 1)
        marked[i] = not (marked[around] & (frames.take[around] == frames.take[i])).any()
    report.counts["cut points"] = int(marked.sum())
    report.cut["cut points within k_s of a better one"] = int((fits > 0).sum() - marked.sum())
    return np.flatnonzero(marked)


def _pieces(
    frames: Frames, marks: np.ndarray, fits: np.ndarray, settings: Settings, report: Report
) -> tuple[np.ndarray, Pieces]:
    """Nodes, as frames that stand for them, and the pieces of takes between neighbouring cut points.

    Every cut point lies within ε/2 of its node, and a piece may be entered from every node within ε/2 of its
    first frame: so any end and any beginning that meet at a node fit within ε. Likewise the wheel is within
    half of what it turns in a frame of where it is at the node.
    """
    if len(marks) < 2:
        raise BadInput("takes", None, f"no two frames fit within epsilon {settings.epsilon}")
    reach = settings.epsilon / 2 * (1 - 1e-9)  # rounding must not put a seam outside ε
    velocity, wheel, half = frames.velocity[marks], frames.wheel[marks], frames.reach / 2
    held = wheel.mean(axis=1)
    around = cKDTree(velocity).query_ball_point(velocity, reach, p=1)
    free, chosen = np.ones(len(marks), dtype=bool), []
    for i in np.argsort(-fits[marks], kind="stable"):
        if free[i]:
            chosen.append(i)
            near = np.array(around[i])
            free[near[(np.abs(wheel[near] - held[i]) <= half).all(axis=1)]] = False
    nodes, held = marks[np.array(chosen)], held[np.array(chosen)]
    tree = cKDTree(frames.velocity[nodes])

    start, stop = marks[:-1], marks[1:]
    touched = np.concatenate([[0], np.cumsum(frames.contact)])
    rushed = np.concatenate([[0], np.cumsum(frames.rushed)])
    one_take = frames.take[start] == frames.take[stop]
    whole = one_take & (touched[stop + 1] == touched[start])
    report.cut["pieces with contact"] = int(one_take.sum() - whole.sum())
    calm = whole & (rushed[stop] == rushed[start])
    report.cut["pieces with a wheel quicker than hands"] = int(whole.sum() - calm.sum())
    start, stop = start[calm], stop[calm]

    def meeting(at: np.ndarray, side: int) -> list[np.ndarray]:
        """The nodes at which each frame of `at` may begin (side 1) or end (0) a piece."""
        found = tree.query_ball_point(frames.velocity[at], reach, p=1, return_sorted=True)
        steer = frames.wheel[at, side]
        near = (np.array(nodes, dtype=np.int64) for nodes in found)
        return [n[np.abs(held[n] - s) <= half] for n, s in zip(near, steer, strict=True)]

    entries = meeting(start, 1)
    piece = np.repeat(np.arange(len(start)), [len(e) for e in entries])
    source = np.concatenate([np.zeros(0, np.int64), *entries])
    apart = [
        (n, np.abs(tree.data[n] - v).sum(axis=1))
        for n, v in zip(meeting(stop, 0), frames.velocity[stop], strict=True)
    ]
    target = np.array([n[miss.argmin()] for n, miss in apart], dtype=np.int64)
    report.counts |= {"nodes before pruning": len(nodes), "clips before pruning": len(piece)}
    return nodes, Pieces(source, target[piece], start[piece], stop[piece])


def _displacement(clips: Pieces, frames: Frames) -> np.ndarray:
    """Where each clip leads (k, 3): x, y, heading seen from its first frame."""
    a, d = frames.pose[clips.start], frames.pose[clips.stop] - frames.pose[clips.start]
    c, s = np.cos(a[:, 2]), np.sin(a[:, 2])
    return np.stack([c * d[:, 0] + s * d[:, 1], -s * d[:, 0] + c * d[:, 1], d[:, 2]], axis=1)


def _library(
    nodes: np.ndarray,
    pieces: Pieces,
    frames: Frames,
    takes: Sequence[Take],
    settings: Settings,
    report: Report,
    name: str,
) -> MotionLibrary:
    used, ends = np.unique(np.concatenate([pieces.source, pieces.target]), return_inverse=True)
    source, target = ends.reshape(2, -1)
    nodes = nodes[used]
    clips = tuple(
        takes[frames.take[i]].clip(int(frames.index[i]), int(frames.index[j]))
        for i, j in zip(pieces.start, pieces.stop, strict=True)
    )
    names = tuple(f"{takes[frames.take[n]].name} [{frames.index[n]}]" for n in nodes)
    report.counts |= {"nodes": len(nodes), "clips": len(clips)}
    meta = {"kind": "motion graph", "epsilon": settings.epsilon, "report": report.as_dict()}
    return MotionLibrary(name, clips, source, target, names, frames.velocity[nodes], meta)
