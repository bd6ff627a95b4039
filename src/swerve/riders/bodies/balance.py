"""How a rider balances, turns, keeps its pace and stops: one control period for a whole batch.

Balance is a linear-quadratic regulator on lean, steer and their rates, for the machine's own linear model
(`identify`). Turning leans: a heading error e asks for a yaw rate r = turning · e / √(1 + |e| / near), and so
for the lean −atan(v r / g) at which gravity balances the turn, taken up no faster than the rider dares. With
near = 0.3 · (nominal speed / v)² large errors ask for the same lean at every speed. To get there the
regulator first turns the bar the other way; nobody told it to. Torque on the bar comes from the arms' joints,
torque on the crank from the legs', and brakes act between the frame and its wheels.

Who is to be slower than anybody can balance puts a foot down: the ground then pushes up beside the wheels, on
the side it leans to and never down, as it would under a stiff leg.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import solve_discrete_are

from swerve.core.geometry import wrapped
from swerve.core.kernels import inlined, inner, kernel

from .anatomy import Control
from .posture import MOST_STEER

# columns of a rider's memory and of its wishes
YAW, FELL, FROZEN, LEAN, STANDS, MEMORY = 0, 1, 2, 3, 4, 5
HEADING, PACE_WISH, NUDGE, WISHES = 0, 1, 2, 3
# places of the packed numbers: where the parts of a state row begin, ...
QPOS, QVEL, TARGETS, AIR, STEER_Q, STEER_V, CRANK_Q, CRANK_V = range(8)
# ... what the rider can do, and the lever: crank torque for a newton at the rear tyre [m]
TURNING, LEANING, BAR_TORQUE, CRANK_TORQUE, PACE, DRAG, MASS, LEVER, GRAVITY, NOMINAL = range(8, 18)
# ... what brakes and feet need: most power and braking; applied torque, rate and radius of each wheel; ...
POWER, BRAKING, REAR_TORQUE, REAR_RATE, REAR_RADIUS, FRONT_TORQUE, FRONT_RATE, FRONT_RADIUS = range(18, 26)
# ... where forces on the frame are written, and how high its centre of mass is
FEET, FRAME_HEIGHT, NUMBERS = range(26, 29)
# columns of the joints' table; the lag is damping over stiffness [s]
REST, STIFFNESS, LAG, LIMB, JOINT_COLUMNS = range(5)
LEFT_LEG, RIGHT_LEG, ARM, NO_LIMB = range(4)
LEAN_LIMIT = 1.0  # [rad] beyond it the rider has fallen
TICK = 0.01  # [s] control period
NEAR = 0.3  # [rad] heading errors beyond it call for less than their share, at nominal speed
SLOWEST = 2.0  # [m/s] below which nobody balances: a rider that is to be slower puts a foot down
FOOT_OUT = 0.35  # [m] from the wheels to a foot on the ground
LEG, LEG_DAMPING, LEG_FORCE = 9000.0, 900.0, 900.0  # [N/m], [N s/m] and [N] of a leg that is stood on
FRONT_SHARE = 0.6  # of the braking
GRIP_USED = 0.8  # share of gravity that braking and turning may take together
# columns of the gain table: speed, four gains in the order of the states, what holds a steady lean
SPEED, STEER_PER_LEAN, TORQUE_PER_LEAN, GAIN_COLUMNS = 0, 5, 6, 7


def regulator(
    transition: np.ndarray, effect: np.ndarray, control: Control, steer_per_lean: float
) -> np.ndarray:
    """A row of the gain table without its speed, (6,): feedback gains, and what holds a steady lean.

    Minimises Σ xᵀQx + r u² for x' = A x + B u, with the slacks as the deviations that cost one each.
    """
    slacks = (control.lean_slack, control.steer_slack, control.lean_rate_slack, control.steer_rate_slack)
    q, r = np.diag([slack**-2.0 for slack in slacks]), np.array([[control.torque_slack**-2.0]])
    b = effect.reshape(4, 1)
    p = solve_discrete_are(transition, b, q, r)
    gain = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ transition)[0]
    # (A − I) (1, δ, 0, 0)ᵀ + B u = 0 in the steering's row, for u
    rest = transition - np.eye(4)
    torque = -(rest[3, 0] + rest[3, 1] * steer_per_lean) / effect[3]
    return np.concatenate([gain, [steer_per_lean, torque]])


@kernel
def note(state, numbers, sensed, memory):
    """Follow every rider's yaw [rad] and see who has fallen.

    `sensed` (n, 9) is centre, velocity, contacts: all, rear tyre, front tyre.
    """
    q, v = int(numbers[QPOS]), int(numbers[QVEL])
    for i in range(len(memory)):
        if memory[i, FROZEN] > 0:
            continue
        w, x, y, z = state[i, q + 3], state[i, q + 4], state[i, q + 5], state[i, q + 6]
        total = w * w + x * x + y * y + z * z
        for j in range(v, v + 6):
            total += abs(state[i, j])
        if not total < 1e6:  # also when it is no number
            memory[i, FELL] = memory[i, FROZEN] = 1.0
            continue
        yaw = math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z))
        memory[i, YAW] += wrapped(yaw - memory[i, YAW])
        lean = math.asin(min(1.0, max(-1.0, 2 * (y * z + w * x))))
        if abs(lean) > LEAN_LIMIT or sensed[i, 6] > sensed[i, 7] + sensed[i, 8]:
            memory[i, FELL] = 1.0


@kernel
def command(state, memory, wishes, numbers, gains, joints, tables):
    """Write the joints' targets and the force of the air into the state rows (n, size), for one period.

    `wishes` (n, 3) is heading [rad], speed [m/s], and bar torque to be added for experiments [N m].
    """
    q, v, t, a = int(numbers[QPOS]), int(numbers[QVEL]), int(numbers[TARGETS]), int(numbers[AIR])
    by_steer, push_steer, by_crank, push_crank = tables
    for i in range(len(memory)):
        w, x, y, z = state[i, q + 3], state[i, q + 4], state[i, q + 5], state[i, q + 6]
        sine = min(1.0, max(-1.0, 2 * (y * z + w * x)))
        up, down = 1 - 2 * (x * x + y * y), 2 * (x * z - w * y)
        rolling = (up * state[i, v + 3] - down * state[i, v + 5]) / max(1e-6, math.sqrt(1 - sine * sine))
        yaw = memory[i, YAW]
        ahead = state[i, v] * math.cos(yaw) + state[i, v + 1] * math.sin(yaw)
        steer, steering = state[i, int(numbers[STEER_Q])], state[i, int(numbers[STEER_V])]
        cadence = state[i, int(numbers[CRANK_V])]

        bar = crank = braking = 0.0
        if memory[i, FELL] == 0:
            error = wrapped(wishes[i, HEADING] - yaw)
            pace = max(ahead, SLOWEST) / numbers[NOMINAL]
            rate = numbers[TURNING] * error / math.sqrt(1 + abs(error) * pace * pace / NEAR)
            wanted = -math.atan(ahead * rate / numbers[GRAVITY])
            most = TICK * numbers[LEANING]
            memory[i, LEAN] += min(most, max(-most, wanted - memory[i, LEAN]))
            bar = _regulated(gains, ahead, math.asin(sine), steer, rolling, steering, memory[i, LEAN])
            bar = min(numbers[BAR_TORQUE], max(-numbers[BAR_TORQUE], bar)) + wishes[i, NUDGE]
            force = numbers[MASS] * numbers[PACE] * (wishes[i, PACE_WISH] - ahead)
            force += numbers[DRAG] * ahead * abs(ahead)
            most = min(numbers[CRANK_TORQUE], numbers[POWER] / max(abs(cadence), 1.0))
            crank = min(most, max(0.0, force * numbers[LEVER]))
            braking = max(0.0, -force)
            slow = ahead < SLOWEST and wishes[i, PACE_WISH] < SLOWEST
            if slow or (memory[i, STANDS] > 0 and ahead < SLOWEST):
                memory[i, STANDS] = 1.0
                memory[i, LEAN] = 0.0
                bar = -20.0 * steer - 4.0 * steering
                if slow:
                    braking = numbers[MASS] * numbers[BRAKING]
            else:
                memory[i, STANDS] = 0.0
        else:
            memory[i, STANDS] = 0.0
        _brake(state, i, numbers, braking, math.asin(sine))
        _stand(state, i, numbers, memory[i, STANDS], math.asin(sine), rolling, yaw)

        # where the limbs are to be in the middle of the period; the leg going down pushes, most in mid-stroke
        cells = len(by_steer) - 1
        place = (steer + MOST_STEER) / (2 * MOST_STEER) * cells
        cell = int(min(cells - 1.0, max(0.0, math.floor(place))))
        part = min(1.0, max(0.0, place - cell))
        sectors = len(by_crank) - 1
        turn = (state[i, int(numbers[CRANK_Q])] + TICK / 2 * cadence) / (2 * math.pi)
        turn -= math.floor(turn)
        sector = int(min(sectors - 1.0, math.floor(turn * sectors)))
        share = turn * sectors - sector
        swing = math.sin(2 * math.pi * turn)
        idle = max(0.0, 1.0 - abs(cadence) / 2.0)
        for j in range(len(joints)):
            limb = int(joints[j, LIMB])
            target, torque = joints[j, REST], 0.0
            if limb == ARM:
                target += by_steer[cell, j] + part * (by_steer[cell + 1, j] - by_steer[cell, j])
                push = push_steer[cell, j] + part * (push_steer[cell + 1, j] - push_steer[cell, j])
                torque = bar * push
            elif limb < ARM:
                change = by_crank[sector + 1, j] - by_crank[sector, j]
                target += by_crank[sector, j] + share * change
                target += joints[j, LAG] * change * sectors / (2 * math.pi) * cadence  # damp only what strays
                push = push_crank[sector, j] + share * (push_crank[sector + 1, j] - push_crank[sector, j])
                stroke = max(0.0, swing if limb == LEFT_LEG else -swing) ** 2
                stroke += (
                    0.25 - 0.5 * stroke
                ) * idle  # off from a stand it pushes through the dead points too
                torque = 2 * crank * push * stroke
            state[i, t + j] = target + torque / joints[j, STIFFNESS]

        flow = math.hypot(state[i, v], state[i, v + 1])
        state[i, a] = -numbers[DRAG] * flow * state[i, v]
        state[i, a + 1] = -numbers[DRAG] * flow * state[i, v + 1]


@inlined
def _brake(state, i, numbers, braking, lean):
    """Brake both wheels with a force of `braking` [N] in all, less what leaning takes of the tyres' grip."""
    weight = numbers[MASS] * numbers[GRAVITY]
    sideways = weight * math.tan(min(1.2, abs(lean)))
    left = math.sqrt(max(0.0, (GRIP_USED * weight) ** 2 - sideways * sideways))
    force = min(braking, min(left, numbers[MASS] * numbers[BRAKING]))
    for side in range(2):
        share = 1 - FRONT_SHARE if side == 0 else FRONT_SHARE
        torque = share * force * numbers[REAR_RADIUS if side == 0 else FRONT_RADIUS]
        rate = state[i, int(numbers[REAR_RATE if side == 0 else FRONT_RATE])]
        held = min(torque, 15.0 * abs(rate))  # no chatter when it stands
        state[i, int(numbers[REAR_TORQUE if side == 0 else FRONT_TORQUE])] = -held if rate > 0 else held


@inlined
def _stand(state, i, numbers, stands, lean, rolling, yaw):
    """The ground's push on the foot that is down, as a force and a torque on the frame."""
    side = 1.0 if lean > 0 else -1.0  # to the right of the wheels, if it leans there
    deep = FOOT_OUT * math.sin(abs(lean))
    push = 0.0
    if stands > 0 and deep > 0:
        push = min(LEG_FORCE, max(0.0, LEG * deep + LEG_DAMPING * FOOT_OUT * side * rolling))
    out = side * (numbers[FRAME_HEIGHT] * math.sin(abs(lean)) - FOOT_OUT)  # leftward of the frame's centre
    place = int(numbers[FEET])
    state[i, place + 2] = push
    state[i, place + 3] = math.cos(yaw) * out * push
    state[i, place + 4] = math.sin(yaw) * out * push


@inner
@inlined
def _regulated(gains, speed, lean, steer, rolling, steering, wanted):
    """Bar torque [N m] that brings the lean to `wanted` [rad], with gains between the two nearest speeds."""
    row = 0
    while row < len(gains) - 2 and speed > gains[row + 1, SPEED]:
        row += 1
    other = min(row + 1, len(gains) - 1)
    part = 0.0
    if gains[other, SPEED] > gains[row, SPEED]:
        part = (speed - gains[row, SPEED]) / (gains[other, SPEED] - gains[row, SPEED])
        part = min(1.0, max(0.0, part))
    torque = 0.0
    for side in range(2):
        k = row if side == 0 else other
        u = -gains[k, 1] * (lean - wanted) - gains[k, 2] * (steer - gains[k, STEER_PER_LEAN] * wanted)
        u += gains[k, TORQUE_PER_LEAN] * wanted - gains[k, 3] * rolling - gains[k, 4] * steering
        torque += u * (1 - part if side == 0 else part)
    return torque
