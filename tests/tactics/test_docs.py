"""The examples of the page and of the README section run, and do what they say."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from swerve.tactics import Search, SolveOptions, load_domain, solve

SEEDS = int(os.environ.get("SWERVE_GAME_SEEDS", "2"))  # more for a thorough look
FIRST = int(os.environ.get("SWERVE_GAME_FIRST", "0"))
HARDER = ("corner", "gate", "putts", "sweep", "shuffleboard")
DOCS = Path(__file__).resolve().parents[2] / "docs"


def python_blocks(page):
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_tutorial_prints_what_it_says(capsys):
    blocks = python_blocks("tactics.md")
    assert len(blocks) == 3
    names = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, "tactics.md", "exec"), names)
    assert capsys.readouterr().out == "True ('putt',)\nTrue\n"


def test_the_domain_of_the_page_is_the_one_beside_it():
    text = re.findall(r"```yaml\n(name: push.*?)```", (DOCS / "tactics.md").read_text(), re.DOTALL)[0]
    assert yaml.safe_load(text) == yaml.safe_load((DOCS / "domains" / "push.yaml").read_text())


def test_the_model_of_the_page_is_the_one_beside_it():
    (text,) = re.findall(r"```xml\n(<mujoco>.*?)```", (DOCS / "tactics.md").read_text(), re.DOTALL)
    assert text == (DOCS / "domains" / "push.xml").read_text()


def test_the_page_tells_what_a_search_says_that_fails(tmp_path):
    page, text = (DOCS / "tactics.md").read_text(), (DOCS / "domains" / "push.yaml").read_text()
    (short,) = re.findall(r"with the line `(valid: .*?)`", page)
    (tmp_path / "push.xml").write_text((DOCS / "domains" / "push.xml").read_text())
    (tmp_path / "push.yaml").write_text(re.sub(r"^valid: .*$", short, text, flags=re.MULTILINE))
    problem = load_domain(str(tmp_path / "push.yaml"))
    plan = solve(problem, options=SolveOptions(nodes=300), seed=0)
    said = re.findall(r"^swerve: (skill push of pusher .*)$", page, re.MULTILINE)
    told = [re.sub(r"\d+ of \d+", "n of n", line) for line in plan.stats["hints"]]
    assert not plan.solved and told == [re.sub(r"\d+ of \d+", "n of n", line) for line in said]


@pytest.mark.parametrize("name", ["push", "box", "together"])
def test_users_domains_are_solved_with_the_default_settings(name):
    problem = load_domain(str(DOCS / "domains" / f"{name}.yaml"))
    assert problem.mu is None and problem.planner == "bgt"
    plans = [solve(problem, seed=seed) for seed in range(SEEDS)]
    assert np.mean([plan.solved for plan in plans]) >= 0.9


@pytest.mark.parametrize("name", HARDER)
def test_harder_domains_of_the_page_can_be_searched(name):
    problem = load_domain(str(DOCS / "domains" / f"{name}.yaml"))
    assert problem.mu is None and problem.planner == "bgt" and problem.nodes == 200_000
    search = Search(problem, seed=FIRST).grow(iterations=300)
    assert search.tree.count > 100 and search.gains is not None


@pytest.mark.long
@pytest.mark.parametrize("name", HARDER)
def test_harder_domains_of_the_page_are_solved(name):
    """In nine of ten of the page's table; of two seeds one may fail."""
    problem = load_domain(str(DOCS / "domains" / f"{name}.yaml"))
    plans = [solve(problem, seed=seed) for seed in range(FIRST, FIRST + SEEDS)]
    nodes = [plan.stats["nodes"] for plan in plans]
    print(name, sum(plan.solved for plan in plans), "of", SEEDS, "median nodes", np.median(nodes))
    assert sum(not plan.solved for plan in plans) <= max(SEEDS // 10, 1)


def test_the_way_to_the_box_s_room_is_blocked():
    """Straight through the doorway the robot meets the box and pushes it along."""
    problem = load_domain(str(DOCS / "domains" / "box.yaml"))
    plan = solve(problem, seed=1)
    assert plan.solved
    scene = problem.scene(plan.rows)
    assert np.ptp(scene.xy("box"), axis=0).max() > 0.1
