"""How people move: discs that never overlap and never cross a wall, whatever they wish.

A step is walked one body after another. Each moves until it would touch another body where that is now, a
vehicle, or a wall; the rest of its step slides along what it touched. Since every single move keeps all
distances, so does the whole step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..ground.mesh import Mesh
from ..ground.mesh_arrays import MeshArrays, cell_at, cell_holds, height_at
from ..ground.mesh_stitch import buckets

SKIN = 1e-4  # [m] kept from walls, so that rounding never makes them touch
BETWEEN = 0.03  # [m] kept between bodies, so that those who slide round each other don't touch between steps
WALL_BUCKET, WALL_REACH = 2.0, 1.0  # [m] walls are listed by square, with those within reach of it
LONGEST_HOP = 0.2  # [m] of one move; longer steps are walked in several
SLIDES = 4  # in one move
SQUARE = 2.5  # [m] of the grid in which bodies are found: more than two that touch can be apart
WIDEST = 0.75  # [m] radius of a person: with a hop it is within reach of the walls listed
NOWHERE, APART = -1e6, 50.0  # [m] where those who were removed are said to be, and how far from each other
DISCS = 6  # that cover a vehicle


class Crowd(NamedTuple):
    """State of everybody (n,); lengths in m, speeds in m/s."""

    x: np.ndarray
    y: np.ndarray
    vx: np.ndarray
    vy: np.ndarray
    radius: np.ndarray
    max_speed: np.ndarray
    max_accel: np.ndarray
    max_brake: np.ndarray
    cell: np.ndarray  # int32, of the mesh
    leave: np.ndarray  # int32, the crosswalk it may be on, or -1
    want_x: np.ndarray  # velocity that its behaviours ask for
    want_y: np.ndarray
    move_x: np.ndarray  # velocity that avoidance makes of it
    move_y: np.ndarray
    reach: np.ndarray  # distance to where it is going
    stuck: np.ndarray  # [s] for which it has wished to move and hardly did
    clearance: np.ndarray  # (n, 2) kept from people and from vehicles
    method: np.ndarray  # int8 (n, 2, 4) how it avoids: kind of body, kind of collision


class Ground(NamedTuple):
    """Walls (k, 4) [m] by place; `gate` is the crosswalk whose kerb a wall is, or -1."""

    wall: np.ndarray
    gate: np.ndarray
    frame: np.ndarray
    start: np.ndarray
    items: np.ndarray


class Discs(NamedTuple):
    """Everything round that bodies must not touch: people first, then what covers vehicles; and its grid."""

    x: np.ndarray
    y: np.ndarray
    vx: np.ndarray
    vy: np.ndarray
    radius: np.ndarray
    column: np.ndarray
    row: np.ndarray
    head: np.ndarray
    chain: np.ndarray


def empty_crowd(n: int) -> Crowd:
    columns: dict[str, np.ndarray] = {name: np.zeros(n) for name in Crowd._fields}
    columns |= {"cell": np.full(n, -1, np.int32), "leave": np.full(n, -1, np.int32)}
    columns |= {"clearance": np.zeros((n, 2)), "method": np.zeros((n, 2, 4), np.int8)}
    return Crowd(**columns)


def longer_crowd(crowd: Crowd, n: int) -> Crowd:
    """A copy with room for n people; those who are new are nowhere."""
    fresh = empty_crowd(n - len(crowd.x))
    return Crowd(*(np.concatenate(pair) for pair in zip(crowd, fresh, strict=True)))


def send_away(crowd: Crowd, rows: np.ndarray) -> None:
    """Out of the world, far from everybody."""
    crowd.x[rows], crowd.y[rows] = NOWHERE + APART * rows, NOWHERE
    crowd.vx[rows] = crowd.vy[rows] = crowd.move_x[rows] = crowd.move_y[rows] = 0.0
    crowd.leave[rows] = -1


def make_ground(mesh: Mesh, allowed: np.ndarray, more_walls: np.ndarray | None = None) -> Ground:
    """Borders of the allowed cells, kerbs of the crosswalks, and other walls (k, 4)."""
    borders = mesh.borders(allowed)
    if more_walls is not None:
        borders = np.vstack([borders, np.reshape(more_walls, (-1, 4))])
    gates, which = _kerbs(mesh, allowed)
    wall = np.ascontiguousarray(np.vstack([borders, gates]))
    gate = np.concatenate([np.full(len(borders), -1), which]).astype(np.int32)
    boxes = np.column_stack([np.minimum(wall[:, :2], wall[:, 2:]), np.maximum(wall[:, :2], wall[:, 2:])])
    boxes += np.array([-1, -1, 1, 1]) * WALL_REACH
    low = boxes[:, :2].min(axis=0) - WALL_BUCKET
    return Ground(wall, gate, np.array([*low, WALL_BUCKET]), *buckets(boxes, low, WALL_BUCKET))


def _kerbs(mesh: Mesh, allowed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges between a crosswalk and other ground (k, 4), and the crosswalk of each."""
    if "crossing" not in mesh.data:
        return np.zeros((0, 4)), np.zeros(0, np.int32)
    a, crossing = mesh.arrays, mesh.data["crossing"]
    here = crossing[mesh.edge_cells]
    rows = (a.beyond >= 0) & (here >= 0) & allowed[mesh.edge_cells]
    rows &= crossing[a.beyond] != here
    b, e = a.corner[rows], mesh.edge_ends[rows]
    return np.stack([a.x[b], a.y[b], a.x[e], a.y[e]], -1), here[rows]


def make_discs(crowd: Crowd, vehicles: np.ndarray | None = None) -> Discs:
    """The bodies of people and the covers of vehicles (m, 6): x, y, heading, length, width, speed."""
    n = len(crowd.x)
    cars = np.zeros((0, 6)) if vehicles is None else np.asarray(vehicles, float)
    total = n + DISCS * len(cars)
    size = 1 << max(8, int(2 * total).bit_length())
    x, y, vx, vy, radius = np.empty((5, total))
    discs = Discs(
        x,
        y,
        vx,
        vy,
        radius,
        np.empty(total, np.int32),
        np.empty(total, np.int32),
        np.empty(size, np.int32),
        np.empty(total, np.int32),
    )
    _fill_discs(crowd, cars, discs)
    return discs


@kernel
def _fill_discs(crowd: Crowd, cars: np.ndarray, discs: Discs) -> None:
    n = len(crowd.x)
    for i in range(n):
        discs.x[i], discs.y[i] = crowd.x[i], crowd.y[i]
        discs.vx[i], discs.vy[i] = crowd.vx[i], crowd.vy[i]
        discs.radius[i] = crowd.radius[i]
    for k in range(len(cars)):
        c, s = np.cos(cars[k, 2]), np.sin(cars[k, 2])
        piece = cars[k, 3] / DISCS
        for d in range(DISCS):
            i = n + DISCS * k + d
            along = (d - (DISCS - 1) / 2) * piece
            discs.x[i], discs.y[i] = cars[k, 0] + along * c, cars[k, 1] + along * s
            discs.vx[i], discs.vy[i] = cars[k, 5] * c, cars[k, 5] * s
            discs.radius[i] = np.hypot(piece / 2, cars[k, 4] / 2)
    discs.head[:] = -1
    for i in range(len(discs.x) - 1, -1, -1):
        discs.column[i] = int(np.floor(discs.x[i] / SQUARE))
        discs.row[i] = int(np.floor(discs.y[i] / SQUARE))
        slot = square_slot(discs, discs.column[i], discs.row[i])
        discs.chain[i] = discs.head[slot]
        discs.head[slot] = i


@inner
@bare
def square_slot(discs: Discs, column: int, row: int) -> int:
    """Where the list of a square begins; other squares may share it."""
    return ((column * 73856093) ^ (row * 19349663)) & (len(discs.head) - 1)


@kernel
def walk(mesh: MeshArrays, ground: Ground, crowd: Crowd, discs: Discs, dt: float, backwards: bool) -> None:
    """Everybody moves for dt [s] with velocity `move`, as far as there is room; `v` is what came of it."""
    n = len(crowd.x)
    for k in range(n):
        i = n - 1 - k if backwards else k
        wish_x, wish_y = crowd.move_x[i] * dt, crowd.move_y[i] * dt
        length = np.hypot(wish_x, wish_y)
        x0, y0 = crowd.x[i], crowd.y[i]
        if length > 0.0:
            hops = int(np.ceil(length / LONGEST_HOP))
            for _ in range(hops):
                _hop(ground, crowd, discs, i, wish_x / hops, wish_y / hops)
            _note_cell(mesh, crowd, i)
        crowd.vx[i], crowd.vy[i] = (crowd.x[i] - x0) / dt, (crowd.y[i] - y0) / dt


@inner
@bare
def _hop(ground: Ground, crowd: Crowd, discs: Discs, i: int, dx: float, dy: float) -> None:
    """Move until something is touched, then slide along it, and along what is touched next."""
    for _ in range(SLIDES):
        share, nx, ny = _room(ground, crowd, discs, i, dx, dy)
        crowd.x[i] += share * dx
        crowd.y[i] += share * dy
        _list_again(discs, i, crowd.x[i], crowd.y[i])
        if share >= 1.0:
            return
        into = dx * nx + dy * ny - 1e-6 * np.hypot(dx, dy)  # a hair away from what is slid along
        dx, dy = (1.0 - share) * (dx - into * nx), (1.0 - share) * (dy - into * ny)
        if dx * dx + dy * dy < 1e-12:
            return


@inner
@bare
def _list_again(discs: Discs, i: int, x: float, y: float) -> None:
    """Note where a disc is now, and in which square."""
    discs.x[i], discs.y[i] = x, y
    column, row = int(np.floor(x / SQUARE)), int(np.floor(y / SQUARE))
    if column == discs.column[i] and row == discs.row[i]:
        return
    slot = square_slot(discs, discs.column[i], discs.row[i])
    if discs.head[slot] == i:
        discs.head[slot] = discs.chain[i]
    else:
        j = discs.head[slot]
        while discs.chain[j] != i:
            j = discs.chain[j]
        discs.chain[j] = discs.chain[i]
    discs.column[i], discs.row[i] = column, row
    slot = square_slot(discs, column, row)
    discs.chain[i] = discs.head[slot]
    discs.head[slot] = i


@bare
def _room(
    ground: Ground, crowd: Crowd, discs: Discs, i: int, dx: float, dy: float
) -> tuple[float, float, float]:
    """Which share of a hop (dx, dy) [m] is free, and the direction away from what ends it."""
    x, y, radius = crowd.x[i], crowd.y[i], crowd.radius[i]
    share, nx, ny = 1.0, 0.0, 0.0
    square = dx * dx + dy * dy
    column, row = int(np.floor(x / SQUARE)), int(np.floor(y / SQUARE))
    for c in range(column - 1, column + 2):
        for r in range(row - 1, row + 2):
            j = discs.head[square_slot(discs, c, r)]
            while j >= 0:
                if j != i and discs.column[j] == c and discs.row[j] == r:
                    px, py = x - discs.x[j], y - discs.y[j]
                    towards = px * dx + py * dy
                    if towards < 0.0:
                        apart = radius + discs.radius[j] + BETWEEN
                        gap = px * px + py * py - apart * apart
                        under = towards * towards - square * gap
                        if gap <= 0.0:
                            t = 0.0
                        elif under > 0.0:
                            t = (-towards - np.sqrt(under)) / square
                        else:
                            t = 1.0
                        if t < share:
                            share = max(0.0, t)
                            d = np.hypot(px + share * dx, py + share * dy)
                            nx, ny = (px + share * dx) / d, (py + share * dy) / d
                j = discs.chain[j]
    a = int((x - ground.frame[0]) / ground.frame[2])
    b = int((y - ground.frame[1]) / ground.frame[2])
    if a < 0 or b < 0 or a >= ground.start.shape[0] or b >= ground.start.shape[1] - 1:
        return share, nx, ny
    length = np.sqrt(square)
    for k in range(ground.start[a, b], ground.start[a, b + 1]):
        w = ground.items[k]
        if ground.gate[w] >= 0 and ground.gate[w] == crowd.leave[i]:
            continue
        t = 0.0
        for _ in range(12):  # never further than the wall is away: it cannot be passed
            ax, ay = _away_from(ground.wall, w, x + t * dx, y + t * dy)
            gap = np.hypot(ax, ay)
            if ax * dx + ay * dy >= 0.0:
                t = 1.0
                break
            spare = gap - radius - SKIN
            if spare <= 1e-6:
                break
            t += spare / length
            if t >= share:
                break
        if t < share:
            share = t
            nx, ny = ax / max(gap, 1e-12), ay / max(gap, 1e-12)
    return share, nx, ny


@inner
@bare
def _away_from(wall: np.ndarray, w: int, x: float, y: float) -> tuple[float, float]:
    """From the nearest point of a wall to (x, y)."""
    dx, dy = wall[w, 2] - wall[w, 0], wall[w, 3] - wall[w, 1]
    along = ((x - wall[w, 0]) * dx + (y - wall[w, 1]) * dy) / max(dx * dx + dy * dy, 1e-12)
    along = min(1.0, max(0.0, along))
    return x - wall[w, 0] - along * dx, y - wall[w, 1] - along * dy


@inner
@bare
def _note_cell(mesh: MeshArrays, crowd: Crowd, i: int) -> None:
    """The cell a body is in now: the same, a neighbour of it, or a search."""
    cell, x, y = crowd.cell[i], crowd.x[i], crowd.y[i]
    z = 0.0
    if cell >= 0:
        z = height_at(mesh, cell, x, y)
        if cell_holds(mesh, cell, x, y):
            return
        for e in range(mesh.first[cell], mesh.first[cell + 1]):
            other = mesh.beyond[e]
            if other >= 0 and cell_holds(mesh, other, x, y):
                crowd.cell[i] = other
                return
    found = cell_at(mesh, x, y, z)
    if found >= 0:
        crowd.cell[i] = found
