"""Starting: where nothing can be written, twice at once, and interrupted at any moment."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from swerve.core import kernels

INTERRUPTS = int(os.environ.get("SWERVE_INTERRUPTS", 2))
SEED = int(os.environ.get("SWERVE_FAULT_SEED", 0))
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs Unix")
SUM = """if True:
    import numpy as np
    from swerve.core.kernels import kernel
    from swerve.core.geometry import wrapped
    print(float(wrapped(7.0)))
"""


def test_kernels_are_kept_where_only_their_user_can_write(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path / "package")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(kernels.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    assert kernels.cache_folder(tmp_path / "other") is None
    own = kernels.cache_folder(tmp_path / "package")
    assert own == tmp_path / "home" / "swerve" / "kernels" and own.stat().st_mode & 0o777 == 0o700
    own.chmod(0o777)  # anybody may put code there
    temporary = kernels.cache_folder(tmp_path / "package")
    assert temporary == tmp_path / "temporary" / f"swerve-kernels-{os.getuid()}"
    temporary.rmdir()
    temporary.symlink_to(tmp_path)
    last = kernels.cache_folder(tmp_path / "package")
    assert last not in (own, temporary) and last.stat().st_mode & 0o777 == 0o700
    last.rmdir()


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs a file system that cannot be written")
def test_kernels_compile_where_nothing_of_ours_can_be_written(tmp_path):
    """A copy of the package that is mounted read-only, with the home inside it."""
    package, temporary = tmp_path / "src" / "swerve", tmp_path / "t"
    source = Path(kernels.__file__).parents[1]
    (package / "core").mkdir(parents=True)
    temporary.mkdir()
    for path in [source / "__init__.py", *(source / "core").glob("*.py")]:
        shutil.copy(path, package / path.relative_to(source))
    mount = f"mount --bind {package} {package} && mount -o remount,bind,ro {package}"
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True).returncode:
        pytest.skip("needs the right to mount")
    given = {"PYTHONPATH": str(package.parent), "HOME": str(package), "TMPDIR": str(temporary)}
    env = {**os.environ, **given, "XDG_CACHE_HOME": ""}
    words = ["unshare", "-m", "sh", "-c", f'{mount} && exec {sys.executable} -c "$0"', SUM]
    done = subprocess.run(words, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0.7168146928204138\n"), done.stderr
    assert list(temporary.glob(f"swerve-kernels-{os.getuid()}/*/*.nbi"))


def test_two_first_starts_at_once_give_what_one_gives(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    both = [
        subprocess.Popen([sys.executable, "-c", SUM], env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert {child.communicate()[0] for child in both} == {"0.7168146928204138\n"}
    again = subprocess.run([sys.executable, "-c", SUM], env=env, capture_output=True, text=True)
    assert (again.stdout, again.stderr) == ("0.7168146928204138\n", "")  # nothing is compiled any more


def test_ctrl_c_at_any_moment_of_a_start_is_one_line(tmp_path):
    """From when Python gives us control; before that it is Python's own."""
    words = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "swerve",
        "race",
        "track",
        "--out",
        str(tmp_path / "t.csv"),
    ]
    rng = random.Random(f"interrupts {SEED}")
    started = time.monotonic()
    begin = first_import(whole := subprocess.Popen(words, stderr=subprocess.PIPE, text=True))
    whole.communicate()
    span = time.monotonic() - started - begin
    for _ in range(INTERRUPTS):
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first_import(child)
        time.sleep(rng.uniform(0, span))
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
        said = [line for line in err.splitlines() if "import time:" not in line and "compiling" not in line]
        assert (child.returncode, said) in ((130, ["swerve: interrupted"]), (0, [])), (out, said)


PRESSED = """import builtins, os, signal
real = builtins.__import__
def watched(name, *rest):
    if name == "importlib" and rest and (rest[0] or {}).get("__name__") == "swerve":
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *rest)
builtins.__import__ = watched
"""


def test_ctrl_c_in_the_first_import_of_all_is_one_line(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(PRESSED)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-m", "swerve", "--version"], env=env, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "swerve: interrupted\n")


def first_import(child):
    """Waits until our own code runs; seconds that this took."""
    started = time.monotonic()
    for line in child.stderr:
        if line.rstrip().endswith("swerve.core.interrupts"):
            break
    return time.monotonic() - started
