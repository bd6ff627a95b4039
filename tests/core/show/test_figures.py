"""Pictures are laid out once and drawn once."""

import numpy as np
from matplotlib.axes import Axes
from PIL import Image

from swerve.core.show.figures import figure, settle


def test_a_picture_is_drawn_once(tmp_path, monkeypatch):
    """Saved with a layout still to be found, every picture was drawn twice."""
    drawn = []
    draw = Axes.draw
    monkeypatch.setattr(Axes, "draw", lambda self, renderer: (drawn.append(self), draw(self, renderer)))
    with figure(tmp_path / "a.png", (3.0, 2.0)) as axes:
        axes.plot([0, 1], [0, 1], label="far from the edge")
        axes.set(xlabel="x [m]", ylabel="y [m]", title="A title")
    assert len(drawn) == 1
    box = axes.get_position()
    assert 0.0 < box.x0 < box.x1 < 1.0 and box.y0 > 0.15  # there is room for the words below


def test_pictures_of_all_kinds_are_written(tmp_path):
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        with figure(tmp_path / f"a.{ending}", (2.0, 2.0)) as axes:
            axes.plot([0, 1], [0, 1])
        assert (tmp_path / f"a.{ending}").read_bytes().startswith(start)


def test_what_is_painted_first_lies_under_the_rest_and_looks_the_same(tmp_path):
    def drawn(name, first):
        with figure(tmp_path / name, (4.0, 3.0), margins=(0.6, 0.5, 0.2, 0.3)) as axes:
            axes.imshow(np.add.outer(np.arange(9.0), np.arange(12.0)), extent=(0, 12, 0, 9), zorder=1)
            axes.set(xlim=(0, 12), ylim=(0, 9), title="a slope")
            if first:
                settle(axes)
            axes.plot([1, 11], [8, 1], color="red", lw=3, zorder=5, label="down")
            axes.legend()
        with Image.open(tmp_path / name) as picture:
            return np.asarray(picture.convert("RGB"), dtype=float)

    plain, settled = drawn("plain.png", False), drawn("settled.png", True)
    assert plain.shape == settled.shape and plain.std() > 20.0
    assert np.abs(plain - settled).max() <= 2.0
