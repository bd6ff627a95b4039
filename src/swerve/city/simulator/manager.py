"""The scenario manager: owns the clock and the order of a frame.

    manager = ScenarioManager(simulation, load_scenario("lead-brakes.yaml"))
    for _ in range(1200):
        manager.step()
    manager.report()

A frame: the generator asks → inputs → platform → triggers → lights, people, traffic, recorder (a step of the
simulation) → log → link.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import BadInput

from ..characters.characters import Characters
from ..cigi.link import CigiLink
from ..record import frame_of
from ..simulate import Simulation
from .actions import Director
from .driver_log import DriverLog, Note
from .guests import Guest
from .inputs import FileInputs, Source
from .platform import Bicycle, Inputs, Model, checked
from .scenario import Driver, Scenario
from .scripted_driver import ScriptedDriver
from .sight import Sight, look
from .stage import Stage

MakeModel = Callable[[Characters, int], Model]  # from characters and the driver's id


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
        models: Mapping[str, MakeModel] | None = None,
        link: CigiLink | None = None,
        mark: Callable[[Note], None] | None = None,
        folder: str | Path = ".",
    ):
        self.simulation, self.scenario = simulation, scenario or Scenario()
        self.stage = Stage(simulation)
        self.log = DriverLog(mark)
        self.link = link
        self.driver: Guest | None = None
        self.inputs = Inputs()
        driver = self.scenario.driver
        if driver is not None:
            self.driver = self.stage.enter_driver(driver)
            self._source = source or self._make_source(driver, Path(folder))
            self._model = self._make_model(driver, {"bicycle": bicycle, **(models or {})})
        self.director = Director(self.scenario, self.stage, self.log)
        self.director.open()
        if simulation.recorder is not None:
            simulation.recorder.restart()
        if link is not None and self.driver is not None:
            link.driver = self.driver.character

    @property
    def time(self) -> float:
        return float(self.simulation.time)

    def step(self) -> None:
        """One frame."""
        self._await_generator()
        sight = self._look()
        self._take_inputs(sight)
        self._move_platform()
        self._check_triggers()
        self._step_city()
        self._write_log(sight)
        self._send_frame()

    def report(self) -> dict[str, Any]:
        """What the drive has shown so far, see `report.drive_report`."""
        from .report import drive_report

        return drive_report(self.log, self.scenario.name, self.simulation.dt)

    def _await_generator(self) -> None:
        if self.link is not None:
            self.link.wait()

    def _look(self) -> Sight | None:
        if self.driver is None:
            return None
        people = self.simulation.people
        busy = None if people is None else np.asarray(people.on_crossing) > 0
        return look(self.driver, self.stage.traffic, self.stage.who, self.time, busy)

    def _take_inputs(self, sight: Sight | None) -> None:
        if sight is not None:
            self.inputs = checked(self._source(sight))

    def _move_platform(self) -> None:
        """The driver's car, one step on."""
        car = self.driver
        if car is None:
            return
        dt, before = self.simulation.dt, car.speed
        state = np.array([car.x, car.y, car.heading, car.vx, car.vy, car.yaw_rate])
        state = np.asarray(self._model(state, self.inputs, dt), dtype=float)
        if state.shape != (6,) or not np.isfinite(state).all():
            raise BadInput("car model", state.tolist(), "must give six finite numbers")
        car.x, car.y, car.heading, car.vx, car.vy, car.yaw_rate = (float(v) for v in state)
        car.acceleration = (car.speed - before) / dt
        car.brake, car.indicator = self.inputs.brake > 0.01, self.inputs.indicator

    def _check_triggers(self) -> None:
        self.director.check(self.time, self.simulation.dt)

    def _step_city(self) -> None:
        """Lights, people, traffic and the recorder, in the simulation's own order."""
        self.stage.tell_traffic()
        self.simulation.step()

    def _write_log(self, sight: Sight | None) -> None:
        recorder = self.simulation.recorder
        self.frame = recorder.latest if recorder is not None else frame_of(self.simulation)
        if sight is not None and self.driver is not None:
            self.log.add(sight, self.inputs, self.driver, self.frame, self.stage.roads)

    def _send_frame(self) -> None:
        if self.link is not None:
            lights = self.stage.roads.lights.state(self.time)
            self.link.send(self.frame, self.time, lights)

    def _make_source(self, driver: Driver, folder: Path) -> Source:
        given = driver.inputs
        if given.file is not None:
            return FileInputs(folder / given.file)
        if given.script is not None:
            return ScriptedDriver(self.stage.roads, **given.script.model_dump())
        raise BadInput("driver, inputs", "live", "someone must give the inputs: pass source=LiveInputs()")

    def _make_model(self, driver: Driver, models: Mapping[str, MakeModel]) -> Model:
        if driver.car not in models:
            raise BadInput("driver, car", driver.car, f"must be one of {', '.join(sorted(models))}")
        assert self.driver is not None
        return models[driver.car](self.simulation.characters, self.driver.character)


def bicycle(characters: Characters, character: int) -> Model:
    """The default car with the measures of a character."""
    names = ("wheelbase", "front_overhang", "length", "max_steer", "max_speed")
    base, overhang, length, steer, top = (float(characters.get(character, name)) for name in names)
    return Bicycle(base, base + overhang - length / 2, max_steer=steer, max_speed=top)
