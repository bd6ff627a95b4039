"""From several steering forces to one: summed by intensity, taken by priority, or dithered."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from swerve.core.errors import BadInput

from .behaviour import Share, Steering


def by_intensity(
    behaviours: Sequence[Share], steerings: Sequence[Steering], rng: np.random.Generator
) -> Steering:
    """The sum of the forces, each times its intensity."""
    active = np.any([s.active for s in steerings], axis=0)
    weight = np.array([b.intensity for b in behaviours])
    force = np.einsum("b,bnk->nk", weight, np.stack([s.force for s in steerings]))
    return Steering(force, active, _facing(behaviours, steerings))


def by_priority(
    behaviours: Sequence[Share], steerings: Sequence[Steering], rng: np.random.Generator
) -> Steering:
    """For everybody the active behaviour of the highest priority; among equals the sum by intensity."""
    force = np.zeros_like(steerings[0].force)
    done = np.zeros(len(force), bool)
    for level in sorted({b.priority for b in behaviours}, reverse=True):
        here = [k for k, b in enumerate(behaviours) if b.priority == level]
        mixed = by_intensity([behaviours[k] for k in here], [steerings[k] for k in here], rng)
        use = mixed.active & ~done
        force[use] = mixed.force[use]
        done |= use
    return Steering(force, done, _facing(behaviours, steerings))


def by_dithering(
    behaviours: Sequence[Share], steerings: Sequence[Steering], rng: np.random.Generator
) -> Steering:
    """By priority, but each active behaviour is used with its `chance` only; the last active one always."""
    force = np.zeros_like(steerings[0].force)
    done = np.zeros(len(force), bool)
    order = sorted(range(len(behaviours)), key=lambda k: -behaviours[k].priority)
    later = np.zeros((len(order) + 1, len(force)), bool)
    for at in range(len(order) - 1, -1, -1):
        later[at] = later[at + 1] | steerings[order[at]].active
    for at, k in enumerate(order):
        lucky = (rng.random(len(force)) < behaviours[k].chance) | ~later[at + 1]
        use = steerings[k].active & lucky & ~done
        force[use] = steerings[k].force[use]
        done |= use
    return Steering(force, done, _facing(behaviours, steerings))


BLENDS: dict[str, Callable[..., Steering]] = {
    "intensity": by_intensity,
    "priority": by_priority,
    "dithering": by_dithering,
}


def blend(
    how: str, behaviours: Sequence[Share], steerings: Sequence[Steering], rng: np.random.Generator
) -> Steering:
    """One steering of many, by the named method."""
    if how not in BLENDS:
        raise BadInput("blend", how, f"must be one of {', '.join(BLENDS)}")
    return BLENDS[how](behaviours, steerings, rng)


def _facing(behaviours: Sequence[Share], steerings: Sequence[Steering]) -> np.ndarray | None:
    """Where to look: what the behaviour of the highest priority says that says anything."""
    found = None
    for k in sorted(range(len(behaviours)), key=lambda k: behaviours[k].priority):
        more = steerings[k].facing
        if more is not None:
            found = more if found is None else np.where(np.isnan(more), found, more)
    return found
