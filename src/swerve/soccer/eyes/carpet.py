"""The field of a picture, without bodies: carpet, lines and what lies beyond, under light and noise.

A picture holds a million pixels of it, so whole rows are painted at once, in a loop that compiles to
instructions for many pixels.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .scene import BLANK, CARPET, WHITE

_LOW, _HIGH, _HALF, _PER = np.float32(0.0), np.float32(255.0), np.float32(0.5), np.float32(1 / 255)
SHORT = 12  # [pixels] of a strip that is not worth a loop of its own


@kernel
def background(
    picture: np.ndarray,
    strips: np.ndarray,
    bright: np.ndarray,
    glare: np.ndarray,
    white: np.ndarray,
    beyond: np.ndarray,
    paints: np.ndarray,
    noise: np.ndarray,
    where: np.ndarray,
    strength: np.float32,
) -> None:
    """Paint strips (row, first column, column after the last)."""
    height, width = bright.shape
    flat = picture.reshape(height, 3 * width)
    for k in range(len(strips)):
        v, a, b = strips[k]
        if b - a < SHORT:
            for u in range(a, b):
                base = BLANK if beyond[v, u] else CARPET
                for c in range(3):
                    value = paints[base, c] + white[v, u] * (paints[WHITE, c] - paints[base, c])
                    value = bright[v, u] * value + glare[v, u]
                    picture[v, u, c] = level(value, noise[where[v] + 3 * u + c], strength)
            continue
        dots = noise[where[v] + 3 * a : where[v] + 3 * b]
        here = bright[v, a:b], glare[v, a:b], white[v, a:b], beyond[v, a:b]
        _row(flat[v, 3 * a : 3 * b], *here, paints, dots, strength)


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
def thinned(
    noise: np.ndarray, where: np.ndarray, shape: tuple[int, int], first: int, step: int
) -> tuple[np.ndarray, np.ndarray]:
    """The noise of every `step`th pixel of every `step`th row, side by side, and where rows begin."""
    height, width = shape
    found, begins = np.empty(3 * height * width, dtype=np.float32), np.empty(height, dtype=np.int64)
    for v in range(height):
        begins[v] = 3 * v * width
        for u in range(width):
            at = where[first + step * v] + 3 * (first + step * u)
            for c in range(3):
                found[begins[v] + 3 * u + c] = noise[at + c]
    return found, begins


@inlined
def level(value: float, noise: float, strength: np.float32) -> np.uint8:
    """A level of the sensor: noise grows with the light."""
    noisy = value + noise * strength * (np.float32(1.0) + value * np.float32(1 / 255)) + np.float32(0.5)
    return np.uint8(min(max(noisy, np.float32(0.0)), np.float32(255.0)))
