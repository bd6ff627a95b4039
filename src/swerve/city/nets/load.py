"""Towns from the networks of other programs."""

from __future__ import annotations

from pathlib import Path

from swerve.core.errors import BadInput

from ..opendrive.load import build_records
from ..towns.town import Town
from .osm import read_osm
from .osm_streets import network_of
from .plain import records_of
from .sumo import read_sumo


def load_sumo(path: str | Path) -> Town:
    """The town of a `.net.xml` file."""
    net, left_hand = read_sumo(path)
    try:
        return build_records(records_of(net), left_hand)
    except BadInput as error:
        raise BadInput(str(path), None, str(error)) from error


def load_osm(path: str | Path, left_hand: bool = False) -> Town:
    """The town of an OpenStreetMap extract (`.osm`)."""
    streets = read_osm(path, left_hand)
    try:
        return build_records(records_of(network_of(streets)), left_hand)
    except BadInput as error:
        raise BadInput(str(path), None, str(error)) from error
