"""A number for all states of a town: equal for runs that ended with the same bytes."""

from __future__ import annotations

import hashlib

import numpy as np

from ..simulate import Simulation


def digest(simulation: Simulation) -> str:
    """SHA-256 of every quantity of every vehicle and person, in the order of their numbers."""
    found = hashlib.sha256()
    fleet, people = simulation.traffic.fleet, simulation.people
    columns = {name: fleet[name] for name in fleet.dtype.names or ()}
    if people is not None:
        columns |= {f"people {name}": column for name, column in people.crowd._asdict().items()}
        columns |= {f"desk {name}": column for name, column in people.desk._asdict().items()}
        columns |= {"heading": people.heading, "goal": people.paths.goal, "rest": people.rest}
    for name, column in columns.items():
        found.update(f"{name} {column.dtype.str} {column.shape};".encode())
        found.update(np.ascontiguousarray(column).tobytes())
    return found.hexdigest()
