"""Swerve plans and simulates the motion of things that cannot stop at once."""

from importlib.metadata import version as _version

__version__ = _version("swerve")
