"""Eyes: cameras above the field, calibrated by lines and labelled pixels, that see robots and ball.

>>> from swerve.soccer.eyes import Disturbance, synthetic
>>> tally = synthetic("seed", 1, Disturbance(), seed=1, workers=1)
>>> tally.robots, tally.missed, tally.wrong
(12, 0, 0)
"""

from .calibrate import Calibration, calibrate, camera_error
from .camera import Camera, rig
from .detect import Detection, detect
from .follow import Following
from .measure import Tally, recorded, synthetic
from .merge import Sighting, merge
from .pitch import PITCHES, Pitch, pitch_named
from .recorded import field_of, scenes_of
from .regions import regions_of
from .render import View, take, view_of
from .scene import Disturbance, Light, Scene, light_of, random_scene
from .stand import Eyes, Look, Stand, build_stand, drifted, look
from .table import ColourTable, build_table

__all__ = [
    "PITCHES",
    "Calibration",
    "Camera",
    "ColourTable",
    "Detection",
    "Disturbance",
    "Eyes",
    "Following",
    "Light",
    "Look",
    "Pitch",
    "Scene",
    "Sighting",
    "Stand",
    "Tally",
    "View",
    "build_stand",
    "build_table",
    "calibrate",
    "camera_error",
    "detect",
    "drifted",
    "field_of",
    "light_of",
    "look",
    "merge",
    "pitch_named",
    "random_scene",
    "recorded",
    "regions_of",
    "rig",
    "scenes_of",
    "synthetic",
    "take",
    "view_of",
]
