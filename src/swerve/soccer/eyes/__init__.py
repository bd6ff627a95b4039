"""Eyes: cameras above the field, calibrated by lines and labelled pixels, that see robots and ball.

>>> import numpy as np
>>> from swerve.soccer.eyes import pitch_named, rig
>>> camera = rig(pitch_named("seed"), np.random.default_rng(1))[0]
>>> top_of_a_robot = np.array([[-1.0, 0.5, 0.15]])
>>> camera.unproject(camera.project(top_of_a_robot), height=0.15).round(6).tolist()
[[-1.0, 0.5]]
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
from .render import take
from .scene import Disturbance, Light, Scene, light_of, random_scene
from .stand import Eyes, Look, Stand, build_stand, drifted, look
from .table import ColourTable, build_table
from .view import View, view_of

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
