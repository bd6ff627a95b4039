"""A human at the wheel among the traffic: scenarios, the driver's car, its log and its report."""

from .inputs import FileInputs, LiveInputs
from .joystick import GAMEPAD, WHEEL, Joystick
from .manager import ScenarioManager
from .outsiders import CarModel, DriverCar
from .platform import Bicycle, Inputs
from .report import as_text, write_report
from .scenario import Scenario, load_scenario
from .scripted_driver import ScriptedDriver

__all__ = [
    "GAMEPAD",
    "WHEEL",
    "Bicycle",
    "CarModel",
    "DriverCar",
    "FileInputs",
    "Inputs",
    "Joystick",
    "LiveInputs",
    "Scenario",
    "ScenarioManager",
    "ScriptedDriver",
    "as_text",
    "load_scenario",
    "write_report",
]
