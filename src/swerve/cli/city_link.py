"""What `swerve city` does with --scenario, --cigi and --lsl: a driver, stimuli, a link, markers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .choices import Layout, Pace
from .options import say

if TYPE_CHECKING:
    from swerve.city import Characters, Simulation, Town
    from swerve.city.simulator import Joystick

FULL_THROTTLE, FULL_BRAKE = 45.0, 100.0  # units of the sliding car: 3 and 6.7 m/s²

ScenarioFile = Annotated[
    Path | None, typer.Option("--scenario", help="A file that says who drives and what happens.")
]
Cigi = Annotated[
    str | None, typer.Option("--cigi", metavar="HOST:PORT", help="Send frames to an image generator.")
]
CigiPace = Annotated[
    Pace,
    typer.Option(
        "--cigi-pace", help="Who sets the pace: the generator, the clock (real time) or none (at once)."
    ),
]
Lsl = Annotated[bool, typer.Option("--lsl", help="Send markers of events over the Lab Streaming Layer.")]

Wheel = Annotated[
    Path | None,
    typer.Option(
        "--wheel",
        help="Drive the scenario's car by hand: a device such as /dev/input/js0. Runs in real time.",
        show_default=False,
    ),
]
WheelLayout = Annotated[
    Layout, typer.Option("--layout", help="What the device of --wheel is: a gamepad, or wheel and pedals.")
]


class Session:
    """A simulation with a scenario and a link around it; the command calls `step`, then `finish`."""

    def __init__(
        self,
        simulation: Simulation,
        scenario: Path | None,
        cigi: str | None,
        pace: str,
        lsl: bool,
        wheel: Joystick | None,
    ):
        from swerve.city import ScenarioManager, load_scenario
        from swerve.city.simulator.markers import open_outlet, to_outlet

        given = load_scenario(scenario) if scenario is not None else None
        self.link = _link(cigi, pace, simulation.dt, simulation.town) if cigi is not None else None
        self.manager = ScenarioManager(
            simulation,
            given,
            source=None if wheel is None else wheel.live,
            models={"sliding": sliding_car},
            link=self.link,
            mark=to_outlet(open_outlet()) if lsl else None,
            folder=scenario.parent if scenario is not None else ".",
        )
        if self.link is not None:
            self.link.open()
        self.wheel, self._began = wheel, 0.0
        driver = self.manager.driver
        self.meta = {} if driver is None else {"ego": driver.character}  # for whoever draws the recording

    def step(self) -> None:
        """A frame; by the clock where a person drives and no image generator leads."""
        if self.wheel is not None and self.link is None:
            now = time.monotonic()
            self._began = self._began or now - self.manager.time
            time.sleep(max(0.0, self._began + self.manager.time - now))
        self.manager.step()

    def finish(self, out: Path) -> dict[str, Any]:
        """Close the link and write the report; what the command's answer says of both."""
        from swerve.city.simulator import write_report

        result: dict[str, Any] = {}
        if self.link is not None:
            self.link.close()
            result["cigi"] = self.link.figures()
            if self.link.warning is not None:
                say(f"Note: {self.link.warning}")
        if self.wheel is not None and self.wheel.lost:
            say("Note: the wheel went away; from then on nobody steered.")
        if self.manager.driver is not None:
            report = self.manager.report()
            result |= write_report(report, self.manager.log, out)
            result["stimuli"] = report["stimuli"]
            result["driver_contacts"] = report["contacts"]
        return result


def sliding_car(characters: Characters, character: int) -> Any:
    """The race wing's body, for whoever drives in the city."""
    from swerve.city.simulator import CarModel
    from swerve.race.body import SlidingCar
    from swerve.race.car import MAX_STEER

    return CarModel(SlidingCar(), (MAX_STEER, FULL_THROTTLE, FULL_BRAKE))


def connected(wheel: Path | None, layout: Layout, scenario: Path | None) -> Joystick | None:
    """The device that a person drives with, listening."""
    from swerve.city import load_scenario
    from swerve.city.simulator import GAMEPAD, WHEEL, Joystick, LiveInputs
    from swerve.core.errors import BadInput

    if wheel is None:
        return None
    driver = None if scenario is None else load_scenario(scenario).driver
    if driver is None:
        raise BadInput("--wheel", str(wheel), "steers the driver's car of a scenario; give --scenario too")
    return Joystick(wheel, WHEEL if layout is Layout.WHEEL else GAMEPAD, LiveInputs()).start()


def check_options(scenario: Path | None, cigi: str | None, pace: str, lsl: bool) -> None:
    """Refuse what cannot work before the town is built."""
    from swerve.city import load_scenario
    from swerve.core.errors import BadInput

    if scenario is not None:
        load_scenario(scenario)
    elif lsl:
        raise BadInput("--lsl", None, "sends the events of a scenario; give --scenario too")
    if cigi is not None:
        _link(cigi, pace, 1.0)


def _link(address: str, pace: str, dt: float, town: Town | None = None) -> Any:
    from swerve.city.cigi import CigiLink, LinkOptions
    from swerve.city.cigi.geodesy import Projected
    from swerve.core.errors import BadInput

    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65535:
        raise BadInput("--cigi", address, "must be HOST:PORT, with a port between 1 and 65534")
    known = town is not None and town.reference
    origin = Projected(town.reference, town.offset) if town is not None and known else None
    return CigiLink(host, int(port), origin=origin, options=LinkOptions(pace=pace, frame_seconds=dt))
