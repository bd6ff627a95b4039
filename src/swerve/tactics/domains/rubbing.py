"""What the model of a domain file says of friction, for bodies whose material says nothing."""

from __future__ import annotations

import re
from dataclasses import replace

from swerve.core.errors import require

from ..materials import Material
from ..spec import read_spec

UNSAID = 0.987654321  # stands for a geom's friction where nobody gives one
_OPENING = re.compile(r"""<mujoco\b(?:[^>"']|"[^"]*"|'[^']*')*(?<!/)>""")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def with_friction(name: str, material: Material, said: dict[str, set[float]]) -> Material:
    """The material, with the model's friction if it has none of its own."""
    found = said.get(name, set())
    if material.friction is not None or found <= {UNSAID}:
        return material
    known = sorted(found - {UNSAID})
    why = "is needed, as the body's geoms differ in friction in the MJCF; there it is"
    require(len(found) == 1, f"body {name}, material.friction", known, why)
    return replace(material, friction=known[0])


def friction_said(model: str) -> dict[str, set[float]]:
    """Of the bodies of an MJCF by name the frictions of sliding that it gives their geoms; `UNSAID` is among
    them where it gives one none."""
    default = f'<default><geom friction="{UNSAID}"/></default>'
    marked = _OPENING.sub(lambda found: found[0] + default, _COMMENT.sub("", model), count=1)
    spec = read_spec(marked, None)
    return {body.name: {float(geom.friction[0]) for geom in body.geoms} for body in spec.bodies}
