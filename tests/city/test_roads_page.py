"""The examples of the roads' page run, and its scene file can be read."""

import re
from pathlib import Path

from swerve.city import load_town

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "city-roads.md").read_text(encoding="utf-8")


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block, "city-roads.md", "exec"), names)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "392 24 68"
    assert said[1].startswith("[0 1] ")
    assert re.fullmatch(r"\[0(, 0)*(, 1){3}(, 2)+\]", said[2])
    assert (tmp_path / "town.png").exists()


def test_the_scene_file_can_be_read(tmp_path):
    scene = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1]
    (tmp_path / "shop.yaml").write_text(scene)
    assert load_town(tmp_path / "shop.yaml").name == "corner shop"
