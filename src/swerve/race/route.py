"""The route tree: a finite-horizon A* over the clips of a move tree, in compiled code.

A node is a pose at a node of the tree and a frame; its children are the clips that may follow, as far as
they touch nothing. The cost is frames; the estimate of what is to come is a `Guide`. The search ends when
the best open node has reached the goal or the horizon, or when the limit of kept nodes is hit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swerve.core.errors import require
from swerve.core.frontier import Frontier
from swerve.core.library import MotionLibrary
from swerve.core.movers import MoverMap
from swerve.core.plan import Status

from .grow import FRAME, PROGRESS, Nodes, grow
from .guide import Guide
from .moves import SLICE, Moves, pack_moves
from .others import Movers, Others, nobody, pack_others
from .touch import least_contact
from .track import Track
from .traffic import Traffic

SQUEEZED = 0.05  # [m] kept from walls and others when nothing else is left
FINE = 0.08  # [m] excess of the pieces of a clip that is to pass so closely
GETS_ON = 5.0  # [m] a route that gains less is held against one that passes walls closely

STATUS = (Status.SOLVED, Status.HORIZON, Status.LIMIT, Status.STUCK)


@dataclass(frozen=True)
class SearchOptions:
    """`horizon` in frames, `nodes` the most nodes kept, `weight` on the estimate (1: plain A*)."""

    horizon: int = 200
    nodes: int = 15000
    weight: float = 1.0
    duplicates: bool = True
    exhaustive: bool = False  # go on to the limit after the best route is known, as the seed did

    def __post_init__(self) -> None:
        require(self.horizon >= 1, "horizon", self.horizon, "must be at least 1 frame")
        require(self.nodes >= 2, "nodes", self.nodes, "must be at least 2: the start and one more")
        require(self.weight >= 0, "weight", self.weight, "must not be negative")


@dataclass(frozen=True)
class Route:
    """The chosen clips in order, and what the search did. `cost` in frames, estimate included."""

    status: Status
    clips: np.ndarray
    cost: float
    kept: int
    expanded: int
    generated: int
    ahead: int = 0  # [frames] for which it touches nothing
    gained: float = 0.0  # [m] along the track
    tight: bool = False  # passes walls more closely than the margin


class RouteSearch:
    """Searches routes on one track with one tree; keeps its memory from search to search.

    Frame length and outline are the library's. `traffic` is for a run whose other cars are all known
    beforehand; whoever meets bodies that are predicted anew gives `others` to every search.
    """

    def __init__(
        self,
        tree: MotionLibrary,
        track: Track,
        guide: Guide,
        options: SearchOptions | None = None,
        traffic: Traffic | None = None,
        margin: float = 0.15,
    ):
        self.tree, self.track, self.guide = tree, track, guide
        self.options = options or SearchOptions()
        self.moves = pack_moves(tree, margin)
        self.movers = pack_others(traffic.others() if traffic else nobody(), tree.dt, SLICE)
        radius = np.hypot(*self.moves.slices[:, 6:8].T).max() + margin + 0.1
        self.reach = np.array([radius, tree.top_speed * tree.dt])
        self.map = MoverMap(self.options.horizon + int(self.moves.frames.max()) + 1)
        self.frontier = Frontier(self.options.nodes)
        n = self.options.nodes + 1
        self.nodes = Nodes(
            np.empty((n, 8)), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n), np.empty(n)
        )
        most = max(1, int(np.diff(self.moves.first).max(initial=1)))
        self.fresh = np.empty(most, np.int32), np.empty(most, np.uint64)
        self.kept = 0

    def move_to(self, track: Track, guide: Guide) -> None:
        """Go on searching on another track, such as the next stretch of a long way."""
        self.track, self.guide = track, guide

    def search(
        self,
        pose: np.ndarray,
        node: int,
        frame: int = 0,
        progress: float | None = None,
        target: float = np.inf,
        tail: np.ndarray | None = None,
        others: Others | None = None,
    ) -> Route:
        """The best route from `pose` (3,) at `node` of the tree, starting at `frame` of the run.

        `progress` so far [m] counts laps; the goal is reached at `target` metres. `tail`, the rest of an
        earlier route, is taken into the tree first, so that no plan is worse than the one it replaces.
        `others`, predicted from this very moment on, stand in for the traffic of the run.

        There is always an answer. Where no way leads on, walls are passed as closely as can be, and where
        every way is blocked, others too; where that is blocked as well, the status says so, and the route is
        the one that touches something last.
        """
        movers = self.movers if others is None else pack_others(others, self.tree.dt, SLICE)
        frame = frame if others is None else 0
        if progress is None:
            progress = float(self.track.progress(pose[:2])[0])
        self._begin(pose, node, progress)
        first = np.zeros(0, np.int32) if tail is None else tail
        route = self._route(self.moves, movers, frame, target, first)
        if not self.guide.far and route.gained < GETS_ON and route.status is not Status.SOLVED:
            again = self._route(self._tight, movers, frame, target, first)
            if again.gained > route.gained + 1.0 and again.status is not Status.STUCK:
                return replace(again, tight=True)
        if route.status is Status.STUCK and len(movers.poses):
            close = self._tight._replace(outline=np.minimum(self.moves.outline, [np.inf, np.inf, SQUEEZED]))
            sure = movers._replace(size=movers.size * [1.0, 1.0, 1.0, 0.0])
            for moves, seen in ((self.moves, movers), (close, sure)):
                again = self._route(moves, seen, frame, target, first, patient=True)
                if again.status is not Status.STUCK:
                    return replace(again, tight=moves is close)
                route = again if again.ahead > route.ahead else route
        if route.status is Status.STUCK:
            clips, ahead = least_contact(self.tree, pose, node, self.track.walls, movers, frame)
            if ahead >= route.ahead or len(route.clips) == 0:
                route = replace(route, clips=clips, ahead=ahead)
        return route

    def prepare(self) -> None:
        """Make now what is otherwise made when it is first needed, in the middle of a drive."""
        assert len(self._tight.frames) == len(self.tree.clips)

    @cached_property
    def _tight(self) -> Moves:
        """For passing walls closely; others are kept as far away as ever."""
        return pack_moves(self.tree, SQUEEZED, FINE)._replace(outline=self.moves.outline)

    def holds(self, pose: np.ndarray, node: int, frame: int, route: Route, others: Others | None) -> bool:
        """Whether the clips of a route made before, played from here, still touch nothing."""
        clips, moves = route.clips, self._tight if route.tight else self.moves
        count = len(clips)
        if not 0 < count < self.options.nodes:
            return False
        movers = self.movers if others is None else pack_others(others, self.tree.dt, SLICE)
        self._begin(pose, node, 0.0)
        limits = count + 1, False, True
        kept = self._grow(moves, movers, frame if others is None else 0, np.inf, clips, *limits)[2]
        return bool(kept == count + 1 and (self.nodes.parent[1:kept] == np.arange(count)).all())

    def _begin(self, pose: np.ndarray, node: int, progress: float) -> None:
        x, y, heading = (float(v) for v in pose)
        self.nodes.state[0] = x, y, np.cos(heading), np.sin(heading), heading, node, 0.0, progress

    def _grow(
        self,
        moves: Moves,
        movers: Movers,
        frame: int,
        target: float,
        tail: np.ndarray,
        limit: int,
        duplicates: bool,
        patient: bool,
    ) -> tuple[int, int, int, int, int]:
        o, f = self.options, self.frontier
        return grow(
            float(target),
            tail.astype(np.int32),
            (o.horizon, limit, float(o.weight), duplicates, o.exhaustive, patient),
            moves,
            self.guide,
            self.track.walls.arrays(),
            (self.map.cells, frame, *movers, self.reach),
            self.nodes,
            (f.keys, f.items, f.seen, *self.fresh),
        )

    def _route(
        self, moves: Moves, movers: Movers, frame: int, target: float, tail: np.ndarray, patient: bool = False
    ) -> Route:
        limits = self.options.nodes, self.options.duplicates, patient
        best, status, self.kept, expanded, generated = self._grow(moves, movers, frame, target, tail, *limits)
        clips, at = [], best
        while at > 0:
            clips.append(int(self.nodes.clip[at]))
            at = int(self.nodes.parent[at])
        return Route(
            STATUS[status],
            np.array(clips[::-1], dtype=np.int32),
            float(self.nodes.cost[best]),
            self.kept,
            expanded,
            generated,
            int(self.nodes.state[best, FRAME]),
            float(self.nodes.state[best, PROGRESS] - self.nodes.state[0, PROGRESS]),
        )
