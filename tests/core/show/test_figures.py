"""Pictures are laid out once and drawn once."""

from matplotlib.axes import Axes

from swerve.core.show.figures import figure


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
