"""The kinds of characters and their attributes.

They form a tree: `BASIC` ← `PERSON`, `BASIC` ← `VEHICLE` ← `WHEELED`. A wheeled character has a type
(mini, sedan, suv, van, lorry, bicycle, bus) that sets its size and its abilities; `other` leaves them to be
set by hand, up to the size for which junctions are laid out.
"""

from __future__ import annotations

from .attributes import Attribute, Kind
from .avoidance import WAYS

LONGEST = 11.0  # [m] a bus, where junctions are laid out for one, see `roads.swept`

BASIC = Kind(
    "basic",
    None,
    (
        Attribute("name", str, "", meaning="for people who look at it"),
        Attribute("autonomous", bool, True, meaning="decides for itself; false: moved from outside"),
        Attribute("height", float, 1.7, "m", 0.1, 20.0, meaning="of the body"),
        Attribute("max_speed", float, 10.0, "m/s", 0.0, 100.0, meaning="that it can go"),
        Attribute("max_acceleration", float, 2.0, "m/s²", 0.05, 20.0, meaning="that it can do"),
        Attribute("max_deceleration", float, 6.0, "m/s²", 0.5, 20.0, meaning="that it can do"),
        Attribute("clearance", float, 1.0, "m", 0.0, 20.0, meaning="kept from what it queues behind"),
        Attribute("person_clearance", float, 2.0, "m", 0.0, 20.0, meaning="kept from people"),
        Attribute(
            "avoidance", str, "usual", choices=WAYS, meaning="what it goes round and what it waits for"
        ),
        Attribute("yield_distance", float, 45.0, "m", 0.0, 500.0, meaning="to emergency vehicles"),
    ),
)
PERSON = Kind(
    "person",
    BASIC,
    (
        Attribute("radius", float, 0.25, "m", 0.05, 2.0, meaning="of the circle around the body"),
        Attribute("max_speed", float, 2.2, "m/s", 0.0, 12.0, meaning="when running"),
        Attribute("walking_speed", float, 1.33, "m/s", 0.0, 12.0, meaning="that it likes"),
        Attribute("clearance", float, 2.0, "m", 0.0, 20.0, meaning="kept from vehicles that move"),
        Attribute("person_clearance", float, 0.15, "m", 0.0, 20.0, meaning="kept from people"),
        Attribute("crosswalk_tag", str, "crosswalk", meaning="tag of cells on which traffic rules hold"),
    ),
)
DRIVER_TYPES = ("fast", "medium", "slow")
LIMIT_RESPECT = ("strict", "range", "ignore")
VEHICLE = Kind(
    "vehicle",
    BASIC,
    (
        Attribute("length", float, 4.5, "m", 1.0, LONGEST, meaning="as far as the roads allow"),
        Attribute("width", float, 1.8, "m", 0.5, 2.5, meaning="likewise"),
        Attribute("height", float, 1.5, "m", 0.5, 4.5, meaning="of the body"),
        Attribute("max_speed", float, 40.0, "m/s", 0.0, 100.0, meaning="that it can go"),
        Attribute(
            "max_deceleration",
            float,
            6.0,
            "m/s²",
            6.0,
            20.0,
            meaning="before who keeps no rules; others count on 6",
        ),
        Attribute("person_clearance", float, 2.0, "m", 2.0, 20.0, meaning="kept from crosswalks it waits at"),
        Attribute("emergency", bool, False, meaning="siren on: emergency rules"),
        Attribute("frustration", float, 0.0, "", 0.0, 1.0, meaning="now; grows when held up"),
        Attribute("yield_to_oncoming", bool, False, meaning="also to those on the opposite road"),
        Attribute("driver_type", str, "medium", choices=DRIVER_TYPES, meaning="preferred lane"),
        Attribute("respect_limit", str, "range", choices=LIMIT_RESPECT, meaning="range: by the ratios"),
        Attribute("max_speed_ratio", float, 1.0, "", 0.1, 3.0, meaning="of the limit, at most"),
        Attribute("min_speed_ratio", float, 0.8, "", 0.1, 3.0, meaning="of the limit, at least"),
        Attribute("pass_frustration_threshold", float, 0.5, "", 0.0, 1.0, meaning="passes on the kerb side"),
        Attribute("keeps_lane", bool, False, meaning="never changes lanes; it goes where its lane leads"),
        Attribute("headway", float, 1.1, "s", 0.3, 5.0, meaning="time gap it likes to keep"),
        Attribute("comfortable_deceleration", float, 2.2, "m/s²", 0.5, 6.0, meaning="it likes"),
        Attribute("side_acceleration", float, 2.2, "m/s²", 0.5, 8.0, meaning="it accepts in bends"),
        Attribute("parks", float, 0.0, "", 0.0, 1.0, meaning="share of its arrivals after which it parks"),
        Attribute("stay", float, 60.0, "s", 1.0, 86_400.0, meaning="in a bay, on average"),
        Attribute("look_ahead", float, 25.0, "m", 5.0, 200.0, meaning="emergency: for obstructions"),
    ),
)
WHEELED_TYPES = ("mini", "sedan", "suv", "other", "van", "lorry", "bicycle", "bus")
WHEELED = Kind(
    "wheeled",
    VEHICLE,
    (
        Attribute("wheeled_type", str, "sedan", choices=WHEELED_TYPES, meaning="sets its size and abilities"),
        Attribute("wheelbase", float, 2.7, "m", 0.8, 5.6, meaning="axle to axle"),
        Attribute("front_overhang", float, 0.9, "m", 0.0, 2.4, meaning="front axle to bumper"),
        Attribute("max_steer", float, 0.6, "rad", 0.1, 0.9, meaning="of the front wheels"),
        Attribute("max_steer_rate", float, 0.9, "rad/s", 0.1, 3.0, meaning="likewise"),
    ),
)
KINDS = {kind.name: kind for kind in (BASIC, PERSON, VEHICLE, WHEELED)}

WHEELED_PRESETS: dict[str, dict[str, float]] = {
    "mini": {"length": 3.6, "width": 1.6, "height": 1.5, "wheelbase": 2.4, "front_overhang": 0.65,
             "max_acceleration": 1.9, "max_speed": 38.0},
    "sedan": {"length": 4.6, "width": 1.82, "height": 1.45, "wheelbase": 2.75, "front_overhang": 0.9,
              "max_acceleration": 2.0, "max_speed": 50.0},
    "suv": {"length": 4.9, "width": 1.95, "height": 1.75, "wheelbase": 2.9, "front_overhang": 0.95,
            "max_acceleration": 1.9, "max_speed": 45.0},
    "van": {"length": 5.9, "width": 2.05, "height": 2.5, "wheelbase": 3.6, "front_overhang": 1.0,
            "max_acceleration": 1.6, "max_speed": 40.0},
    "lorry": {"length": 6.5, "width": 2.4, "height": 3.2, "wheelbase": 3.9, "front_overhang": 1.0,
              "max_acceleration": 1.1, "max_speed": 25.0},
    "bicycle": {"length": 1.8, "width": 0.6, "height": 1.8, "wheelbase": 1.05, "front_overhang": 0.35,
                "max_acceleration": 1.0, "max_speed": 6.5},
    "bus": {"length": 11.0, "width": 2.5, "height": 3.1, "wheelbase": 5.6, "front_overhang": 2.4,
            "max_acceleration": 1.2, "max_speed": 28.0, "max_steer": 0.8},
}  # fmt: skip
