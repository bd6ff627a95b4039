"""Studies that are killed and gone on with give what an uninterrupted one gives, here and on a Ray cluster.

At length: `SWERVE_STUDY_KILLS=10 pytest tests/faults/test_studies.py -s`. The part on a cluster needs Ray
(extra `sweep`) and is skipped without it.
"""

import json
import os
import random
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
import small_study
from forks import run_forked

from swerve import studies
from swerve.studies import StudyEntry

KILLS = int(os.environ.get("SWERVE_STUDY_KILLS", 0))
SEED = int(os.environ.get("SWERVE_FAULT_SEED", 0))
MEASURED = "planning [ms/frame]"
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'swerve[sweep]'")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or not Path("/proc").is_dir(), reason="needs Linux")


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", {"small": StudyEntry("small", "run", "a moment")})
    monkeypatch.setattr(studies, "import_module", lambda name: SimpleNamespace(run=small_study.run))


def report(words, log):
    """What a study answers in JSON, without the times that it took, and the seconds."""
    status, seconds = run_forked(words, log)
    assert status == 0, log.read_text()
    answer = json.loads([line for line in log.read_text().splitlines() if line.startswith("{")][-1])
    rows = [{key: value for key, value in row.items() if key != MEASURED} for row in answer["rows"]]
    return (rows, answer["conclusions"]), seconds


def kill_and_go_on(words, tmp_path, kills, where):
    """The report of a study that was killed so many times, each time going on with it, and then let end; and
    that of one which was left alone."""
    log = tmp_path / "log"
    whole, seconds = report([*words, "--out", str(tmp_path / "whole")], log)
    out = tmp_path / "killed"
    ledger = out / f"{words[1]}.ledger"
    rng = random.Random(f"{words[1]} {SEED}")

    def finished():
        return ledger.read_bytes().count(b"\n") if ledger.exists() else 0

    seen = []
    for k in range(kills):
        again = ["--resume"] if k else []
        more = finished() + rng.choice((0, 1, 1, 2, 4))
        after = rng.uniform(0.0, 0.1) if more else rng.uniform(0.0, 1.0) * seconds
        run_forked(
            [*words, *where, "--out", str(out), *again], log, after, when=lambda m=more: finished() >= m
        )
        seen.append(finished())
    result, _ = report([*words, *where, "--out", str(out), "--resume"], log)
    assert not ledger.exists()
    assert {p.name for p in (tmp_path / "whole").iterdir()} <= {p.name for p in out.iterdir()}
    print(f"{' '.join([*words, *where])}: {kills} kills, finished trials after each {seen}")
    return result, whole


def test_a_small_study(small, tmp_path):
    words = ["study", "small", "--json"]
    result, whole = kill_and_go_on(words, tmp_path, KILLS or 3, ["--workers", "2"])
    assert result == whole


@needs_ray
def test_a_small_study_on_a_cluster(small, tmp_path, monkeypatch):
    found = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(found))  # the cluster's workers import the study
    words = ["study", "small", "--json"]
    result, whole = kill_and_go_on(words, tmp_path, KILLS or 2, ["--ray", "local", "--workers", "2"])
    assert result == whole


@pytest.mark.skipif(not KILLS, reason="at length with SWERVE_STUDY_KILLS=10")
@pytest.mark.parametrize("name", ["adam-4.2"])
def test_studies_at_length(name, tmp_path):
    words = ["study", name, "--trials", "1", "--json"]
    result, whole = kill_and_go_on(words, tmp_path, KILLS, ["--workers", "2"])
    assert result == whole
