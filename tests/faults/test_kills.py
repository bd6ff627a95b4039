"""Commands that write are killed at random moments, and run out of disk: the old file or the new one is
there, never half of one, and nobody is left behind.

At length: `SWERVE_KILLS=200 SWERVE_FULL=50 pytest tests/faults/test_kills.py` (a line a command on standard
output with `-s`).
"""

import os
import random
import shutil
import subprocess
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from camera_commands import make_cameras
from commands import CHEAP, broken, commands, make_inputs
from forks import run_forked, small_files

KILLS = int(os.environ.get("SWERVE_KILLS", 0))
FULL = int(os.environ.get("SWERVE_FULL", 0))
SHARED = (
    "swerve.cli.main",
    "matplotlib.pyplot",
    "swerve.race",
    "swerve.tactics.loop",
    "swerve.city",
)  # by forks
SEED = int(os.environ.get("SWERVE_FAULT_SEED", 0))
pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or not Path("/proc").is_dir(), reason="needs Linux")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """For every command a folder as it leaves it, and the seconds that it takes in a fork."""
    for module in SHARED if KILLS or FULL else SHARED[:1]:
        import_module(module)
    inputs = tmp_path_factory.mktemp("inputs")
    make_inputs(inputs)
    if KILLS or FULL:
        make_cameras(inputs)
    made: dict[str, tuple[Path, float]] = {}

    def of(name):
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            log = inputs / f"{name}.log"
            for _ in range(2):  # the second has its kernels compiled
                status, seconds = run_forked(commands(inputs, folder)[name], log)
                assert status in (0, 1), log.read_text()  # 1: no answer, which is one
            assert broken(folder) == [] and any(folder.iterdir())
            made[name] = folder, seconds
        return inputs, *made[name]

    return of


def names(count):
    """Commands to try so many times in all, and how often each."""
    chosen = list(commands(Path(), Path())) if count else CHEAP[:3]
    return [(name, -(-count // len(chosen)) or 2) for name in chosen]


@pytest.mark.parametrize("name, times", names(KILLS))
def test_killed_at_random_moments(name, times, whole, tmp_path):
    inputs, old, seconds = whole(name)
    rng = random.Random(f"{name} {SEED}")
    ended = 0
    for k in range(times):
        out = tmp_path / str(k)
        shutil.copytree(old, out)
        log = tmp_path / f"{k}.log"
        status, _ = run_forked(commands(inputs, out)[name], log, rng.uniform(0, 1.1 * seconds))
        ended += status == -9
        assert broken(out) == [], name
        assert {p.name for p in old.rglob("*")} <= {p.name for p in out.rglob("*")}, "an older file is gone"
        shutil.rmtree(out)
    print(f"{name}: {times} tries, {ended} killed, {seconds:.1f} s")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 16 MB, where we may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "swerve-test", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        yield None
        return
    yield place
    subprocess.run(["umount", str(place)], check=True)  # nobody holds a file there any more


@pytest.mark.parametrize("name, times", names(FULL))
def test_the_disk_is_full(name, times, whole, tmp_path, small_disk):
    inputs, old, _ = whole(name)
    rng = random.Random(f"full {name} {SEED}")
    largest = max(p.stat().st_size for p in old.rglob("*") if p.is_file())
    refused = 0
    for k in range(times):
        out, log = (small_disk or tmp_path) / str(k), tmp_path / f"{k}.log"
        shutil.copytree(old, out)
        room = int(rng.uniform(0, 1.2) * largest) if k else 0
        if small_disk is None:
            status, _ = run_forked(commands(inputs, out)[name], log, prepare=partial(small_files, room))
        else:
            fill(small_disk / "filler", room)
            status, _ = run_forked(commands(inputs, out)[name], log)
            (small_disk / "filler").unlink()
        said = [line for line in log.read_text().splitlines() if "compiling" not in line]
        assert status in (0, 1) or (status == 2 and len(said) == 1), said
        refused += status == 2
        assert broken(out) == [] and {p.name for p in old.rglob("*")} <= {p.name for p in out.rglob("*")}
        shutil.rmtree(out)
    assert refused > 0
    print(f"{name}: {times} tries on a full disk, {refused} refused")


def fill(path, room):
    """Take all the disk but for `room` [bytes]."""
    free = os.statvfs(path.parent)
    with path.open("wb") as file:
        file.write(bytes(max(free.f_bavail * free.f_frsize - room, 0)))
