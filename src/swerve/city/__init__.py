"""The city wing: traffic, sirens and people in towns, and a human at the wheel (after Hynes 2012).

>>> from swerve.city import Simulation, grid
>>> simulation = Simulation(grid(3, 3), vehicles=30, pedestrians=10, emergency=1, seed=1)
>>> for _ in range(100):
...     simulation.step()
>>> figures = simulation.figures()
>>> figures["agents"], figures["collisions"], round(figures["seconds"], 6)
(40, 0, 10.0)

The rooms have faces of their own: `characters`, `towns`, `roads`, `ground`, `traffic`, `people`, `simulator`,
`cigi` and `pictures`.
"""

from .characters import PERSON, WHEELED, Characters
from .discharge import queue_discharge
from .load import load_town, suitable_grid, suitable_town
from .people import People, PeopleOptions
from .record import Recorder
from .referee import Referee
from .simulate import Simulation, SimulationOptions
from .simulator import Scenario, ScenarioManager, load_scenario
from .towns import Town, grid, winding
from .traffic import Demand, Flow, Traffic, Trip, load_demand

__all__ = [
    "PERSON",
    "WHEELED",
    "Characters",
    "Demand",
    "Flow",
    "People",
    "PeopleOptions",
    "Recorder",
    "Referee",
    "Scenario",
    "ScenarioManager",
    "Simulation",
    "SimulationOptions",
    "Town",
    "Traffic",
    "Trip",
    "grid",
    "load_demand",
    "load_scenario",
    "load_town",
    "queue_discharge",
    "suitable_grid",
    "suitable_town",
    "winding",
]
