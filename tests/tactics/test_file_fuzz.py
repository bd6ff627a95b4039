"""Files that were damaged: refused in one line, or planned with, never anything else."""

import copy
import os

import numpy as np
import pytest
import yaml
from test_file import SCENE, written

from swerve.core.errors import BadInput
from swerve.tactics import SolveOptions, load_domain, solve
from swerve.tactics.domains.build import ball, floor, mjcf, robot, walls

MUTANTS = int(os.environ.get("SWERVE_FUZZ", "120"))  # 1,000 for a thorough look
RICH = {
    **SCENE,
    "mjcf": mjcf(floor(), robot("robot"), robot("other"), ball("ball"), walls("walls", [(-1.2, 1, 2, 1.1)])),
    "bodies": {**SCENE["bodies"], "other": {"class": "foreign"}},
    "place": {**SCENE["place"], "other": [-0.6, -0.6]},
    "goal": {"all": [SCENE["goal"] | {}, {"not": {"touching": ["robot", "walls"]}}]},
    "valid": {"any": [{"body": "ball", "below": 1.0}, {"after": 1.0}]},
    "evaluate": [{"distance": ["ball", [1.3, 0.0]]}, {"speed": "ball", "weight": 0.1}, {"time": True}],
    "apart": [["foreign", "static"]],
    "horizon": 20.0,
}
RICH["tactics"] = copy.deepcopy(SCENE["tactics"])
RICH["tactics"][0]["transitions"]["get"] = {
    "push": {"when": {"body": "ball", "near": "robot", "within": 0.3}}
}
RICH["tactics"].append(
    {
        "name": "idle",
        "skills": {"wait": {"skill": "Wait", "body": "other", "seconds": [0.0, 0.2], "acceleration": 2.0}},
        "start": "wait",
    }
)
JUNK = (
    None, True, 0, -1, 1, 1e9, 1e-12, -0.5, float("nan"), float("inf"), "", "robot", "ball", "walls", "floor",
    "nobody", "far", "Dribble", "Kick", "BiasedFall", "Fly", "os:system", "*", [], [1.0], [1.0, -1.0],
    [1, 2, 3], ["robot", "ball"], [3.0, 2.0, 1.0, 0.0], [[1, 2], [3]], {}, {"body": "ball"},
    {"skill": "Turn"}, "controlled", "static", "<mujoco/>",
)  # fmt: skip


def places(tree, path=()):
    """Paths to every value of nested mappings and lists."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def mutated(random):
    tree = copy.deepcopy(RICH)
    for _ in range(random.integers(1, 4)):
        every = list(places(tree))
        *way, last = every[random.integers(len(every))]
        parent = tree
        for key in way:
            parent = parent[key]
        what = random.integers(4)
        if what == 0:
            del parent[last]
        elif what == 1 and isinstance(parent, dict):
            parent[str(JUNK[random.integers(len(JUNK))])] = parent.pop(last)
        elif what == 2 and isinstance(parent[last], int | float):
            parent[last] = float(parent[last]) * float(random.choice([-1.0, 0.0, 1e-6, 1e6, 3.0]))
        else:
            parent[last] = copy.deepcopy(JUNK[random.integers(len(JUNK))])
    return tree


def test_the_rich_file_is_planned_with(tmp_path):
    problem = load_domain(str(written(tmp_path, **RICH)))
    assert solve(problem, seed=1, options=SolveOptions(iterations=6000)).stats["nodes"] > 10


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_refused_in_one_line_or_run(tmp_path):
    random = np.random.default_rng(5)
    path, ran = written(tmp_path), 0
    for k in range(MUTANTS):
        text = yaml.safe_dump(mutated(random))
        path.write_text(text)
        try:
            problem = load_domain(str(path))
            solve(problem, seed=k, options=SolveOptions(iterations=60, lanes=16))
            ran += 1
        except BadInput as error:
            assert str(error) and "\n" not in str(error)
        except Exception as error:
            raise AssertionError(f"mutant {k}: {error!r}\n{text}") from error
    assert 0 < ran < MUTANTS


@pytest.mark.filterwarnings("ignore")
def test_damaged_models_are_refused_in_one_line_or_run(tmp_path):
    random = np.random.default_rng(6)
    path = written(tmp_path)
    model = (tmp_path / "scene.xml").read_text()
    for k in range(MUTANTS // 4):
        at = int(random.integers(len(model)))
        cut = int(random.integers(1, 12))
        text = model[:at] + ("", "-", "0", "nan", "<", '"')[random.integers(6)] + model[at + cut :]
        (tmp_path / "scene.xml").write_text(text)
        try:
            solve(load_domain(str(path)), seed=k, options=SolveOptions(iterations=60, lanes=16))
        except BadInput as error:
            assert str(error) and "\n" not in str(error)
        except Exception as error:
            raise AssertionError(f"mutant {k}: {error!r}\n{text}") from error
