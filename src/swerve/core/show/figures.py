"""Pictures: one look for all of them, drawn without a screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, PAPER, ROAD = "#1d2733", "#fbfaf7", "#e3e1da"
ACCENT, SECOND, GOOD, WARM = "#d1495b", "#2e6f95", "#3f8f5b", "#e8a33d"
PALETTE = (ACCENT, SECOND, GOOD, WARM, "#7a5195", "#6b7785")
COLOUR_WORDS = {"red": ACCENT, "blue": SECOND, "yellow": WARM, "green": GOOD, "orange": "#e4572e"}

_STYLE: Any = {
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "font.size": 10,
    "figure.constrained_layout.w_pad": 0.1,  # [in] so that nothing touches the edge of the picture
    "figure.constrained_layout.h_pad": 0.1,
    "legend.frameon": False,
    "svg.hashsalt": "swerve",
}

_DPI = 130
_PRESSED = 3  # of PNG's levels to 9: two thirds of the time of the usual 6, for files a tenth larger

# Without these a file would carry the time at which, or the version by which, it was written.
_TIMELESS: Any = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def load() -> None:
    """Load what draws. Matplotlib writes documentation of its classes while it is loaded, which takes much
    time and is read by nobody here."""
    from matplotlib import artist

    written, artist.kwdoc = artist.kwdoc, lambda artist: ""
    try:
        import matplotlib.backends.backend_agg
        import matplotlib.figure  # noqa: F401
    finally:
        artist.kwdoc = written


@contextmanager
def figure(
    path: str | Path,
    size: tuple[float, float] = (8.0, 5.0),
    rows: int = 1,
    columns: int = 1,
    mosaic: list[list[str]] | None = None,
    margins: tuple[float, float, float, float] | None = None,
    **options: Any,
) -> Iterator[Any]:
    """Open axes to draw in and save them as `path` (PNG, SVG or PDF by its ending).

    Gives one `Axes`, or an array of them when there are several rows or columns, or a dictionary of them when
    a `mosaic` of names says where each lies. `margins` [in] left, below, right and above leave room for what
    stands around the axes; without them it is measured, which takes as long as to draw it.
    """
    load()
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        drawing = Figure(figsize=size, layout="constrained" if margins is None else None, dpi=_DPI)
        if margins is not None:
            left, below, right, above = margins
            drawing.subplots_adjust(
                left / size[0], below / size[1], 1 - right / size[0], 1 - above / size[1], hspace=0.08
            )
        axes: Any
        if mosaic is None:
            axes = drawing.subplots(rows, columns, **options)
        else:
            axes = drawing.subplot_mosaic(mosaic, **options)  # type: ignore[arg-type]
        yield axes
        suffix = Path(path).suffix.lower()
        with replacing(path) as draft:
            _lay_out(drawing)
            press: Any = {"pil_kwargs": {"compress_level": _PRESSED}} if suffix == ".png" else {}
            drawing.savefig(
                draft, format=suffix[1:] or None, dpi=_DPI, metadata=_TIMELESS.get(suffix), **press
            )


def _lay_out(drawing: Figure) -> None:
    """Find the places of all axes once; saving with a layout still to be found draws everything twice."""
    layout = drawing.get_layout_engine()
    if layout is not None:
        layout.execute(drawing)
        drawing.set_layout_engine(None)


def settle(axes: Axes) -> None:
    """Paint what is in a picture up to now, and let what comes later lie upon that: saving then paints only
    the rest. For pictures of pixels, with their scales set."""
    from matplotlib.artist import Artist
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    class Painted(Artist):
        zorder = -1

        def draw(self, renderer: Any) -> None:
            renderer.draw_image(renderer.new_gc(), 0, 0, painted[::-1])

    drawing = axes.get_figure(root=True)
    assert drawing is not None
    canvas = FigureCanvasAgg(drawing)
    canvas.draw()
    painted = np.array(canvas.buffer_rgba())
    for artist in axes.get_children():
        artist.set_visible(False)
    drawing.add_artist(Painted())
    axes.patch.set_visible(False)


def plain_map(axes: Axes) -> None:
    """Equal scales and no frame: for views from above."""
    axes.set_aspect("equal")
    axes.axis("off")


def heading(axes: Axes, words: str) -> None:
    """A title at the left edge of the picture, for maps that may be narrower than their title."""
    axes.figure.suptitle(words, x=0.02, ha="left", weight="bold", size=axes.title.get_fontsize())


def boxes(axes: Axes, poses: np.ndarray, length: float, width: float, **style: Any) -> None:
    """Draw outlines of bodies at `poses` (n, 3) x, y, heading."""
    from matplotlib.collections import PolyCollection

    from ..geometry import outlines  # compiled kernels come with it, and most pictures show no bodies

    axes.add_collection(PolyCollection(list(outlines(poses, length, width)), **style))


def scale_bar(axes: Axes, metres: float, x: float = 0.04, y: float = 0.04) -> None:
    """A bar of known length in the lower left corner."""
    x0, x1 = axes.get_xlim()
    y0, y1 = axes.get_ylim()
    left, bottom = x0 + x * (x1 - x0), y0 + y * (y1 - y0)
    axes.plot([left, left + metres], [bottom, bottom], color=INK, lw=2, solid_capstyle="butt")
    axes.annotate(
        f"{metres:g} m",
        (left + metres / 2, bottom),
        ha="center",
        va="bottom",
        xytext=(0, 3),
        textcoords="offset points",
    )


def round_length(metres: float) -> float:
    """The largest of 1, 2, 5, 10, 20, ... and their tenths that is no longer than `metres`, for a scale.

    >>> round_length(193.0), round_length(37.0), round_length(0.7), round_length(999.9999999999999)
    (100.0, 20.0, 0.5, 500.0)
    """
    ten = 10.0 ** np.floor(np.log10(metres))
    return float(round(ten * max((step for step in (1, 2, 5) if step * ten <= metres), default=0.5), 9))


def named_colour(name: str) -> str | None:
    """The colour that a body's name speaks of, if it does.

    >>> named_colour("yellow ball") == COLOUR_WORDS["yellow"], named_colour("ball")
    (True, None)
    """
    return next((COLOUR_WORDS[word] for word in name.split() if word in COLOUR_WORDS), None)
