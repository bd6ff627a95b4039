"""Angles for innermost loops: sines and arctangents without a call, within 4·10⁻¹⁶ of the library's.

The C library's take most of the time of a frame of many cars. These are the same series (as in fdlibm), for
angles of moderate size: up to a million radians.
"""

from __future__ import annotations

import numpy as np

from .kernels import inlined, inner

_TURNS = 2.0 / np.pi
_QUARTER = (1.57079632673412561417e00, 6.07710050650619224932e-11)  # π/2 in two parts
_SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
_ARC_ODD = (
    3.33333333333329318027e-01,
    1.42857142725034663711e-01,
    9.09088713343650656196e-02,
    6.66107313738753120669e-02,
    4.97687799461593236017e-02,
    1.62858201153657823623e-02,
)
_ARC_EVEN = (
    -1.99999999998764832476e-01,
    -1.11111104054623557880e-01,
    -7.69187620504482999495e-02,
    -5.83357013379057348645e-02,
    -3.65315727442169155270e-02,
)


@inner
@inlined
def cosine_sine(angle: float) -> tuple[float, float]:
    """Cosine and sine of an angle [rad]."""
    turns = np.floor(angle * _TURNS + 0.5)
    r = (angle - turns * _QUARTER[0]) - turns * _QUARTER[1]
    z = r * r
    s, c = _SINE, _COSINE
    sine = r + r * z * (s[0] + z * (s[1] + z * (s[2] + z * (s[3] + z * (s[4] + z * s[5])))))
    bent = z * (c[0] + z * (c[1] + z * (c[2] + z * (c[3] + z * (c[4] + z * c[5])))))
    cosine = 1.0 - (0.5 * z - z * bent)
    quarter = turns - 4.0 * np.floor(0.25 * turns)
    half = turns - 2.0 * np.floor(0.5 * turns)
    along, across = (sine, cosine) if half == 1.0 else (cosine, sine)
    return -along if 0.5 < quarter < 2.5 else along, -across if quarter > 1.5 else across


@inner
@inlined
def direction(y: float, x: float) -> float:
    """The direction [rad] of a place that is not (0, 0), −π to π."""
    up, aside = abs(y), abs(x)
    above, below, base = up, aside, 0.0
    if up >= 0.4375 * aside:
        above, below, base = 2.0 * up - aside, 2.0 * aside + up, 4.63647609000806093515e-01
    if up >= 0.6875 * aside:
        above, below, base = up - aside, up + aside, 7.85398163397448278999e-01
    if up >= 1.1875 * aside:
        above, below, base = up - 1.5 * aside, aside + 1.5 * up, 9.82793723247329054082e-01
    if up >= 2.4375 * aside:
        above, below, base = -aside, up, 1.57079632679489655800e00
    z = above / below
    q = z * z
    w = q * q
    a, b = _ARC_ODD, _ARC_EVEN
    odd = q * (a[0] + w * (a[1] + w * (a[2] + w * (a[3] + w * (a[4] + w * a[5])))))
    even = w * (b[0] + w * (b[1] + w * (b[2] + w * (b[3] + w * b[4]))))
    angle = base - (z * (odd + even) - z)
    angle = np.pi - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle
