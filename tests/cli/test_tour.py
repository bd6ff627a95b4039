"""`swerve tour` shows every stop it could visit, says which it could not, and leaves a page either way."""

import errno
import json
import multiprocessing
import re
import sys
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

import swerve.cli.tour as cli
import swerve.tour
from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.tour import Figure, Stop


def stop(wing, out, seed):
    folder = out / wing
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a picture.png").write_bytes(b"\x89PNG")
    (folder / "play.html").write_text("<!doctype html>")
    return Stop(
        wing=wing,
        title=f"The <{wing}> & more",
        text="First `code` part.\n\nSecond part.",
        command=f"swerve {wing} --seed {seed}",
        pictures=[(Path(wing) / "a picture.png", 'A "quoted" picture')],
        figures=[Figure("time < 1 s", "0.5 s", "2 s", f"swerve study {wing}")],
        players=[(Path(wing) / "play.html", "It moves")],
    )


@pytest.fixture
def stops(monkeypatch):
    """Names of stops and what visiting them does; `visited` records the seeds."""
    visited = {}
    monkeypatch.setattr(cli, "WORKERS", 1)  # modules that are made here are in no other process

    def make(**visits):
        for name, visit in visits.items():
            module = ModuleType(f"swerve.tour.{name}")
            module.visit = visit or partial(well, name)
            monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(swerve.tour, "STOPS", tuple(visits))
        return visited

    def well(name, out, seed):
        visited[name] = seed
        return stop(name, out, seed)

    return make


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.tags, self.words = [], ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.words += data

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def broken(out, seed):
    raise RuntimeError("lost <its>\nway")


def test_the_page_shows_every_stop(stops, tmp_path, capsys):
    visited = stops(alpha=None, beta=None)
    assert run(["tour", "--out", str(tmp_path), "--seed", "7"]) == 0
    captured = capsys.readouterr()
    assert captured.out.strip() == str(tmp_path / "index.html")
    assert [line.split(":")[0] for line in captured.err.splitlines()] == ["[1/2] alpha", "[2/2] beta"]
    assert visited == {"alpha": 7, "beta": 7}
    page = Page(tmp_path / "index.html")
    assert [section["id"] for section in page.all("section")] == ["alpha", "beta"]
    assert [image["src"] for image in page.all("img")] == ["alpha/a%20picture.png", "beta/a%20picture.png"]
    assert all(image["alt"] == 'A "quoted" picture' for image in page.all("img"))
    assert [frame["src"] for frame in page.all("iframe")] == ["alpha/play.html", "beta/play.html"]
    assert all(frame["loading"] == "lazy" and frame["title"] for frame in page.all("iframe"))
    for words in (
        "The <alpha> & more",
        "time < 1 s",
        "0.5 s",
        "2 s",
        "swerve study beta",
        "swerve alpha --seed 7",
    ):
        assert words in page.words
    assert "seed 7" in page.words


def test_the_page_needs_nothing_from_elsewhere(stops, tmp_path):
    stops(alpha=None)
    assert run(["tour", "--out", str(tmp_path), "--quiet"]) == 0
    text = (tmp_path / "index.html").read_text()
    # pictures are dark where the page is
    assert re.search(
        r"scheme: dark\) {\s+figure > a { filter: invert", text
    )  # pictures are dark where the page is
    assert not re.search(r"https?://", text)
    assert not re.search(r"__[A-Z]+__", text)
    for tag, attributes in Page(tmp_path / "index.html").tags:
        link = attributes.get("src") or attributes.get("href") or ""
        assert (
            tag == "link"
            or link.startswith("#")
            or not link
            or (tmp_path / link.replace("%20", " ")).is_file()
        )


def test_a_stop_that_fails_is_reported_and_the_others_still_run(stops, tmp_path, capsys):
    stops(alpha=None, bad=broken, beta=None)
    assert run(["tour", "--out", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert "swerve: tour stop bad failed: RuntimeError: lost <its> way" in captured.err.splitlines()
    page = Page(tmp_path / "index.html")
    assert [section["id"] for section in page.all("section")] == ["alpha", "beta"]
    assert "RuntimeError: lost <its> way" in page.words
    assert any(box.get("class") == "failure" for box in page.all("div"))


def test_a_stop_that_cannot_be_imported_fails_alone(stops, tmp_path, capsys, monkeypatch):
    stops(alpha=None)
    monkeypatch.setattr(swerve.tour, "STOPS", ("nowhere", "alpha"))
    assert run(["tour", "--out", str(tmp_path)]) == 1
    assert "tour stop nowhere failed: ModuleNotFoundError" in capsys.readouterr().err
    assert len(Page(tmp_path / "index.html").all("section")) == 1


def test_stops_in_processes_of_their_own_come_back_in_their_order(tmp_path, capsys):
    _, failures = cli.visit_all(["nowhere", "terra", "elsewhere"], tmp_path, 0, workers=2)
    assert [failure.stop for failure in failures] == ["nowhere", "terra", "elsewhere"]
    assert all("ModuleNotFoundError" in failure.line for failure in failures)
    assert capsys.readouterr().err.count("failed") == 3 and not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("picture", "words"),
    [((Path("none.png"), "x"), "was not written"), ((Path("/etc/hosts"), "x"), "relative to the page")],
)
def test_a_stop_must_have_written_what_it_shows(stops, tmp_path, capsys, picture, words):
    def visit(out, seed):
        return Stop("gamma", "t", "text", "", [picture], [])

    stops(gamma=visit)
    assert run(["tour", "--out", str(tmp_path)]) == 1
    assert words in capsys.readouterr().err


def test_json_is_one_object(stops, tmp_path, capsys):
    stops(alpha=None, bad=broken)
    assert run(["tour", "--out", str(tmp_path), "--json", "--quiet"]) == 1
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert result["page"] == str(tmp_path / "index.html")
    figure = {"what": "time < 1 s", "here": "0.5 s", "seed": "2 s", "command": "swerve study alpha"}
    assert result["stops"] == [{"wing": "alpha", "title": "The <alpha> & more", "figures": [figure]}]
    assert result["failed"] == [{"stop": "bad", "why": "RuntimeError: lost <its> way"}]
    assert result["seconds"] > 0
    assert captured.err.count("\n") == 1  # the failure alone


def test_only_visits_what_it_names(stops, tmp_path, capsys):
    visited = stops(alpha=None, beta=None, gamma=None)
    assert run(["tour", "--out", str(tmp_path), "--only", "gamma", "--only", "alpha"]) == 0
    assert list(visited) == ["alpha", "gamma"]
    capsys.readouterr()
    assert run(["tour", "--out", str(tmp_path / "new"), "--only", "delta"]) == 2
    assert "--only: must be one of alpha, beta, gamma, got 'delta'" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_an_out_that_is_a_file_is_refused(stops, tmp_path, capsys):
    stops(alpha=None)
    (tmp_path / "file").write_text("")
    assert run(["tour", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_interrupted_tour_leaves_the_old_page(stops, tmp_path):
    def interrupted(out, seed):
        raise KeyboardInterrupt

    stops(alpha=None)
    assert run(["tour", "--out", str(tmp_path), "--quiet"]) == 0
    before = (tmp_path / "index.html").read_bytes()
    stops(alpha=interrupted)
    assert run(["tour", "--out", str(tmp_path), "--quiet"]) == 130
    assert (tmp_path / "index.html").read_bytes() == before


def test_the_first_picture_and_player_are_seen_at_once_and_the_others_behind_a_fold(tmp_path):
    from swerve.tour import Stop
    from swerve.tour.page import write_page

    names = [Path(f"{k}.png") for k in range(3)]
    films = [Path(f"{k}.html") for k in range(2)]
    shown = Stop("w", "t", "x", "swerve w", [(n, "p") for n in names], [], [(n, "f") for n in films])
    text = write_page([shown], tmp_path, 1.0).read_text()
    before, after = text.split("<details>", 1)
    assert "2 pictures and 1 animation more" in after
    for seen, hidden in ((names[:1], names[1:]), (films[:1], films[1:])):
        assert all(f'src="{n}"' in before for n in seen) and all(f'src="{n}"' in after for n in hidden)
    alone = Stop("w", "t", "x", "swerve w", [(names[0], "p")], [], [(films[0], "f")])
    assert "<details>" not in write_page([alone], tmp_path, 1.0).read_text()


def test_a_full_disk_ends_the_tour_in_a_line(stops, tmp_path, capsys):
    def full(out, seed):
        try:
            raise OSError(errno.ENOSPC, "No space left on device", "run.png")
        except OSError as error:
            raise BadInput("picture", None, "cannot be written") from error

    visited = stops(alpha=full, beta=None)
    assert run(["tour", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "swerve: run.png: No space left on device\n"
    assert visited == {} and list(tmp_path.iterdir()) == []
