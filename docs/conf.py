"""Sphinx configuration."""

from swerve import __version__

project = "Swerve"
copyright = "the Swerve authors"
version = release = __version__
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "Swerve"
