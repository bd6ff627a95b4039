"""What happens to balls that touch something else than a ball, after the substep in which they touched it.

For a ball of mass m and radius R that touched something with normal force f during a substep h, the slip is
the velocity of its contact point against the other surface, turning included. Coulomb's law gives

    j = -slip/|slip| · (m_t·|slip|  if that is at most μ_s·f·h,  else μ·f·h)

with the mass felt by the tangent m_t = 2/7·m: sticking, which ends in rolling contact, or sliding through. Of
the slip's vertical part only the materials' share `upright` counts.
Other bodies than balls are taken as heavy; they feel no friction of balls. On a floor with resistance arm ρ,
the angular impulse ρ·f·h also opposes the rolling, which decelerates a ball by 5/7·ρ·g/R. Solved together
with the normal force instead, as MuJoCo can, it makes balls hop.

One more thing is put right after an impact, because MuJoCo notices a touch only once there is an overlap: the
ball is where it would be had it turned round when it touched, not when the substep began.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

from .bodies import Motion, World
from .materials import pair_friction, pair_restitution, pair_upright

FIELDS = 11  # of a sensor: found, force (3), distance, position (3), normal (3)
FRAME = 9  # of sensors of a body: place (3), velocity (3), turning (3)
IMPACT = 0.2  # [m/s] slower approaches are lying, rolling or pushing, not impacts
_MOTIONS = {Motion.NONE: 0, Motion.FREE: 1, Motion.PLANAR: 2, Motion.TURNING: 3, Motion.JOINTED: 4}


class Rubbing:
    """The pairs of a world, a ball and something else, that need more than MuJoCo's contacts."""

    def __init__(self, world: World):
        self.pairs = world.rubbing
        columns, numbers = [], []
        for first, second in self.pairs:
            one, other = world.slots[first], world.slots[second]
            ball, ground = world.by_name[first].material, world.by_name[second].material
            floor = world.by_name[second].floor
            frame = -1
            if second in world.felt:
                before = len(world.watch) + FIELDS * len(self.pairs)
                frame = before + FRAME * world.felt.index(second)
            columns.append([one.qpos, one.qvel, _MOTIONS[other.motion], other.qpos, other.qvel, frame])
            arm = ground.rolling if floor else 0.0
            numbers.append(
                [
                    one.mass,
                    one.radius,
                    *pair_friction(ball, ground),
                    other.mass,
                    *other.base[:2],
                    arm,
                    pair_restitution(ball, ground, floor),
                    float(floor),
                    pair_upright(ball, ground),
                ]
            )
        self.columns = np.array(columns, dtype=np.int64).reshape(-1, 6)
        self.numbers = np.array(numbers, dtype=float).reshape(-1, 11)


@kernel
def rub(
    sensors: np.ndarray,
    rows: np.ndarray,
    touched: np.ndarray,
    columns: np.ndarray,
    numbers: np.ndarray,
    timestep: float,
) -> None:
    """Note who `touched` (b, watched), and change the velocities in `rows` (b, width) by friction.

    `sensors` (b, watched + pairs·11 + bodies·9) hold one number a watched pair, then those of each rubbing
    pair, then those of each body on a joint, as it moved when the substep began.
    """
    watched = touched.shape[1]
    for lane in range(rows.shape[0]):
        for pair in range(watched):
            touched[lane, pair] |= sensors[lane, pair] > 0.0
        for pair in range(columns.shape[0]):
            at = watched + pair * FIELDS
            if sensors[lane, at] <= 0.0 or sensors[lane, at + 1] <= 0.0:
                continue
            row = rows[lane]
            q, v, other, oq, ov, frame = columns[pair]
            mass, radius, mu, sticking, other_mass, base_x, base_y, arm, restitution = numbers[pair, :9]
            floor, upright = numbers[pair, 9], numbers[pair, 10]
            impulse = sensors[lane, at + 1] * timestep
            depth = -sensors[lane, at + 4]
            point = sensors[lane, at + 5 : at + 8]
            normal = sensors[lane, at + 8 : at + 11]
            before = (row[v], row[v + 1], row[v + 2])
            mobility = 1.0 / mass
            if other == 1 or other == 2:
                mobility += 1.0 / other_mass
            approach = impulse * mobility / (1.0 + restitution)
            # the normal points out of the ball; the ball's own place is already that after the substep
            ax, ay, az = radius * normal[0], radius * normal[1], radius * normal[2]
            ux, uy, uz = surface_velocity(row, q, v, ax, ay, az)
            if other == 2:
                rx, ry = point[0] - base_x - row[oq], point[1] - base_y - row[oq + 1]
                ox, oy, oz = row[ov] - row[ov + 2] * ry, row[ov + 1] + row[ov + 2] * rx, 0.0
            elif other == 3:
                ox, oy, oz = -row[ov] * (point[1] - base_y), row[ov] * (point[0] - base_x), 0.0
            elif other == 1:
                rx, ry, rz = point[0] - row[oq], point[1] - row[oq + 1], point[2] - row[oq + 2]
                ox, oy, oz = surface_velocity(row, oq, ov, rx, ry, rz)
            elif frame >= 0:
                moves = sensors[lane, frame : frame + FRAME]
                rx, ry, rz = point[0] - moves[0], point[1] - moves[1], point[2] - moves[2]
                ox = moves[3] + moves[7] * rz - moves[8] * ry
                oy = moves[4] + moves[8] * rx - moves[6] * rz
                oz = moves[5] + moves[6] * ry - moves[7] * rx
            else:
                ox, oy, oz = 0.0, 0.0, 0.0
            sx, sy, sz = ux - ox, uy - oy, uz - oz
            along = sx * normal[0] + sy * normal[1] + sz * normal[2]
            sx, sy, sz = sx - along * normal[0], sy - along * normal[1], upright * (sz - along * normal[2])
            slip = np.sqrt(sx * sx + sy * sy + sz * sz)
            if arm > 0.0:
                resist(row, q, v, mass, radius, arm * impulse)
            if slip >= 1e-12 and sticking > 0.0:
                needed = 2.0 / 7.0 * mass * slip
                share = -(needed if needed <= sticking * impulse else mu * impulse) / slip
                kick(row, q, v, mass, radius, ax, ay, az, share * sx, share * sy, share * sz)
            if floor > 0.0:  # friction changed the speed all through the substep, not at its end
                for axis in range(2):
                    row[q + axis] += 0.5 * timestep * (row[v + axis] - before[axis])
            if approach > IMPACT and floor == 0.0:
                since = min(max(depth, 0.0) / approach, timestep)  # [s] from touch to the substep's beginning
                for axis in range(3):
                    solved_change = -impulse * normal[axis] / mass
                    change = row[v + axis] - before[axis]
                    row[q + axis] += since * (change + solved_change) + timestep * change


@inner
@kernel
def surface_velocity(
    row: np.ndarray, q: int, v: int, ax: float, ay: float, az: float
) -> tuple[float, float, float]:
    """Velocity of the point at (ax, ay, az) from the middle of a free body; spin is in the body's frame."""
    wx, wy, wz = _turn(row, q, row[v + 3], row[v + 4], row[v + 5], 1.0)
    return (
        row[v] + wy * az - wz * ay,
        row[v + 1] + wz * ax - wx * az,
        row[v + 2] + wx * ay - wy * ax,
    )


@kernel
def kick(
    row: np.ndarray,
    q: int,
    v: int,
    mass: float,
    radius: float,
    ax: float,
    ay: float,
    az: float,
    jx: float,
    jy: float,
    jz: float,
) -> None:
    """Give a ball the impulse j at the point a from its middle."""
    row[v] += jx / mass
    row[v + 1] += jy / mass
    row[v + 2] += jz / mass
    inertia = 0.4 * mass * radius * radius
    tx, ty, tz = ay * jz - az * jy, az * jx - ax * jz, ax * jy - ay * jx
    wx, wy, wz = _turn(row, q, tx / inertia, ty / inertia, tz / inertia, -1.0)
    row[v + 3] += wx
    row[v + 4] += wy
    row[v + 5] += wz


@inner
@kernel
def resist(row: np.ndarray, q: int, v: int, mass: float, radius: float, impulse: float) -> None:
    """Slow the rolling of a ball, its turning about level axes, by an angular impulse."""
    wx, wy, wz = _turn(row, q, row[v + 3], row[v + 4], row[v + 5], 1.0)
    rolling = np.hypot(wx, wy)
    if rolling < 1e-12:
        return
    share = max(0.0, 1.0 - impulse / (0.4 * mass * radius * radius * rolling))
    row[v + 3], row[v + 4], row[v + 5] = _turn(row, q, share * wx, share * wy, wz, -1.0)


@kernel
def _turn(row: np.ndarray, q: int, x: float, y: float, z: float, sense: float) -> tuple[float, float, float]:
    """Rotate a vector by the ball's quaternion (sense 1: body to world) or back (sense -1)."""
    w, a, b, c = row[q + 3], sense * row[q + 4], sense * row[q + 5], sense * row[q + 6]
    tx, ty, tz = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    return (
        x + w * tx + b * tz - c * ty,
        y + w * ty + c * tx - a * tz,
        z + w * tz + a * ty - b * tx,
    )
