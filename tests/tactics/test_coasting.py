"""Goals in which something must lie are measured from where it would come to lie."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from swerve.core.seeding import generator
from swerve.tactics import Engine, Problem, Search, load_domain
from swerve.tactics.domains.coasting import Coasting
from swerve.tactics.tree import FINER

DOMAINS = Path(__file__).resolve().parents[2] / "docs" / "domains"
THROWN = 40


def thrown(problem: Problem, name: str) -> np.ndarray:
    """States in which a body moves at up to 2 m/s, each another way."""
    random, slot = generator(1, "thrown"), problem.world.slot(name)
    angle, speed = random.uniform(-np.pi, np.pi, THROWN), random.uniform(0.2, 2.0, THROWN)
    rows = np.repeat(problem.start[None], THROWN, axis=0)
    rows[:, slot.qvel] = speed * np.cos(angle)
    rows[:, slot.qvel + 1] = speed * np.sin(angle)
    return rows


@pytest.mark.parametrize(
    ("domain", "name"), [("shuffleboard", "puck"), ("corner", "crate"), ("putts", "ball"), ("sweep", "puck")]
)
def test_a_body_lies_where_it_was_said_to(domain: str, name: str) -> None:
    problem = load_domain(str(DOMAINS / f"{domain}.yaml"))
    one, rows = Coasting(problem.world, name, problem.start), thrown(problem, name)
    said, slot, touched = rows.copy(), problem.world.slot(name), np.zeros(THROWN, dtype=bool)
    assert one.stops and one.move(problem.scene(rows), said).all()
    engine, others = Engine(problem.world, lanes=THROWN), np.ones(problem.world.width, dtype=bool)
    others[slot.qpos : slot.qpos + 7] = others[slot.qvel : slot.qvel + 6] = others[0] = False
    first = rows.copy()
    for _ in range(240):
        rows, _ = engine.step(rows, np.zeros((THROWN, problem.world.model.nv)))
    others[1 + problem.world.model.nq + problem.world.model.nv :] = False  # what the solver remembers
    touched = np.abs(rows - first)[:, others].max(axis=1) > 1e-3  # it hit somebody
    off = np.hypot(*(rows - said)[~touched, slot.qpos : slot.qpos + 2].T)
    assert np.quantile(off, 0.9) < 0.02 and (~touched).sum() >= THROWN / 2


def test_what_will_slide_past_lacks_more_than_what_will_stop() -> None:
    """By its place alone the faster one, which is nearer, would lack less; it ends in the gutter."""
    problem = load_domain(str(DOMAINS / "shuffleboard.yaml"))
    assert problem.lack is not None
    slot, rows = problem.world.slot("puck"), np.repeat(problem.start[None], 3, axis=0)
    rows[1:, slot.qpos], rows[1:, slot.qpos + 1] = (1.5, 2.5), 0.0
    slowing = 0.08 * 9.81
    rows[1, slot.qvel], rows[2, slot.qvel] = np.sqrt(2 * slowing * 1.3), 1.5
    start, stops, slides = problem.lack(problem.scene(rows))
    assert stops == 0.0 and slides >= start


def test_what_stands_in_the_way_stops_it() -> None:
    problem = load_domain(str(DOMAINS / "corner.yaml"))
    slot, rows = problem.world.slot("crate"), problem.start[None].copy()
    rows[0, slot.qvel] = 6.0
    one, said = Coasting(problem.world, "crate", problem.start), rows.copy()
    one.move(problem.scene(rows), said)
    assert said[0, slot.qpos] == pytest.approx(1.5 - slot.radius, abs=1e-6)


def with_gravity(folder: Path, domain: str, gravity: str) -> Problem:
    for kind in ("xml", "yaml"):
        text = (DOMAINS / f"{domain}.{kind}").read_text()
        text = text.replace("<worldbody>", f'<option gravity="{gravity}"/><worldbody>')
        (folder / f"{domain}.{kind}").write_text(text)
    return load_domain(str(folder / f"{domain}.yaml"))


@pytest.mark.parametrize(("domain", "name"), [("shuffleboard", "puck"), ("putts", "ball")])
def test_on_the_moon_bodies_come_further(domain: str, name: str, tmp_path: Path) -> None:
    problem = with_gravity(tmp_path, domain, "0 0 -1.62")
    slot, row = problem.world.slot(name), problem.start[None].copy()
    row[0, slot.qvel] = 0.25
    said = row.copy()
    assert Coasting(problem.world, name, problem.start).move(problem.scene(row), said).all()
    engine = Engine(problem.world)
    for _ in range(480):
        row, _ = engine.step(row, np.zeros((1, problem.world.model.nv)))
    came = row[0, slot.qpos] - problem.start[slot.qpos]
    assert came > 0.05 and abs(row[0, slot.qvel]) < 1e-3
    assert said[0, slot.qpos] - problem.start[slot.qpos] == pytest.approx(came, abs=0.01)


@pytest.mark.parametrize("gravity", ["1 0 -9.7", "0 0 0", "0 0 9.81"])
def test_where_the_ground_is_no_brake_bodies_are_where_they_are(gravity: str, tmp_path: Path) -> None:
    """On a slope, and where nothing presses them on the ground."""
    problem = with_gravity(tmp_path, "shuffleboard", gravity)
    assert not Coasting(problem.world, "puck", problem.start).stops


def test_what_hangs_above_stops_nothing(tmp_path: Path) -> None:
    """A bar across the puck's way, half a metre up and on the ground."""
    said = []
    for height in (0.5, 0.1):
        bar = f'<geom type="box" size="0.05 1 0.1" pos="1 0 {height}"/>'
        for kind in ("xml", "yaml"):
            text = (DOMAINS / f"shuffleboard.{kind}").read_text()
            (tmp_path / f"shuffleboard.{kind}").write_text(text.replace("</worldbody>", bar + "</worldbody>"))
        problem = load_domain(str(tmp_path / "shuffleboard.yaml"))
        slot, rows = problem.world.slot("puck"), problem.start[None].copy()
        rows[0, slot.qvel] = 1.5
        Coasting(problem.world, "puck", problem.start).move(problem.scene(rows.copy()), rows)
        said.append(rows[0, slot.qpos])
    assert said == pytest.approx([0.3 + 1.5**2 / (2 * 0.08 * 9.81), 0.95 - slot.radius])


def test_a_goal_that_is_passed_through_is_measured_as_things_are() -> None:
    problem = load_domain(str(DOMAINS / "gate.yaml"))
    assert problem.lack is not None
    slot, rows = problem.world.slot("crate"), np.repeat(problem.start[None], 2, axis=0)
    rows[1, slot.qvel] = 2.0
    lack = problem.lack(problem.scene(rows))
    assert lack[0] == lack[1]


def test_what_comes_to_nothing_is_left_alone() -> None:
    """A puck that lies out of reach, near the zone: what waits beside it must not take all picks."""
    problem = load_domain(str(DOMAINS / "shuffleboard.yaml"))
    assert problem.lack is not None
    search = Search(replace(problem, goal=lambda scene: np.zeros(len(scene), dtype=bool)), seed=1)
    tree = search.grow(iterations=8000).tree
    assert tree.tried.sum() >= 100 and tree.gained.sum() >= 5
    scene = problem.scene(tree.rows[: tree.count])
    opened = tree.open[: tree.count]
    unmoved = np.abs(scene.xy("puck") - scene.xy("puck")[0]).max(axis=1) < 0.02
    picks = tree.children[: tree.count]
    assert picks[opened & unmoved].sum() >= 0.1 * picks[opened].sum()
    level = np.ceil(problem.lack(scene) / search.guide.height * FINER)
    assert (tree.level[: tree.count][opened] == level[opened]).all()
