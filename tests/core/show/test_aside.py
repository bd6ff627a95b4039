"""Pictures drawn aside: what is handed over is drawn, errors come back, and nothing is left behind."""

import os
import threading
import time

import pytest

from swerve.core.errors import BadInput, SwerveError
from swerve.core.show.aside import Aside


def writing(path):
    """Draws by writing what it is handed, and the process that it ran in."""

    def draw(found):
        path.write_text(f"{found()} {os.getpid()}")
        return [path]

    return draw


def test_what_is_handed_over_is_drawn_in_another_process(tmp_path):
    aside = Aside(writing(tmp_path / "a"))
    assert not (tmp_path / "a").exists()
    aside.show("a way")
    assert aside.files() == [tmp_path / "a"]
    words, process = (tmp_path / "a").read_text().rsplit(" ", 1)
    assert words == "a way" and (int(process) != os.getpid() or threading.active_count() > 1)


@pytest.mark.parametrize("beside", [False, True])
def test_what_is_handed_over_bit_by_bit_is_drawn_in_its_order(tmp_path, beside):
    """Of a large first part, who hands it over does not wait until it is asked for."""

    def draw(found):
        time.sleep(0.1)
        (tmp_path / "a").write_text(f"{len(found())} {found()}")
        return [tmp_path / "a"]

    ends = threading.Event()
    if beside:
        threading.Thread(target=ends.wait).start()
    try:
        aside = Aside(draw)
        aside.show(b"x" * 3_000_000)
        aside.show("and a way")
        assert aside.files() == [tmp_path / "a"]
    finally:
        ends.set()
    assert (tmp_path / "a").read_text() == "3000000 and a way"


def test_beside_other_threads_it_is_drawn_here(tmp_path):
    ends = threading.Event()
    other = threading.Thread(target=ends.wait)
    other.start()
    try:
        aside = Aside(writing(tmp_path / "a"))
        aside.show("a way")
        assert aside.files() == [tmp_path / "a"]
    finally:
        ends.set()
        other.join()
    assert (tmp_path / "a").read_text() == f"a way {os.getpid()}"


@pytest.mark.parametrize("error", [BadInput("map", 3, "is odd"), OSError(28, "No space left", "a.png")])
def test_what_is_raised_there_is_raised_here(error):
    def draw(found):
        found()
        raise error

    aside = Aside(draw)
    aside.show(None)
    with pytest.raises(type(error)) as raised:
        aside.files()
    assert str(raised.value) == str(error)


def test_without_anything_to_draw_it_ends_without_a_word(tmp_path, capfd):
    aside = Aside(writing(tmp_path / "a"))
    if aside._line is None:
        pytest.skip("no process was begun beside the threads of this one")
    aside._line.close()
    aside._process.join(20.0)
    assert aside._process.exitcode == 0
    assert not (tmp_path / "a").exists() and capfd.readouterr() == ("", "")


def test_who_ends_before_the_picture_hears_nothing_of_its_trouble(capfd):
    """Finding: on a full disk the command told so, and then its picture did, in a traceback."""

    def draw(found):
        found()
        time.sleep(0.2)
        raise OSError(28, "No space left", "a.png")

    aside = Aside(draw)
    if aside._line is None:
        pytest.skip("no process was begun beside the threads of this one")
    aside.show(None)
    aside._line.close()
    aside._process.join(20.0)
    assert aside._process.exitcode == 0 and capfd.readouterr() == ("", "")


def test_whose_drawing_fails_early_is_told_why_and_not_that_nobody_listens():
    """Finding: what was handed over after that came out as a closed pipe, which the command takes for a
    reader of its own words who has had enough: it ended without a word, as if all were done."""

    def draw(found):
        raise BadInput("map", 3, "is odd")

    aside = Aside(draw)
    if aside._line is None:
        pytest.skip("no process was begun beside the threads of this one")
    aside._process.join(20.0)
    for part in ("the ground", "its ways"):
        aside.show(part)
    with pytest.raises(BadInput, match="is odd"):
        aside.files()


class Unreadable:
    def __reduce__(self):
        return _unread, ()


def _unread():
    raise AttributeError("cannot be read")


def test_what_cannot_be_read_there_is_told():
    """Finding: whoever drew waited for it for ever, and so did who had handed it over."""
    aside = Aside(lambda found: found() and [])
    if aside._line is None:
        pytest.skip("no process was begun beside the threads of this one")
    aside.show(Unreadable())
    assert aside._line.poll(20.0)
    with pytest.raises(SwerveError, match="cannot be read"):
        aside.files()
