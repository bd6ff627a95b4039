"""What tags of OpenStreetMap's ways say: who may drive there, on how many lanes, how fast."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

LIMITS = {  # [km/h] of the ways that cars use, where nothing else is said; the larger roads first
    "motorway": 120,
    "motorway_link": 60,
    "trunk": 100,
    "trunk_link": 60,
    "primary": 50,
    "primary_link": 50,
    "secondary": 50,
    "secondary_link": 50,
    "tertiary": 50,
    "tertiary_link": 50,
    "unclassified": 50,
    "residential": 30,
    "living_street": 10,
}
MOST_LANES = 6  # of one direction
CLOSED = {"no", "private", "agricultural", "forestry", "emergency", "military", "bus", "psv"}
ACCESS = ("motorcar", "motor_vehicle", "vehicle", "access")  # the first that is there counts
ALONE = {"yes", "true", "1", "-1", "reverse"}
BY_TURNS = {"reversible", "alternating"}
SPEED_TAGS = ("maxspeed", "maxspeed:type", "source:maxspeed", "zone:maxspeed")

UNITS = {"": 1 / 3.6, "km/h": 1 / 3.6, "kmh": 1 / 3.6, "kph": 1 / 3.6, "mph": 0.44704, "knots": 0.514444}
WALK, NONE = 7.0, 130.0  # [km/h] of walking pace, and where there is no limit
ZONES = {"urban": 50.0, "rural": 90.0, "trunk": 100.0, "motorway": 120.0, "expressway": 100.0,
         "living_street": 20.0, "bicycle_road": 30.0, "nsl_restricted": 48.28, "nsl_single": 96.56,
         "nsl_dual": 112.65}  # fmt: skip
COUNTRIES = {  # [km/h] where a country has others: rural and motorway
    "AT": (100, 130), "BE": (90, 120), "CH": (80, 120), "CZ": (90, 130), "DE": (100, NONE), "DK": (80, 130),
    "ES": (90, 120), "FI": (80, 120), "FR": (80, 130), "GB": (96.56, 112.65), "UK": (96.56, 112.65),
    "HU": (90, 130), "IT": (90, 130), "NL": (80, 100), "NO": (80, 110), "PL": (90, 140), "PT": (90, 120),
    "RU": (90, 110), "SE": (70, 110), "SK": (90, 130), "US": (88.51, 104.61),
}  # fmt: skip
SLOWEST, FASTEST = 1.0, 70.0  # [m/s]
BEARING = re.compile(  # tags that bear on traffic and that nobody reads
    r"turn:lanes.*|.*:lanes(:.*)?|.*:conditional|lanes:(?!forward$|backward$|both_ways$).*|busway.*|cycleway.*"
    r"|width|oneway:.*|maxspeed:(?!type$|forward$|backward$).*|maxheight|maxweight|maxwidth|traffic_calming"
    r"|overtaking|priority_road"
)


def open_to_cars(tags: dict[str, str]) -> bool:
    """Whether a car of anybody may use a way."""
    told = next((tags[name] for name in ACCESS if name in tags), "yes")
    return tags.get("highway") in LIMITS and told not in CLOSED and "area" not in tags


def is_ring(tags: dict[str, str]) -> bool:
    return tags.get("junction") in ("roundabout", "circular")


def lanes_of(tags: dict[str, str], odd: Counter[str]) -> tuple[int, int]:
    """Lanes there and back; what is not understood goes into `odd`."""
    kind, one_way = tags["highway"], tags.get("oneway", "")
    if one_way in BY_TURNS:
        odd[f"oneway={one_way}"] += 1
    alone = one_way in ALONE or (one_way != "no" and (is_ring(tags) or kind in ("motorway", "motorway_link")))
    total, there, back, middle = (
        _count(tags, name, odd) for name in ("lanes", "lanes:forward", "lanes:backward", "lanes:both_ways")
    )
    if alone:
        usual = 2 if kind in ("motorway", "trunk") else 1
        return int(np.clip(total or usual, 1, MOST_LANES)), 0
    total = max(total - middle, 0)
    there = there or (total - back if total > back > 0 else (total + 1) // 2)
    back = back or total - there
    return int(np.clip(there, 1, MOST_LANES)), int(np.clip(back, 1, MOST_LANES))


def speeds_of(tags: dict[str, str], odd: Counter[str]) -> tuple[float, float]:
    """Limits [m/s] there and back; what is not understood goes into `odd`."""
    usual = LIMITS[tags["highway"]] / 3.6
    given = [(name, tags[name]) for name in SPEED_TAGS if name in tags]
    known = [(name, speed_of(word)) for name, word in given]
    both = next((speed for _, speed in known if speed is not None), None)
    if both is None and "maxspeed" in tags:
        odd[f"maxspeed={tags['maxspeed']}"] += 1
    found = []
    for name in ("maxspeed:forward", "maxspeed:backward"):
        own = speed_of(tags[name]) if name in tags else None
        if name in tags and own is None:
            odd[f"{name}={tags[name]}"] += 1
        found.append(next(speed for speed in (own, both, usual) if speed is not None))
    return found[0], found[1]


def speed_of(given: str) -> float | None:
    """A speed limit [m/s]; the lowest of several.

    >>> [round(3.6 * speed_of(word)) for word in ("50", "30 mph", "walk", "FR:rural", "DE:zone30", "80;50")]
    [50, 48, 7, 80, 30, 50]
    >>> speed_of("signals")
    """
    found = [_one_speed(part.strip()) for part in given.split(";")]
    known = [speed for speed in found if speed is not None]
    return min(known) if known else None


def _one_speed(word: str) -> float | None:
    number = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z/]*)", word)
    if number and number[2] in UNITS:
        value = float(number[1]) * UNITS[number[2]]
    elif word in ("walk", "none"):
        value = (WALK if word == "walk" else NONE) / 3.6
    else:
        zone = re.fullmatch(r"([A-Z]{2})(?:-[A-Z]+)?:(?:zone:?)?(\w+)", word)
        if zone is None:
            return None
        value = _by_zone(zone[1], zone[2]) / 3.6
    return value if SLOWEST <= value <= FASTEST else None


def _by_zone(country: str, zone: str) -> float:
    """[km/h], 0 where it is not known."""
    miles = 1.609344 if country in ("GB", "UK", "US") else 1.0
    if zone.isdigit():
        return float(zone) * miles
    if zone in ("rural", "motorway") and country in COUNTRIES:
        return float(COUNTRIES[country][zone == "motorway"])
    if zone == "living_street" and country == "DE":
        return WALK
    if zone == "urban" and miles > 1.0:
        return ZONES["nsl_restricted"]
    return ZONES.get(zone, 0.0)


def _count(tags: dict[str, str], name: str, odd: Counter[str]) -> int:
    given = tags.get(name, "").split(";")[0].strip()
    if not given:
        return 0
    try:
        return max(int(given), 0)
    except ValueError:
        odd[f"{name}={given}"] += 1
        return 0
