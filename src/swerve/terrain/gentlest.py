"""The line whose tightest bend is the least that a road has room for: steerable wherever anything is.

Around a line, bends are nearly linear in how far its knots lie to the left; so the least tightest bend inside
the edges is a linear programme, solved again from what it found until nothing is gained. Only knots near
bends that are too tight, or near edges that are crossed, move.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, diags_array, hstack, vstack

from .lap_reference import FINE, Reference, Road, bend_of, coefficients_of, dense, reference_along, stencils

GAP = 2.0  # [m] between knots, at most
ROUNDS = 12
NEAR = 30.0  # [m] before and after a place that is too tight, within which a line may give way to it
# beside the tightest bend count the largest change from knot to knot, and all of them together
SMOOTH, EVEN = 0.005, 1e-3
OUTSIDE = 1.0  # [1/m²] what a metre outside of the edges counts
MOVE, LEAST_MOVE = 0.2, 0.02  # of the tightest radius, that a knot moves in a round
GAIN = 0.003  # of what is left, that a round gains at least
GENTLE = 0.9  # of what the wheels turn is asked of a line
# [m] from the edges, and the share of what the wheels turn that then will do
SPARES = ((0.2, 0.96), (0.05, 0.98), (0.02, 0.993), (0.0, 1.0))
HOPELESS = 6.0  # times as much as room beside a line, its radius does not grow


def gentlest_line(road: Road, line: np.ndarray, half_width: float, most: float) -> np.ndarray:
    """Dense points (m, 2) near a line (n, 2), that bend by less than `most` [1/m] if there is room for that,
    and keep away from the edges if there is room for that, too."""
    for spare, share in SPARES:
        found, tightest = _gentler(road, line, half_width + spare, GENTLE * most)
        if tightest <= share * most or 1.0 / tightest < 1.0 / most - HOPELESS * spare:
            break
    return found


def _gentler(road: Road, line: np.ndarray, half_width: float, enough: float) -> tuple[np.ndarray, float]:
    """The line that is found, and its tightest bend [1/m]; infinite where it is outside the edges."""
    share, before = MOVE, np.inf
    for k in range(ROUNDS):
        reference = reference_along(road, line, GAP, half_width, k > 0)
        programme = _Programme(reference, road.closed, enough)
        trouble = programme.trouble(programme.base)
        if k == ROUNDS - 1 or trouble <= enough + 1e-4 * enough:
            break
        if trouble > (1.0 - GAIN) * before:
            share *= 0.3
        before = trouble
        while share >= LEAST_MOVE:
            found = programme.solved(share)
            if programme.trouble(found) < trouble - GAIN * (trouble - enough):
                break
            share *= 0.5
        else:
            break
        line = dense(found, FINE, road.closed)
    return line, programme.tightest if programme.out < 0.01 else np.inf


class _Programme:
    """How knots of a reference are to move."""

    def __init__(self, reference: Reference, closed: bool, enough: float):
        n = len(reference.points)
        self.base, self.across = coefficients_of(reference.points, closed), reference.across[:, 0]
        self.stencil, edge = stencils(reference, closed)
        self.enough, self.room = enough, reference.room
        near = (np.arange(n)[:, None] + np.arange(-1, 3)) % n
        places = np.repeat(np.arange(n), 4), near.ravel()
        self.sides = [csr_matrix((edge[:, half].ravel(), places), shape=(n, n)) for half in (0, 1)]
        self.bend, self.moves = self._bends(self.base)
        self.tightest = float(np.abs(self.bend).max())
        outside = np.maximum(self.room[:, 0::2], -self.room[:, 1::2]).max(axis=1)
        self.out = max(float(outside.max()), 0.0)
        step = float(np.hypot(*np.diff(self.base, axis=0).T).mean())
        wrong = (np.abs(self.bend) > enough) | (outside > 0.0)
        mode = "wrap" if closed else "nearest"
        self.free = np.flatnonzero(maximum_filter1d(wrong, 2 * int(NEAR / step) + 1, mode=mode))

    def trouble(self, q: np.ndarray) -> float:
        """What the programme makes least, of coefficients (n, 2): bends [1/m], and what lies outside."""
        d = ((q - self.base) * self.across).sum(axis=1)
        out = 0.0
        for half, side in enumerate(self.sides):
            low, high = self.room[:, 2 * half], self.room[:, 2 * half + 1]
            out = max(out, float(np.maximum(low - side @ d, side @ d - high).max()))
        return max(float(np.abs(self._bends(q)[0]).max()), self.enough) + OUTSIDE * out

    def _bends(self, q: np.ndarray) -> tuple[np.ndarray, csr_matrix]:
        """Curvature (n,) [1/m] at the knots, and how it changes as coefficients q (n, 2) move (n, n)."""
        n = len(q)
        near = np.stack([np.arange(n) - 1, np.arange(n), np.arange(n) + 1], axis=1) % n
        first, second = self.stencil[:, :3], self.stencil[:, 3:]
        u, s = (np.einsum("nk,nkc->nc", weights, q[near]) for weights in (first, second))
        bend, pace = bend_of(u, s), np.hypot(u[:, 0], u[:, 1])[:, None]
        ax, ay = self.across[near, 0], self.across[near, 1]
        (ux, uy), (sx, sy) = u.T[:, :, None], s.T[:, :, None]
        turned = first * (ax * sy - ay * sx) + second * (ux * ay - uy * ax)
        change = turned / pace**3 - 3.0 * bend[:, None] * first * (ux * ax + uy * ay) / pace**2
        return bend, csr_matrix((change.ravel(), (np.repeat(np.arange(n), 3), near.ravel())), shape=(n, n))

    def solved(self, share: float) -> np.ndarray:
        """Coefficients (n, 2) with free knots moved by a share of the tightest radius at most, so that least
        is wrong. Unknowns: moves, tightest bend, largest and all changes of bend, the most outside."""
        moves = self.moves[:, self.free]
        touched = np.flatnonzero(np.diff(moves.indptr))
        bends, here = moves[touched], self.bend[touched]
        m, k = len(self.free), len(touched)
        differ = diags_array([-1.0, 1.0], offsets=[0, 1], shape=(k - 1, k)).tocsr()
        changes, step = differ @ bends, differ @ here
        one, even = csr_matrix(np.ones((k, 1))), diags_array(np.ones(k - 1)).tocsr()
        rows = [
            [bends, -one, None, None, None],
            [-bends, -one, None, None, None],
            [changes, None, None, -even, None],
            [-changes, None, None, -even, None],
            [None, None, -one[1:], even, None],
        ]
        limits = [-here, here, -step, step, np.zeros(k - 1)]
        for half, side in enumerate(self.sides):
            side = side[:, self.free]
            kept = np.flatnonzero(np.diff(side.indptr))
            out = csr_matrix(np.ones((len(kept), 1)))
            rows += [[side[kept], None, None, None, -out], [-side[kept], None, None, None, -out]]
            limits += [self.room[kept, 2 * half + 1], -self.room[kept, 2 * half]]
        widths = (m, 1, 1, k - 1, 1)
        matrix = vstack([hstack(_filled(row, widths)) for row in rows])
        price = np.concatenate([np.zeros(m), [1.0, SMOOTH], np.full(k - 1, EVEN), [OUTSIDE]])
        bounds = np.full((len(price), 2), [0.0, np.inf])
        bounds[:m], bounds[m, 0] = np.array([-share, share]) / self.tightest, self.enough
        found = linprog(price, matrix, np.concatenate(limits), bounds=bounds, method="highs")
        result = self.base.copy()
        if found.status == 0:
            result[self.free] += found.x[:m, None] * self.across[self.free]
        return result


def _filled(row: list[csr_matrix | None], widths: tuple[int, ...]) -> list[csr_matrix]:
    height = next(block.shape[0] for block in row if block is not None)
    return [
        csr_matrix((height, width)) if block is None else block
        for block, width in zip(row, widths, strict=True)
    ]
