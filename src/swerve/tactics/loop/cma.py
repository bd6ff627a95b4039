"""CMA-ES, covariance matrix adaptation evolution strategy, after Hansen's tutorial (arXiv 1604.00772), for
small problems without gradients, a generation evaluated at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def cma(
    errors_of: Callable[[np.ndarray], np.ndarray],
    first: np.ndarray,
    spread: float,
    evaluations: int,
    random: np.random.Generator,
) -> np.ndarray:
    """The best point found. `errors_of` takes points (λ, d), fewer where evaluations run out, and gives their
    errors.

    >>> best = cma(lambda p: ((p - 0.3) ** 2).sum(axis=1), np.zeros(3), 0.3, 600, np.random.default_rng(1))
    >>> bool(np.abs(best - 0.3).max() < 1e-2)
    True
    """
    d = len(first)
    size = 4 + int(3 * np.log(d))
    parents = size // 2
    weights = np.log(parents + 0.5) - np.log(np.arange(1, parents + 1))
    weights /= weights.sum()
    mass = 1 / np.sum(weights**2)
    c_sigma, c_c = (mass + 2) / (d + mass + 5), (4 + mass / d) / (d + 4 + 2 * mass / d)
    damping = 1 + 2 * max(0.0, np.sqrt((mass - 1) / (d + 1)) - 1) + c_sigma
    c_1 = 2 / ((d + 1.3) ** 2 + mass)
    c_mu = min(1 - c_1, 2 * (mass - 2 + 1 / mass) / ((d + 2) ** 2 + mass))
    usual = np.sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d**2))  # length of a normal vector
    mean, sigma, cov = np.array(first, dtype=float), spread, np.eye(d)
    path_sigma, path_c = np.zeros(d), np.zeros(d)
    best, least = mean.copy(), np.inf
    for generation in range(1, -(-evaluations // size) + 1):
        values, axes = np.linalg.eigh(cov)
        scale = np.sqrt(np.maximum(values, 1e-20))
        steps = (random.standard_normal((size, d)) * scale) @ axes.T
        points = (mean + sigma * steps)[: evaluations - (generation - 1) * size]
        errors = errors_of(points)
        order = np.argsort(errors)
        if errors[order[0]] < least:
            best, least = points[order[0]].copy(), float(errors[order[0]])
        if len(points) < size:
            break
        chosen = steps[order[:parents]]
        move = weights @ chosen
        mean = mean + sigma * move
        white = axes @ ((axes.T @ move) / scale)
        path_sigma = (1 - c_sigma) * path_sigma + np.sqrt(c_sigma * (2 - c_sigma) * mass) * white
        length = float(np.linalg.norm(path_sigma))
        steady = length / np.sqrt(1 - (1 - c_sigma) ** (2 * generation)) < (1.4 + 2 / (d + 1)) * usual
        path_c = (1 - c_c) * path_c + steady * np.sqrt(c_c * (2 - c_c) * mass) * move
        cov = (
            (1 - c_1 - c_mu) * cov
            + c_1 * (np.outer(path_c, path_c) + (not steady) * c_c * (2 - c_c) * cov)
            + c_mu * (chosen.T * weights) @ chosen
        )
        sigma *= float(np.exp(c_sigma / damping * (length / usual - 1)))
    return best
