"""What an OpenDRIVE file holds and is not used here."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from .lanes import DRIVING, RESERVED, WALKED

UNCONNECTED = ("virtual", "crossing")  # junctions whose roads go on as they are
BESIDE = {"none", "shoulder", "border", "curb", "median"}  # lanes that nothing moves on
# elements that nobody reads, by what they are called in a list of them
UNUSED = {
    "road/railroad": "railways",
    "road/surface": "surface data",
    "road/objects/bridge": "bridges as objects",
    "road/objects/tunnel": "tunnels as objects",
    "road/lanes/laneSection/*/lane/access": "lane access",
    "junctionGroup": "junction groups",
    "station": "stations",
}


def unused(root: Element) -> tuple[str, ...]:
    """What a file holds that nobody reads, in words, each once."""
    found = [words for path, words in UNUSED.items() if root.find(path) is not None]
    objects = {one.get("type") or "unnamed" for one in root.findall("road/objects/object")} - {"crosswalk"}
    if objects:
        found.append(f"objects ({', '.join(sorted(objects))})")
    kinds = {one.get("type") for one in root.findall("junction")}
    found += [f"{kind} junctions" for kind in UNCONNECTED if kind in kinds]
    lanes = {one.get("type", "none") for one in root.findall("road/lanes/laneSection/*/lane")}
    if lanes & RESERVED:
        found.append(
            f"that lanes are for some alone ({', '.join(sorted(lanes & RESERVED))}): all drive there"
        )
    if "bidirectional" in lanes:
        found.append("that lanes are for both directions (bidirectional): driven one way")
    if lanes - DRIVING - WALKED - BESIDE:
        found.append(f"lanes of other types ({', '.join(sorted(lanes - DRIVING - WALKED - BESIDE))})")
    if any(lane.get("direction", "standard") != "standard" for lane in root.iter("lane")):
        found.append("lane directions")
    return tuple(found)
