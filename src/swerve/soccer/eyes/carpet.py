"""The field of a picture, without bodies: carpet, lines and what lies beyond, under light and noise.

A picture holds a million pixels of it, so whole rows are painted at once, in a loop that compiles to
instructions for many pixels; the few that tell of the light are painted one by one, by the same sums.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .scene import BLANK, CARPET, WHITE
from .table import FIRST, PATCH, SAMPLED

_LOW, _HIGH, _HALF, _PER = np.float32(0.0), np.float32(255.0), np.float32(0.5), np.float32(1 / 255)


@kernel
def background(
    picture: np.ndarray,
    bright: np.ndarray,
    glare: np.ndarray,
    white: np.ndarray,
    beyond: np.ndarray,
    paints: np.ndarray,
    noise: np.ndarray,
    where: np.ndarray,
    strength: np.float32,
    patches: np.ndarray,
) -> None:
    """The patches that are marked (rows, columns)."""
    height, width = bright.shape
    flat, columns = picture.reshape(height, 3 * width), patches.shape[1]
    for v in range(height):
        k = 0
        while k < columns:
            first = k
            while k < columns and patches[v // PATCH, k]:
                k += 1
            a, b = first * PATCH, min(k * PATCH, width)
            if a < b:
                dots = noise[where[v] + 3 * a : where[v] + 3 * b]
                here = bright[v, a:b], glare[v, a:b], white[v, a:b], beyond[v, a:b]
                _row(flat[v, 3 * a : 3 * b], *here, paints, dots, strength)
            k += 1


@inner
@kernel
def _row(
    levels: np.ndarray,
    bright: np.ndarray,
    glare: np.ndarray,
    white: np.ndarray,
    beyond: np.ndarray,
    paints: np.ndarray,
    noise: np.ndarray,
    strength: np.float32,
) -> None:
    """`levels` (3 n,) of n pixels beside each other. Written out for each channel, without a call: what
    is, compiles to a loop over single pixels, five times as slow."""
    r0, g0, b0 = paints[CARPET, 0], paints[CARPET, 1], paints[CARPET, 2]
    r1, g1, b1 = paints[BLANK, 0], paints[BLANK, 1], paints[BLANK, 2]
    r2, g2, b2 = paints[WHITE, 0], paints[WHITE, 1], paints[WHITE, 2]
    one = np.float32(1.0)
    for u in range(len(bright)):
        here, shine, share, far = bright[u], glare[u], white[u], beyond[u]
        r = r1 if far else r0
        g = g1 if far else g0
        b = b1 if far else b0
        r = here * (r + share * (r2 - r)) + shine
        g = here * (g + share * (g2 - g)) + shine
        b = here * (b + share * (b2 - b)) + shine
        r += noise[3 * u] * strength * (one + r * _PER) + _HALF
        g += noise[3 * u + 1] * strength * (one + g * _PER) + _HALF
        b += noise[3 * u + 2] * strength * (one + b * _PER) + _HALF
        r = _LOW if r < _LOW else r
        g = _LOW if g < _LOW else g
        b = _LOW if b < _LOW else b
        levels[3 * u] = np.uint8(np.int32(_HIGH if r > _HIGH else r))
        levels[3 * u + 1] = np.uint8(np.int32(_HIGH if g > _HIGH else g))
        levels[3 * u + 2] = np.uint8(np.int32(_HIGH if b > _HIGH else b))


@kernel
def samples(
    picture: np.ndarray,
    bright: np.ndarray,
    glare: np.ndarray,
    white: np.ndarray,
    beyond: np.ndarray,
    paints: np.ndarray,
    noise: np.ndarray,
    where: np.ndarray,
    strength: np.float32,
) -> None:
    """The pixels by which `table.carpet_of` knows the light."""
    height, width = bright.shape
    for v in range(FIRST, height, SAMPLED):
        for u in range(FIRST, width, SAMPLED):
            _empty(picture, bright, glare, white, beyond, paints, noise, where, strength, v, u)


@inner
@inlined
def _empty(
    picture: np.ndarray,
    bright: np.ndarray,
    glare: np.ndarray,
    white: np.ndarray,
    beyond: np.ndarray,
    paints: np.ndarray,
    noise: np.ndarray,
    where: np.ndarray,
    strength: np.float32,
    v: int,
    u: int,
) -> None:
    """A pixel of the field without bodies."""
    share, here = white[v, u], bright[v, u]
    base = BLANK if beyond[v, u] else CARPET
    for c in range(3):
        value = here * (paints[base, c] + share * (paints[WHITE, c] - paints[base, c])) + glare[v, u]
        picture[v, u, c] = level(value, noise[where[v] + 3 * u + c], strength)


@inlined
def level(value: float, noise: float, strength: np.float32) -> np.uint8:
    """A level of the sensor: noise grows with the light."""
    noisy = value + noise * strength * (np.float32(1.0) + value * np.float32(1 / 255)) + np.float32(0.5)
    return np.uint8(min(max(noisy, np.float32(0.0)), np.float32(255.0)))
