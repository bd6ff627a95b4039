"""The examples of the page and of the README section run, and do what they say."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def python_blocks(page):
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_tutorial_prints_what_it_says(capsys):
    blocks = python_blocks("tactics.md")
    assert len(blocks) == 2
    names = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, "tactics.md", "exec"), names)
    assert capsys.readouterr().out.startswith("True ('putt',)")


def test_the_domain_of_the_page_is_read_and_solved(tmp_path):
    from swerve.tactics import load_domain, solve
    from swerve.tactics.domains.build import mjcf, robot

    text = re.findall(r"```yaml\n(name: push.*?)```", (DOCS / "tactics.md").read_text(), re.DOTALL)[0]
    box = (
        '<body name="box" pos="0 0 0.1"><freejoint/>'
        '<geom type="box" size="0.1 0.1 0.1" mass="1" contype="7" conaffinity="7"/></body>'
    )
    ground = '<body name="ground"><geom type="plane" size="9 9 1" contype="2" conaffinity="2"/></body>'
    (tmp_path / "push.xml").write_text(mjcf(ground, robot("robot"), box))
    (tmp_path / "push.yaml").write_text(text)
    solved = [solve(load_domain(str(tmp_path / "push.yaml")), seed=seed).solved for seed in range(3)]
    assert sum(solved) >= 2
