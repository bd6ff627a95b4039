"""A motion graph made from takes without a hand touching them.

Two frames fit where d = |Δu| + |Δv| + |Δω| in the car's frame stays below ε. Comparing every frame with
every other gives a graph that is far too dense: whenever two frames fit, so do their successors, and a
stretch of straight driving fits itself everywhere. Hence two thinnings,

- `k_c`: a frame is not compared with the next k_c frames after it;
- `k_s`: after a frame that fits, the next k_s are skipped, on either side of the comparison;

and two prunings: to the largest part in which every clip can be followed by any other in the end, and of
clips that add nothing because another between moments that fit leads to nearly the same place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components
from scipy.spatial import cKDTree

from swerve.core.clips import mismatch
from swerve.core.errors import BadInput, require
from swerve.core.library import MotionLibrary

from .takes import Take

CHUNK = 512  # frames whose neighbours are held in memory at a time


@dataclass(frozen=True)
class Settings:
    """`epsilon` bounds every seam; `k_c` and `k_s` thin the comparison [frames]; a clip adds nothing where
    another ends within `same_place` [m], `same_heading` [rad] and `same_time` [s] of it.
    """

    epsilon: float = 0.4
    k_c: int = 12
    k_s: int = 8
    same_place: float = 0.5
    same_heading: float = 0.05
    same_time: float = 0.12

    def __post_init__(self) -> None:
        require(bool(self.epsilon > 0), "epsilon", self.epsilon, "must be positive")
        require(self.k_c >= 0, "k_c", self.k_c, "must not be negative")
        require(self.k_s >= 0, "k_s", self.k_s, "must not be negative")


@dataclass
class Report:
    """What was kept and what was cut, and why."""

    counts: dict[str, int] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"counts": dict(self.counts), "cut": dict(self.cut)}

    def __str__(self) -> str:
        lines = [f"{key:<46}{value:>9,}" for key, value in self.counts.items()]
        lines += [f"  cut: {key:<40}{value:>9,}" for key, value in self.cut.items()]
        return "\n".join(lines)


def build_graph(
    takes: Sequence[Take], settings: Settings | None = None, name: str = "graph"
) -> tuple[MotionLibrary, Report]:
    """The motion graph of `takes` and the report of its making.

    Nodes are cut points, frames at which takes fit together. Every piece of a take from one cut point to the
    next may be entered from any node that fits its first frame.
    """
    settings, report = settings or Settings(), Report()
    frames = _frames(takes, report)
    marks = cut_points(frames, settings, report)
    edges = _edges(frames, marks, settings, report)
    edges = _strongly_connected(edges, report)
    if len(edges.source) == 0:
        raise BadInput("takes", len(takes), f"no clips meet again within epsilon {settings.epsilon}; takes")
    edges = without_redundant(edges, frames, settings, report)
    return _library(edges, frames, takes, settings, report, name), report


@dataclass(frozen=True)
class Frames:
    """All frames of all takes in a row: body velocity (n, 3), which take and which frame of it, poses."""

    velocity: np.ndarray
    take: np.ndarray
    index: np.ndarray
    pose: np.ndarray
    contact: np.ndarray


@dataclass(frozen=True)
class Edges:
    """From cut point `source` one may play the frames `start` to `stop`; all count in `Frames`."""

    source: np.ndarray
    start: np.ndarray
    stop: np.ndarray

    def only(self, chosen: np.ndarray) -> Edges:
        return Edges(self.source[chosen], self.start[chosen], self.stop[chosen])


def cut_points(frames: Frames, settings: Settings, report: Report) -> np.ndarray:
    """Frames worth cutting at, by the thinned comparison, more than k_s apart on each take; those that fit
    most others first.
    """
    usable = np.flatnonzero(~frames.contact)
    tree = cKDTree(frames.velocity[usable])
    fits = np.zeros(len(frames.take), dtype=np.int64)
    similar = kept = near = 0
    rest: dict[int, int] = {}  # take: last frame that is skipped on this side of the comparison
    for first in range(0, len(usable), CHUNK):
        block = usable[first : first + CHUNK]
        found = tree.query_ball_point(frames.velocity[block], settings.epsilon, p=1, return_sorted=True)
        for i, hits in zip(block, found, strict=True):
            later = usable[np.asarray(hits)]
            later = later[later > i]
            similar += len(later)
            close = (frames.take[later] == frames.take[i]) & (later <= i + settings.k_c)
            near += int(close.sum())
            later = later[~close]
            take = int(frames.take[i])
            if len(later) == 0 or i <= rest.get(take, -1):
                continue
            chosen = thinned(later, frames.take[later], settings.k_s)
            kept += len(chosen)
            fits[i] += len(chosen)
            fits[chosen] += 1
            rest[take] = int(i) + settings.k_s
    report.counts["pairs of frames that fit"] = similar
    report.cut["pairs within k_c of each other"] = near
    report.cut["pairs skipped by k_s"] = similar - near - kept
    report.counts["pairs after thinning"] = kept

    marked = np.zeros(len(fits), dtype=bool)
    for i in np.argsort(-fits, kind="stable"):
        if fits[i] == 0:
            break
        around = slice(max(0, i - settings.k_s), i + settings.k_s + 1)
        if not (marked[around] & (frames.take[around] == frames.take[i])).any():
            marked[i] = True
    report.cut["cut points within k_s of a better one"] = int((fits > 0).sum() - marked.sum())
    report.counts["cut points"] = int(marked.sum())
    return np.flatnonzero(marked)


def thinned(hits: np.ndarray, take: np.ndarray, k_s: int) -> np.ndarray:
    """Of ascending frames `hits` those that are left when after each the next k_s of its take are skipped."""
    chosen: list[int] = []
    last_take = -1
    for frame, where in zip(hits.tolist(), take.tolist(), strict=True):
        if where != last_take or frame > chosen[-1] + k_s:
            chosen.append(frame)
            last_take = where
    return np.array(chosen, dtype=np.int64)


def without_redundant(edges: Edges, frames: Frames, settings: Settings, report: Report) -> Edges:
    """Leave out a clip where another from the same node ends in nearly the same place, heading and time, at
    a moment that fits its own. Clips that hold the graph together stay.
    """
    holding = _holding(edges)
    pose, time = _displacement(edges, frames), edges.stop - edges.start
    limits = np.array([settings.same_place, settings.same_place, settings.same_heading])
    dropped = np.zeros(len(edges.source), dtype=bool)
    order = np.argsort(edges.source, kind="stable")
    starts = np.flatnonzero(np.diff(edges.source[order], prepend=-1))
    for group in np.split(order, starts[1:]):
        group = group[np.argsort(time[group], kind="stable")]  # of two alike the quicker stays
        for at, e in enumerate(group):
            if holding[e]:
                continue
            others = np.concatenate(
                [group[:at][~dropped[group[:at]]], group[at + 1 :][holding[group[at + 1 :]]]]
            )
            alike = (np.abs(pose[others] - pose[e]) <= limits).all(axis=1)
            alike &= np.abs(time[others] - time[e]) * 0.04 <= settings.same_time
            alike &= (
                mismatch(frames.velocity[edges.stop[others]], frames.velocity[edges.stop[e]])
                < settings.epsilon
            )
            dropped[e] = bool(alike.any())
    report.cut["clips that add nothing"] = int(dropped.sum())
    return edges.only(~dropped)


def _frames(takes: Sequence[Take], report: Report) -> Frames:
    require(len(takes) > 0, "takes", 0, "needs at least one")
    require(len({take.dt for take in takes}) == 1, "takes", [t.dt for t in takes], "differ in frame length")
    frames = Frames(
        np.concatenate([take.velocity for take in takes]),
        np.repeat(np.arange(len(takes)), [len(take.states) for take in takes]),
        np.concatenate([np.arange(len(take.states)) for take in takes]),
        np.concatenate([take.states[:, :3] for take in takes]),
        np.concatenate([take.contact for take in takes]),
    )
    report.counts["takes"] = len(takes)
    report.counts["frames"] = len(frames.take)
    report.cut["frames in contact"] = int(frames.contact.sum())
    return frames


def _edges(frames: Frames, marks: np.ndarray, settings: Settings, report: Report) -> Edges:
    """Pieces between neighbouring cut points, entered from every cut point that fits their beginning."""
    start, stop = marks[:-1], marks[1:]
    touched = np.concatenate([[0], np.cumsum(frames.contact)])
    whole = (frames.take[start] == frames.take[stop]) & (touched[stop + 1] == touched[start])
    report.cut["pieces with contact"] = int((frames.take[start] == frames.take[stop]).sum() - whole.sum())
    start, stop = start[whole], stop[whole]
    report.counts["pieces of takes"] = len(start)
    if len(start) == 0:
        return Edges(start, start, stop)
    tree = cKDTree(frames.velocity[marks])
    # a hair inside ε, so that rounding never puts a seam outside it
    entered = tree.query_ball_point(
        frames.velocity[start], settings.epsilon * (1 - 1e-9), p=1, return_sorted=True
    )
    piece = np.repeat(np.arange(len(start)), [len(e) for e in entered])
    source = marks[np.concatenate([np.asarray(e, dtype=np.int64) for e in entered])]
    report.counts["clips before pruning"] = len(piece)
    return Edges(source, start[piece], stop[piece])


def _strongly_connected(edges: Edges, report: Report) -> Edges:
    if len(edges.source) == 0:
        return edges
    nodes, (a, b) = _nodes(edges)
    _, label = connected_components(_matrix(a, b, len(nodes)), directed=True, connection="strong")
    inside = label[a] == label[b]
    largest = int(np.bincount(label[a[inside]]).argmax()) if inside.any() else -1
    chosen = inside & (label[a] == largest)
    report.counts["nodes before pruning"] = len(nodes)
    report.cut["nodes outside the largest connected part"] = len(nodes) - int((label == largest).sum())
    report.cut["clips outside the largest connected part"] = int((~chosen).sum())
    return edges.only(chosen)


def _holding(edges: Edges) -> np.ndarray:
    """Clips of one tree that leads from a root to every node and one that leads from every node to it: with
    these alone the graph is strongly connected.
    """
    nodes, (a, b) = _nodes(edges)
    holding = np.zeros(len(a), dtype=bool)
    for tail, head in ((a, b), (b, a)):
        _, parent = breadth_first_order(_matrix(tail, head, len(nodes)), 0, directed=True)
        tree = parent[head] == tail
        _, first = np.unique(head[tree], return_index=True)
        holding[np.flatnonzero(tree)[first]] = True
    return holding


def _nodes(edges: Edges) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The cut points in use, and the edges' ends counted in them."""
    nodes, where = np.unique(np.concatenate([edges.source, edges.stop]), return_inverse=True)
    return nodes, (where[: len(edges.source)], where[len(edges.source) :])


def _matrix(a: np.ndarray, b: np.ndarray, n: int) -> csr_array:
    return csr_array((np.ones(len(a)), (a, b)), shape=(n, n))


def _displacement(edges: Edges, frames: Frames) -> np.ndarray:
    """Where each clip leads (k, 3): x, y, heading seen from its first frame."""
    a, b = frames.pose[edges.start], frames.pose[edges.stop]
    c, s = np.cos(a[:, 2]), np.sin(a[:, 2])
    d = b - a
    return np.stack([c * d[:, 0] + s * d[:, 1], -s * d[:, 0] + c * d[:, 1], d[:, 2]], axis=1)


def _library(
    edges: Edges, frames: Frames, takes: Sequence[Take], settings: Settings, report: Report, name: str
) -> MotionLibrary:
    nodes, (a, b) = _nodes(edges)
    clips = tuple(
        takes[frames.take[i]].clip(int(frames.index[i]), int(frames.index[j]))
        for i, j in zip(edges.start, edges.stop, strict=True)
    )
    names = tuple(f"{takes[frames.take[n]].name} [{frames.index[n]}]" for n in nodes)
    report.counts["nodes"], report.counts["clips"] = len(nodes), len(clips)
    meta = {"kind": "motion graph", "epsilon": settings.epsilon, "report": report.as_dict()}
    return MotionLibrary(name, clips, a, b, names, frames.velocity[nodes], meta)
