"""Sphinx configuration."""

import re

from swerve import __version__

project = "Swerve"
copyright = "the Swerve authors"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "Swerve"

autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": False}
python_maximum_signature_line_length = 88

_CODE = re.compile(r"`([^`]+)`")
_MARKUP = re.compile(r"(?<!\\)([*|]|(?<=\w)_(?!\w))")


def plain_docstring(app, what, name, obj, options, lines):
    """Docstrings are plain text with `code` in backticks: hand them on as such.

    Indented lines after a paragraph are examples of code; blank lines between them and the text are put in.
    """
    out, before = [], 0
    for line in lines:
        indent = len(line) - len(line.lstrip())
        example = line.lstrip().startswith((">>>", "..."))
        if line.strip() and indent > before and out and out[-1].strip() and not example:
            out[-1] = out[-1].rstrip(":") + "::" if out[-1].endswith(":") else out[-1]
            out.append("")
        elif line.strip() and indent < before and out and out[-1].strip():
            out.append("")
        if line.strip():
            before = indent
        parts = _CODE.split(line) if not indent and not example else [line]
        out.append("".join(f"``{p}``" if k % 2 else _MARKUP.sub(r"\\\1", p) for k, p in enumerate(parts)))
    lines[:] = out


def setup(app):
    app.connect("autodoc-process-docstring", plain_docstring)
