"""One map, wherever it is done; what is finished stays finished."""

import errno
import importlib
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sweep_work

from plain_processes import left_after
from swerve.core.errors import BadInput, SwerveError
from swerve.core.ledger import Ledger
from swerve.core.sweep import remember, resumable, sweep, sweeping

HERE = Path(__file__).parent


def same(one, other):
    return all(a.seed == b.seed and (a.rows == b.rows).all() for a, b in zip(one, other, strict=True))


def test_processes_give_what_is_given_here():
    work = partial(sweep_work.draw, 3)
    here = sweep(work, range(5), "drawing", workers=1)
    with sweeping(workers=2):
        assert same(here, sweep(work, range(5), "drawing"))
        first = set(sweep(sweep_work.process, range(5), "asking"))
        second = set(sweep(sweep_work.process, range(5), "asking"))
    assert os.getpid() in first and len(first) == 3 and first == second  # kept from sweep to sweep
    with pytest.raises(ProcessLookupError):
        for process in first - {os.getpid()}:
            os.kill(process, 0)


def test_errors_come_out_as_they_went_in():
    with sweeping(workers=2):
        with pytest.raises(BadInput) as refused:
            sweep(partial(first_fine, sweep_work.refuse), range(4), "refusing")
        assert str(refused.value) == f"seed: is not wanted, got {refused.value.value}"
        with pytest.raises(SwerveError, match=r"ended by itself \(exit status 3\)"):
            sweep(partial(first_fine, sweep_work.vanish), range(4), "vanishing")


class Times:
    def __init__(self, by):
        self.by = by

    def of(self, x):
        return self.by * x

    __call__ = of


def times(by):
    return lambda x: by * x


@pytest.mark.parametrize("work", [lambda x: x + 1, times(2), Times(3).of, Times(4)])
def test_a_ledger_refuses_what_it_could_take_for_something_else(work, tmp_path):
    assert sweep(work, [5], "without one") == [work(5)]
    with pytest.raises(BadInput, match="is no function of a module"), resumable(tmp_path / "a.ledger", False):
        sweep(work, [5], "with one")


def test_a_function_in_a_function_is_remembered_by_what_it_is_about(tmp_path):
    with Ledger(tmp_path / "a.ledger") as ledger, sweeping(ledger=ledger):
        assert [remember(times(by), 5, about=(by,)) for by in (2, 3, 2)] == [10, 15, 10]
        with pytest.raises(BadInput, match="is no function of a module"):
            remember(times(2), 5)
    assert len(ledger) == 2


def test_a_function_that_was_edited_is_another(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    source, seen = tmp_path / "edited_work.py", []
    for by in (2, 30):
        source.write_text(f"def work(x):\n    return {by} * x\n")
        monkeypatch.delitem(sys.modules, "edited_work", raising=False)
        importlib.invalidate_caches()
        work = importlib.import_module("edited_work").work
        with Ledger(tmp_path / "a.ledger") as ledger, sweeping(ledger=ledger):
            seen += sweep(work, [1], "working")
    assert seen == [2, 30]


def test_no_workers_are_too_few():
    with pytest.raises(BadInput, match="workers: must be at least 1"):
        sweep(sweep_work.process, [1], "asking", workers=0)


def first_fine(work, seed):
    return seed if seed == 0 else work(seed)


def test_a_ledger_is_gone_on_with_and_goes_away(tmp_path):
    calls = tmp_path / "calls"
    calls.mkdir()
    work, path = partial(sweep_work.counted, str(calls)), tmp_path / "a.ledger"
    with pytest.raises(RuntimeError), resumable(path, resume=True):
        sweep(work, range(3), "counting")
        raise RuntimeError
    with resumable(path, resume=True):
        assert sweep(work, range(5), "counting") == [k / 3 for k in range(5)]
        assert remember(work, 9) == remember(work, 9) == 3.0
    assert len(list(calls.iterdir())) == 6 and not path.exists()


def test_without_resume_what_is_there_is_put_aside(tmp_path):
    path = tmp_path / "a.ledger"
    with Ledger(path) as ledger:
        ledger.add(abs, -1, 1)
    with Ledger(path, resume=False) as ledger:
        assert len(ledger) == 0
        ledger.add(abs, -2, 2)
        with pytest.raises(BadInput, match="in use by another run"):
            Ledger(path)
    with Ledger(f"{path}.old") as ledger:
        assert ledger.result(abs, -1) == 1


def test_two_runs_do_not_mix_in_one_ledger(tmp_path):
    path = tmp_path / "a.ledger"
    first, second = Ledger(path), Ledger(path)  # both before there is a file
    first.add(abs, -1, 1)
    with pytest.raises(BadInput, match="in use by another run"):
        second.add(abs, -2, 2)
    second.finish()  # it has written nothing, and takes nothing away
    assert path.exists()
    with pytest.raises(BadInput, match="in use by another run"):
        Ledger(path)
    first.finish()
    assert not path.exists()


def test_a_ledger_that_goes_while_it_is_opened_is_made_anew(tmp_path, monkeypatch):
    path = tmp_path / "a.ledger"
    ending, coming = Ledger(path), Ledger(path)
    ending.add(abs, -1, 1)
    real = os.open

    def late(name, *rest):  # the other run ends between opening and locking
        handle = real(name, *rest)
        ending.finish()
        return handle

    monkeypatch.setattr(os, "open", late)
    coming.add(abs, -2, 2)
    coming.close()
    assert len(path.read_bytes().splitlines()) == 1


def test_a_full_disk_names_the_ledger_and_keeps_what_was_finished(tmp_path, monkeypatch):
    path = tmp_path / "a.ledger"
    ledger, real = Ledger(path), os.write
    ledger.add(abs, -1, 1)

    def full(handle, data):
        if len(data) > 30:
            return real(handle, data[:9])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match=r"No space left on device: .*a\.ledger"):
        ledger.add(abs, -12345678, 12345678)
    monkeypatch.undo()
    ledger.close()
    again = Ledger(path)
    assert len(again) == 1 and again.result(abs, -1) == 1
    again.close()


def test_torn_and_spoilt_lines_are_no_lines(tmp_path):
    path = tmp_path / "a.ledger"
    with Ledger(path) as ledger:
        for seed in range(3):
            ledger.add(sweep_work.draw, seed, sweep_work.draw(2, seed))
    whole = path.read_bytes()
    lengths = np.cumsum([len(line) + 1 for line in whole.split(b"\n")[:-1]])
    for cut in range(0, len(whole), 7):
        path.write_bytes(whole[:cut])
        with Ledger(path) as ledger:
            assert len(ledger) in (done := int((lengths <= cut).sum()), done + ((cut + 1) in lengths))
            ledger.add(sweep_work.draw, 7, 7)
        with Ledger(path) as ledger:
            assert ledger.result(sweep_work.draw, 7) == 7 and len(ledger) >= done + 1
    path.write_bytes(whole.replace(b'"seed":1', b'"seed":2'))
    with Ledger(path) as ledger:
        assert len(ledger) == 2


def test_other_arguments_files_and_code_are_other_trials(tmp_path, monkeypatch):
    file = tmp_path / "road.xodr"
    file.write_text("one")
    with Ledger(tmp_path / "a.ledger") as ledger:
        key = ledger.key(partial(sweep_work.draw, 3), file)
        assert ledger.key(partial(sweep_work.draw, 3), file) == key
        assert ledger.key(partial(sweep_work.draw, 4), file) != key
        file.write_text("two")
        assert ledger.key(partial(sweep_work.draw, 3), file) != key
        file.write_text("one")
        monkeypatch.setattr("swerve.core.ledger.code_version", lambda: "another")
        assert ledger.key(partial(sweep_work.draw, 3), file) != key


SCRIPT = """if True:
    import sys
    from functools import partial
    sys.path.insert(0, {here!r})
    import sweep_work
    from swerve.core.sweep import resumable, sweep
    if __name__ == "__main__":
        with resumable({ledger!r}, True, workers=2):
            print(sum(sweep(partial(sweep_work.counted, {calls!r}), range(24), "counting")))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_killed_at_any_moment_nothing_is_lost_and_no_worker_left(tmp_path):
    """Trials that had been done before a kill are not done again, but for those under way."""
    calls = tmp_path / "calls"
    calls.mkdir()
    script = tmp_path / "run.py"
    script.write_text(SCRIPT.format(here=str(HERE), ledger=str(tmp_path / "l"), calls=str(calls)))
    kills = 0
    for moment in (3, 12):
        child = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, start_new_session=True)
        while child.poll() is None and len(list(calls.iterdir())) < moment:
            time.sleep(0.005)
        child.kill()
        child.communicate()
        kills += 1
        assert left_after(child.pid) == []
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.stdout == f"{sum(k / 3 for k in range(24))}\n", done.stderr
    assert 24 <= len(list(calls.iterdir())) <= 24 + 3 * kills


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_ctrl_c_ends_workers_without_a_word(tmp_path):
    """As a terminal sends it: to everybody of the group, when both workers are at work."""
    calls = tmp_path / "calls"
    calls.mkdir()
    script = tmp_path / "run.py"
    text = SCRIPT.format(here=str(HERE), ledger=str(tmp_path / "l"), calls=str(calls))
    script.write_text(text.replace("range(24)", "range(2000)"))
    child = subprocess.Popen([sys.executable, script], stderr=subprocess.PIPE, start_new_session=True)
    while child.poll() is None and len({path.name.split("-")[1] for path in calls.iterdir()}) < 2:
        time.sleep(0.005)
    os.killpg(child.pid, signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert err.count(b"Traceback") <= 1 and b"KeyboardInterrupt" in err and left_after(child.pid) == []


def test_ray_is_asked_for_in_one_line_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(BadInput, match=r"--ray: needs Ray \(pip install 'swerve\[sweep\]'\)"),
        sweeping(ray="x"),
    ):
        sweep(abs, range(3), "nothing")
    with pytest.raises(BadInput, match="needs Ray"), sweeping(ray="x"):
        sweep(abs, [1], "nothing")  # one is not done here instead, without a word


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_the_first_worker_is_deaf_to_interrupts_too(tmp_path):
    """Starting the tracker of resources, which comes with the first process, lets signals through again."""
    script = tmp_path / "run.py"
    script.write_text(
        "import signal\nfrom swerve.core.workers import Workers\n\n\n"
        "def blocked(_):\n    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())\n\n\n"
        "if __name__ == '__main__':\n"
        "    workers = Workers(1)\n    print(list(workers.run(blocked, [(0, None)])))\n    workers.close()\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.stdout == "[(0, True)]\n", done.stderr
