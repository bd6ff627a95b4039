"""What code may have changed in a simulation besides the scenario, so that it cannot be had again."""

from __future__ import annotations

from collections.abc import Hashable

from ..simulate import Simulation


def arrangement(simulation: Simulation) -> Hashable:
    """Who takes part, what drivers and people want and look at, closed roads, how often attributes were set.

    Equal for two simulations that were made and changed alike.
    """
    parties = (simulation.traffic, simulation.people)
    return (
        tuple(
            (member.name, _kind(member.bodies), _kind(member.chooser)) for member in simulation.world.members
        ),
        tuple(
            tuple(_kind(one) for one in (*party.behaviours, *party.paths.refiners))
            for party in parties
            if party is not None
        ),
        simulation.traffic.paths.closed.tobytes(),
        simulation.characters.version,
    )


def _kind(one: object) -> str:
    return type(one).__qualname__
