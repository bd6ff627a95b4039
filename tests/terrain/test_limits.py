"""The closed forms of the feasible set against a search over speed and force."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from swerve.terrain.limits import allowed, force_range, speed_range, turn_body
from swerve.terrain.topmost import top_of_set

unit = st.floats(-1, 1)
pitches = st.sampled_from([0.0, 1.5, 3.0])  # height of the mass over half the wheelbase
leasts = st.sampled_from([0.0, 0.0, 1.5])  # [m/s²] four times the load that a wheel keeps, over the mass
rows = st.tuples(unit, unit, unit, unit, st.floats(0.3, 1.2), unit, pitches, leasts).map(
    lambda t: np.array(
        [
            [
                4 * t[0],
                4 * t[1],
                0.05 * t[2],
                math.sqrt(9.81**2 - 16 * t[0] ** 2 - 16 * t[1] ** 2),
                0.03 * t[3],
                t[4],
                math.sin(0.5 * t[5]),
                math.cos(0.5 * t[5]),
                t[6],
                t[7],
            ]
        ]
    )
)
betas = st.sampled_from([0.4, 0.8, math.inf])


@given(p=rows, x=st.floats(0, 900), beta=betas)
def test_force_range_is_what_is_allowed(p, x, beta):
    low, high = force_range(x, p, 0, 3.0, 7.0, beta)
    scan = np.linspace(-7.5, 3.5, 1101)
    good = np.array([allowed(x, f, p, 0, 3.0, 7.0, beta) for f in scan])
    if good.any():
        assert low <= scan[good].min() + 1e-9 and high >= scan[good].max() - 1e-9
        assert scan[good].min() - low <= 0.0101 and high - scan[good].max() <= 0.0101


@given(p=rows, alpha=st.floats(-6, 4), gamma=st.floats(-0.1, 0.1), beta=betas)
def test_speed_range_on_a_line_is_what_is_allowed(p, alpha, gamma, beta):
    low, high = speed_range(alpha, gamma, p, 0, 3.0, 7.0, beta, 900.0)
    scan = np.linspace(0, 900, 901)
    good = np.array([allowed(x, alpha + gamma * x, p, 0, 3.0, 7.0, beta) for x in scan])
    inside = (scan > low + 1e-6) & (scan < high - 1e-6)
    assert (good == inside)[(np.abs(scan - low) > 1e-6) & (np.abs(scan - high) > 1e-6)].all()


def test_speed_does_not_excuse_tipping_over_at_rest():
    """On a steep side slope a bend can hold the vehicle up at speed; standing is what counts."""
    p = np.array([[0.0, -4.2, 1e-3, 8.3, 0.0, 0.7, 0.0, 1.0, 0.0, 0.0]])
    assert allowed(1000.0, 0.0, p, 0, 3.0, 7.0, 0.5) and not allowed(0.0, 0.0, p, 0, 3.0, 7.0, 0.5)
    assert top_of_set(p, 0, 3.0, 7.0, 0.5, 9000.0) < 0


@settings(max_examples=40)
@given(p=rows, beta=betas)
def test_the_top_of_the_set_is_its_largest_speed(p, beta):
    top = top_of_set(p, 0, 3.0, 7.0, beta, 900.0)
    forces = np.linspace(-7, 3, 201)
    speeds = np.linspace(0, 900, 91)
    good = [x for x in speeds if any(allowed(x, f, p, 0, 3.0, 7.0, beta) for f in forces)]
    if good and good[0] == 0:
        assert top >= max(good) - 1e-6
        assert top <= max(good) + 10.0 + 1e-6
    elif not good or good[0] > 10:
        assert top < 10.0


def literal_increment(x, t, t_next, step, d):
    """Equations (3) to (6) of the paper with vectors in the plane."""
    cos = x @ t
    sin = x[0] * t[1] - x[1] * t[0]
    a = -step * cos + math.sqrt(d * d - step * step * sin * sin)
    new = (a * x + step * t) / d
    return new, math.atan2(new[0] * t_next[1] - new[1] * t_next[0], new @ t_next)


@given(radius=st.floats(6, 200), start=st.floats(-0.3, 0.3))
def test_the_body_turns_as_in_the_paper(radius, start):
    d, step = 2.0, 0.7
    angle = start
    x = np.array([math.cos(-start), math.sin(-start)])
    sine, cosine = math.sin(start), math.cos(start)
    for k in range(30):
        t, t_next = (
            np.array([math.cos(b), math.sin(b)]) for b in (k * step / radius, (k + 1) * step / radius)
        )
        x, angle = literal_increment(x, t, t_next, step, d)
        sine, cosine = turn_body(sine, cosine, 1 / radius, step, d)
        assert abs(math.atan2(sine, cosine) - angle) < 1e-9
    assert abs(math.sin(angle) - d / radius) < 0.02
