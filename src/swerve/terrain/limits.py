"""What a vehicle can do at one point of a path: one convex set of speed and force.

With x = v² and f the tyre force along the path over the mass, a point of the path allows (x, f) when

    drive and brakes   −B ≤ f ≤ E(v)
    sliding            f² + q² ≤ μ²R²,   q = g·k_q + c_q·x   (side force over mass)
    contact            R ≥ 0,            R = g·k_r + c_r·x   (normal force over mass)
    tip-over           |Y| ≤ β·R,        Y = f·sin θ + q·cos θ   (across the body)
    pitch-over         κ·|X| ≤ R,        X = f·cos θ − q·sin θ   (along the body)
    wheel loads        κ·|X| + |Y|/β ≤ R − ℓ

and the acceleration is a = f − g·k_t − D·x. The k are the components of the vertical along the tangent, to
the left and along the normal; c_q and c_r the geodesic and normal curvature; θ the angle from the body to
the tangent; κ the height of the mass centre over half the distance between the axles; ℓ the load that every
wheel has to keep, times four, over the mass. Every constraint is a cone or a half-plane in (x, f), so
together they are convex, and two questions have closed answers: which forces at a given speed
(`force_range`), and which speeds on a line f = α + γ·x (`speed_range`). The largest speed of all is
`topmost.top_of_set`: the paper's velocity limit with the coupling between the constraints that it leaves out.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inlined, inner, kernel

# columns of the array that describes a path to the kernels
K_T, K_Q, K_R, C_Q, C_R, MOBILITY, STEP = range(7)
COLUMNS = 7
# entries of a point as the limits see it: gravity's parts, curvatures, friction, body angle, κ and ℓ; κ is
# zero where pitch-over cannot come before sliding, ℓ zero where wheels may lift
POINT = 10
STRAIGHT = 1e-5  # sin θ below which drive and brakes do not help against tip-over
UNBOUNDED = 1e9  # [m²/s²] stands for "no limit" of v²


@inner
@inlined
def side_and_normal(x: float, p: np.ndarray, i: int) -> tuple[float, float]:
    """Side and normal force over mass at v² = x.

    A row of `p` is (g·k_t, g·k_q, c_q, g·k_r, c_r, μ, sin θ, cos θ, κ, ℓ). Kernels take the array and a row,
    not a view of the row, because making views costs more than the arithmetic here.
    """
    return p[i, 1] + p[i, 2] * x, p[i, 3] + p[i, 4] * x


@inlined
def force_range(
    x: float, p: np.ndarray, i: int, drive: float, brake: float, beta: float
) -> tuple[float, float]:
    """Smallest and largest f at v² = x; the first above the second when there is none."""
    q, r = side_and_normal(x, p, i)
    grip = max(0.0, p[i, 5] * r)
    spare = grip * grip - q * q
    root = np.sqrt(spare) if spare > 0.0 else 0.0
    low, high = max(-brake, -root), min(drive, root)
    s = p[i, 6]
    if beta < 1e6 and abs(s) > STRAIGHT:
        one, two = (-beta * r - q * p[i, 7]) / s, (beta * r - q * p[i, 7]) / s
        low, high = max(low, min(one, two)), min(high, max(one, two))
    if p[i, 8] > 0.0 or p[i, 9] > 0.0:
        low, high = force_by_loads(q, r, p, i, beta, low, high)
    return low, high


@inner
@inlined
def most_force(x: float, p: np.ndarray, i: int, drive: float, brake: float, beta: float) -> float:
    """The second of `force_range`. Where drive or tip-over decide, no root is waited for."""
    if p[i, 8] > 0.0 or p[i, 9] > 0.0:
        return force_range(x, p, i, drive, brake, beta)[1]
    q, r = side_and_normal(x, p, i)
    grip, s, most = max(0.0, p[i, 5] * r), p[i, 6], drive
    if beta < 1e6 and abs(s) > STRAIGHT:
        most = min(drive, ((beta * r if s > 0.0 else -beta * r) - q * p[i, 7]) / s)
    spare = grip * grip - q * q
    if most > 0.0 and spare >= most * most:
        return most
    return min(most, np.sqrt(spare) if spare > 0.0 else 0.0)


@inner
@bare
def force_by_loads(
    q: float, r: float, p: np.ndarray, i: int, beta: float, low: float, high: float
) -> tuple[float, float]:
    """Cut the forces [low, high] to those at which no axle and, if asked for, no wheel gets too light."""
    s, c, pitch, least, roll = p[i, 6], p[i, 7], p[i, 8], p[i, 9], 1.0 / beta
    for front in (-1.0, 1.0):
        low, high = force_below(-r - front * pitch * q * s, front * pitch * c, low, high)
        if least > 0.0:
            for left in (-1.0, 1.0):
                rest = least - r + q * (left * roll * c - front * pitch * s)
                low, high = force_below(rest, front * pitch * c + left * roll * s, low, high)
    return low, high


@inlined
def allowed(x: float, f: float, p: np.ndarray, i: int, drive: float, brake: float, beta: float) -> bool:
    """Whether speed and force are possible together."""
    q, r = side_and_normal(x, p, i)
    grip = p[i, 5] * r
    if f > drive or f < -brake or r < 0.0 or f * f + q * q > grip * grip * (1.0 + 1e-12):
        return False
    across = abs(f * p[i, 6] + q * p[i, 7])
    if p[i, 8] > 0.0 or p[i, 9] > 0.0:
        along = p[i, 8] * abs(f * p[i, 7] - q * p[i, 6])
        if along > r * (1.0 + 1e-12) or (
            p[i, 9] > 0.0 and along + across / beta > (r - p[i, 9]) * (1.0 + 1e-12)
        ):
            return False
    return not beta < 1e6 or across <= beta * r * (1.0 + 1e-12)


@inner
@inlined
def cone_top(alpha: float, gamma: float, p: np.ndarray, i: int) -> float:
    """Where the line f = α + γ·x leaves the friction cone upwards; negative when it does not plainly."""
    mu2 = p[i, 5] * p[i, 5]
    square = gamma * gamma + p[i, 2] * p[i, 2] - mu2 * p[i, 4] * p[i, 4]
    half = alpha * gamma + p[i, 1] * p[i, 2] - mu2 * p[i, 3] * p[i, 4]
    rest = alpha * alpha + p[i, 1] * p[i, 1] - mu2 * p[i, 3] * p[i, 3]
    disc = half * half - square * rest
    if square < 1e-12 or disc <= 0.0:
        return -1.0
    per, root = 1.0 / square, np.sqrt(disc)  # side by side
    return (root - half) * per if half < 0.0 else -rest / (root + half)


@bare
def speed_range(
    alpha: float, gamma: float, p: np.ndarray, i: int, drive: float, brake: float, beta: float, top: float
) -> tuple[float, float]:
    """The interval of x = v² in which (x, α + γ·x) is allowed; empty as lower > upper."""
    low, high = 0.0, top
    low, high = below(alpha - drive, gamma, low, high)
    low, high = below(-alpha - brake, -gamma, low, high)
    low, high = below(-p[i, 3], -p[i, 4], low, high)
    mu2 = p[i, 5] * p[i, 5]
    square = gamma * gamma + p[i, 2] * p[i, 2] - mu2 * p[i, 4] * p[i, 4]
    half = alpha * gamma + p[i, 1] * p[i, 2] - mu2 * p[i, 3] * p[i, 4]
    rest = alpha * alpha + p[i, 1] * p[i, 1] - mu2 * p[i, 3] * p[i, 3]
    low, high = inside_cone(square, half, rest, p[i, 4], low, high)
    if beta < 1e6:
        g0, g1 = p[i, 1] * p[i, 7] + alpha * p[i, 6], p[i, 2] * p[i, 7] + gamma * p[i, 6]
        low, high = below(g0 - beta * p[i, 3], g1 - beta * p[i, 4], low, high)
        low, high = below(-g0 - beta * p[i, 3], -g1 - beta * p[i, 4], low, high)
    if p[i, 8] > 0.0 or p[i, 9] > 0.0:
        low, high = speed_by_loads(alpha, gamma, p, i, beta, low, high)
    return low, high


@inner
@bare
def speed_by_loads(
    alpha: float, gamma: float, p: np.ndarray, i: int, beta: float, low: float, high: float
) -> tuple[float, float]:
    """Cut the x in [low, high] on the line f = α + γ·x to those at which axles and wheels keep their load."""
    s, c, pitch, least, roll = p[i, 6], p[i, 7], p[i, 8], p[i, 9], 1.0 / beta
    along0, along1 = pitch * (alpha * c - p[i, 1] * s), pitch * (gamma * c - p[i, 2] * s)
    across0, across1 = roll * (alpha * s + p[i, 1] * c), roll * (gamma * s + p[i, 2] * c)
    for front in (-1.0, 1.0):
        low, high = below(front * along0 - p[i, 3], front * along1 - p[i, 4], low, high)
        if least > 0.0:
            for left in (-1.0, 1.0):
                rest = front * along0 + left * across0 + least - p[i, 3]
                low, high = below(rest, front * along1 + left * across1 - p[i, 4], low, high)
    return low, high


@kernel
def below(constant: float, slope: float, low: float, high: float) -> tuple[float, float]:
    """Cut [low, high] to where constant + slope·x ≤ 0."""
    if constant + slope * low <= 0.0 and constant + slope * high <= 0.0:
        return low, high
    if slope > 1e-300:
        high = min(high, -constant / slope)
    elif slope < -1e-300:
        low = max(low, -constant / slope)
    elif constant > 0.0:
        high = -1.0
    return low, high


@inner
@kernel
def force_below(constant: float, slope: float, low: float, high: float) -> tuple[float, float]:
    """Cut the forces [low, high] to where constant + slope·f ≤ 0; low above high where none is left."""
    if abs(slope) > 1e-12:
        edge = -constant / slope
        return (low, min(high, edge)) if slope > 0.0 else (max(low, edge), high)
    return (low, high) if constant <= 0.0 else (1.0, -1.0)


@inner
@kernel
def inside_cone(
    square: float, half: float, rest: float, normal_slope: float, low: float, high: float
) -> tuple[float, float]:
    """Cut [low, high] to where square·x² + 2·half·x + rest ≤ 0, on the branch with R > 0."""
    scale = abs(square) * 1e4 + abs(half) * 1e2 + abs(rest)
    if abs(square) * 1e8 < 1e-12 * scale:
        return below(rest, 2.0 * half, low, high)
    disc = half * half - square * rest
    if disc < 0.0:
        if square > 0.0:
            if disc > -1e-12 * half * half:  # the cone is only touched
                disc = 0.0
            else:
                return low, -1.0
        else:
            return low, high
    root = np.sqrt(disc)
    w = -(half + root) if half > 0.0 else -half + root
    one = w / square
    two = rest / w if w != 0.0 else one
    first, second = min(one, two), max(one, two)
    if square > 0.0:
        return max(low, first), min(high, second)
    if normal_slope > 0.0:
        return max(low, second), high
    return low, min(high, first)


@kernel
def turn_body(
    sine: float, cosine: float, curvature: float, step: float, half_length: float
) -> tuple[float, float]:
    """sin θ and cos θ of the body after the path went on by `step` and turned left by curvature·step.

    The paper's increment: the rear axle slides along the body x_i by a = −δ·cos θ + √(d² − δ²·sin² θ), so
    x_{i+1} = (a·x_i + δ·t_i)/d, taken in pieces δ shorter than d, and then seen from t_{i+1}.
    A body forgets how it stood within a few of its lengths, so of a long step only the end is followed.
    """
    followed = min(step, 3.0 * half_length)
    pieces = int(followed / (0.75 * half_length)) + 1
    delta = followed / pieces
    ratio = delta / half_length
    ca, sa = np.cos(curvature * delta), np.sin(curvature * delta)
    for _ in range(pieces):
        under = 1.0 - ratio * ratio * sine * sine
        a = -ratio * cosine + np.sqrt(under if under > 0.0 else 0.0)
        along, across = a * cosine + ratio, a * sine  # body in the old frame is (along, −across), of length 1
        sine, cosine = across * ca + along * sa, along * ca - across * sa
    return sine, cosine
