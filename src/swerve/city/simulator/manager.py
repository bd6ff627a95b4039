"""The scenario manager: owns the clock and the order of a frame.

    manager = ScenarioManager(simulation, load_scenario("lead-brakes.yaml"))
    for _ in range(1200):
        manager.step()
    manager.report()

A frame: the generator asks → triggers → a step of the simulation, in which the driver looks and acts like
everybody else → log → link.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from swerve.core.errors import BadInput

from ..characters.characters import Characters
from ..cigi.link import CigiLink
from ..record import frame_of
from ..simulate import Simulation
from .actions import Director
from .arrangement import arrangement
from .driver import Driver
from .driver_log import DriverLog, Note
from .inputs import FileInputs, Source
from .outsiders import CarModel, DriverCar
from .platform import Bicycle, BicycleBody, Inputs
from .scenario import Driver as DriverPart
from .scenario import Scenario
from .scripted_driver import ScriptedDriver
from .stage import MakeCar, Stage


class ScenarioManager:
    """Runs a scenario in a simulation.

    `source` overrides where the inputs come from (a person's `LiveInputs`, or any function); `models` are
    cars by name; `link` sends frames to an image generator; `mark` is told every event as it happens.
    """

    def __init__(
        self,
        simulation: Simulation,
        scenario: Scenario | None = None,
        source: Source | None = None,
        models: Mapping[str, MakeCar] | None = None,
        link: CigiLink | None = None,
        mark: Callable[[Note], None] | None = None,
        folder: str | Path = ".",
    ):
        self.simulation, self.scenario = simulation, scenario or Scenario()
        self._origin = (source, models, folder)
        self._twins: dict[str, DriverLog] = {}
        self._made, self._changed = arrangement(simulation), False  # changed by code besides the scenario
        self.stage = Stage(simulation)
        self.log = DriverLog(mark)
        self.link = link
        self.driver: DriverCar | None = None
        self.mind: Driver | None = None
        driver = self.scenario.driver
        if driver is not None:
            make = self._chosen(driver, {"bicycle": bicycle, **(models or {})})
            self.driver = self.stage.enter_driver(driver, make)
            self.mind = Driver(
                self.driver, source or self._make_source(driver, Path(folder)), simulation.traffic
            )
            self.stage.seat(self.driver, self.mind)
            eye = self.driver
            for party in (simulation.people, simulation.traffic):
                if party is not None:
                    party.paths.seen_from(lambda: eye.pose[:2])
        self.director = Director(self.scenario, self.stage, self.log)
        self.director.open()
        if simulation.recorder is not None:
            simulation.recorder.restart()
        if link is not None and self.driver is not None:
            link.driver = self.driver.character
        self._left = arrangement(simulation)

    @property
    def time(self) -> float:
        return float(self.simulation.time)

    @property
    def inputs(self) -> Inputs:
        """What the driver does now."""
        return Inputs() if self.mind is None else self.mind.inputs

    def step(self) -> None:
        """One frame."""
        self._notice_changes()
        self._await_generator()
        self._check_triggers()
        self._step_city()
        self._write_log()
        self._send_frame()
        self._left = arrangement(self.simulation)

    def report(self) -> dict[str, Any]:
        """What the drive has shown so far, see `report.drive_report`."""
        from .report import drive_report

        twins = {note.name: self._twin(note.name) for note in self.log.notes if note.kind == "stimulus"}
        tables = {name: twin.table() for name, twin in twins.items() if twin is not None}
        return drive_report(self.log, self.scenario.name, self.simulation.dt, tables)

    def without(self, event: str) -> ScenarioManager | None:
        """The same drive from its beginning in which an event does nothing; None for a driver who cannot be
        had again: a person."""
        source, models, folder = self._origin
        if isinstance(source, ScriptedDriver):
            source = source.afresh()
        driver = self.scenario.driver
        if source is not None and not isinstance(source, ScriptedDriver):
            return None
        if driver is None or (source is None and driver.inputs.script is None):
            return None
        other = ScenarioManager(self.simulation.again(), self.scenario, source, models, folder=folder)
        other.director.silent = event
        return other

    def _twin(self, event: str) -> DriverLog | None:
        """The log of that drive, as long as this one; None too if code has changed this one."""
        self._notice_changes()
        if self._changed:
            return None
        known = self._twins.get(event)
        if known is None or len(known) < len(self.log):
            other = self.without(event)
            if other is None or other._made != self._made:
                return None
            for _ in range(len(self.log)):
                other.step()
            known = self._twins[event] = other.log
        return known

    def _notice_changes(self) -> None:
        self._changed |= arrangement(self.simulation) != self._left

    def _await_generator(self) -> None:
        if self.link is not None:
            self.link.wait()

    def _check_triggers(self) -> None:
        self.director.check(self.time)

    def _step_city(self) -> None:
        """The driver, lights, people, traffic, contacts and the recorder, in the world's order."""
        self._seen = len(self.simulation.world.contacts)
        self.simulation.step()

    def _write_log(self) -> None:
        self.frame = frame_of(self.simulation)
        mind, car = self.mind, self.driver
        if car is not None and mind is not None and mind.sight is not None:
            new = self.simulation.world.contacts[self._seen :]
            self.log.add(mind.sight, mind.inputs, car, self.frame, new, self.stage.roads)

    def _send_frame(self) -> None:
        if self.link is not None:
            lights = self.stage.roads.lights.state(self.time)
            self.link.send(self.frame, self.time, lights)

    def _make_source(self, driver: DriverPart, folder: Path) -> Source:
        given = driver.inputs
        if given.file is not None:
            return FileInputs(folder / given.file)
        if given.script is not None:
            return ScriptedDriver(self.stage.roads, **given.script.model_dump())
        raise BadInput("driver, inputs", "live", "needs somebody: --wheel, or source=LiveInputs()")

    def _chosen(self, driver: DriverPart, models: Mapping[str, MakeCar]) -> MakeCar:
        if driver.car not in models:
            raise BadInput("driver, car", driver.car, f"must be one of {', '.join(sorted(models))}")
        return models[driver.car]


def bicycle(characters: Characters, character: int) -> CarModel:
    """The default car with the measures of a character."""
    names = ("wheelbase", "front_overhang", "length", "max_steer", "max_speed")
    base, overhang, length, steer, top = (float(characters.get(character, name)) for name in names)
    return CarModel(BicycleBody(Bicycle(base, base + overhang - length / 2, max_steer=steer, max_speed=top)))
