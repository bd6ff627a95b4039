"""The command as a whole: help everywhere, one line for bad input, and an orderly end when interrupted."""

import os
import signal
import subprocess
import sys
import time

import pytest

from swerve.cli import main
from swerve.cli.main import run

COMMANDS = [
    [],
    ["race"],
    ["race", "drive"],
    ["race", "track"],
    ["race", "tree"],
    ["race", "tree", "build"],
    ["race", "tree", "inspect"],
    ["race", "tree", "draw"],
    ["plan"],
    ["terrain"],
    ["terrain", "route"],
    ["terrain", "circuit"],
    ["ride"],
    ["ride", "herd"],
    ["ride", "path"],
    ["ride", "cross"],
    ["ride", "map"],
    ["ride", "tune"],
    ["ride", "body"],
    ["ride", "check"],
    ["scene"],
    ["city"],
    ["city", "run"],
    ["city", "scenario"],
    ["study"],
    ["bench"],
    ["show"],
    ["tour"],
]


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help(command, flag, capsys):
    assert run([*command, flag]) == 0
    out, err = capsys.readouterr()
    assert "Usage: swerve" in out and err == ""
    assert "Traceback" not in out


def test_help_of_the_race_keeps_its_words(capsys, monkeypatch):
    """Square brackets are markup in help texts: a unit in them would vanish."""
    monkeypatch.setenv("COLUMNS", "200")
    run(["race", "drive", "--help"])
    words = " ".join(capsys.readouterr().out.split())
    assert "(metres)" in words and "many seconds" in words
    for option in (
        "--tree",
        "--horizon",
        "--nodes",
        "--cars",
        "--laps",
        "--execute",
        "--seed",
        "--out",
        "--json",
        "--quiet",
    ):
        assert option in words


def test_version(capsys):
    assert run(["--version"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("swerve ") and len(out.split()) == 2 and err == ""


@pytest.mark.parametrize(
    "words, names",
    [
        (["rcae"], "race"),
        (["race", "final", "--bogus"], "--bogus"),
        (["race", "final", "--nodes", "many"], "--nodes"),
        (["race", "final", "--seed", "-1"], "--seed"),
        (["race", "final", "--seed", "one"], "got 'one'"),
        (["race", "final", "--laps", "2"], "no closed circuit, got 2"),
        (["plan", "pool", "--hybrid-p", "7"], "--hybrid-p"),
        (["show", ""], "is not a file"),
        (["race", "final", "extra"], "extra"),
        (["show"], "file"),
        (["bench", "nothing"], "nothing"),
        (["study", "nothing"], "nothing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_words_get_one_line(words, names, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("swerve: ") and names in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["race", "cornered", "--out", "taken/x"],
        ["race", "track", "--out", "taken/x.csv"],
        ["race", "tree", "build", "five", "--out", "taken/x.npz"],
        ["plan", "pool", "--out", "taken/x"],
        ["terrain", "mountain", "--out", "taken/x"],
        ["ride", "herd", "--out", "taken/x"],
        ["city", "grid", "--out", "taken/x"],
        ["study", "hynes", "--out", "taken/x"],
        ["tour", "--out", "taken/x"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("a file, not a folder")
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "cannot be written" in err
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_interrupt_is_one_line(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("swerve.race.load_track", interrupted)
    assert run(["race", "final"]) == 130
    out, err = capsys.readouterr()
    assert (out, err) == ("", "swerve: interrupted\n")


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="needs signals")
def test_ctrl_c_in_the_middle_of_a_drive(tmp_path):
    """A real signal to a real process that is busy planning."""
    code = """if True:
        from importlib import import_module
        from swerve.cli.main import main

        module = import_module("swerve.race.drive")
        def told(*given, drive=module.drive, **named):
            print("planning", flush=True)
            return drive(*given, **named)

        module.drive = told
        main()
    """
    words = [
        "race",
        "long-straight",
        "--nodes",
        "400000",
        "--horizon",
        "2000",
        "--out",
        str(tmp_path / "out"),
        "--json",
    ]
    child = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None and child.stdout.readline() == "planning\n"
    time.sleep(0.5)
    assert child.poll() is None
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    lines = [line for line in err.splitlines() if "compiling" not in line]
    assert child.returncode == 130
    assert out == "" and lines == ["swerve: interrupted"]
    assert not (tmp_path / "out").exists()


def test_disk_errors_are_one_line(capsys, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device", "out/x.parquet")

    monkeypatch.setattr("swerve.race.load_track", full)
    assert run(["race", "final"]) == 2
    assert capsys.readouterr().err == "swerve: out/x.parquet: No space left on device\n"


def test_exit_status_reaches_the_shell(monkeypatch):
    for status in (0, 1, 2, 130):
        monkeypatch.setattr(main, "run", lambda _, status=status: status)
        with pytest.raises(SystemExit) as ending:
            main.main([])
        assert ending.value.code == status


def test_every_command_teaches_by_an_example(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    for command in COMMANDS:
        run([*command, "--help"])
        assert "swerve " in " ".join(capsys.readouterr().out.split("\n")[3:]), command


def test_python_m_swerve():
    done = subprocess.run([sys.executable, "-m", "swerve", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("swerve ")


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
@pytest.mark.parametrize("module", ["typer", "rich.console", "swerve.cli.options"])
def test_ctrl_c_while_modules_are_imported(module):
    """The signal comes in the middle of an import, as it does in the first third of a second."""
    code = f"""if True:
        import os, signal, sys

        class Press:
            def find_spec(self, name, path=None, target=None):
                if name == {module!r}:
                    os.kill(os.getpid(), signal.SIGINT)

        sys.meta_path.insert(0, Press())
        from swerve.__main__ import main
        main()
    """
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "swerve: interrupted\n")


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
@pytest.mark.parametrize("swallowed", [False, True])
def test_ctrl_c_while_kernels_compile_or_as_another_error(swallowed, tmp_path):
    """A compiler loses interrupts in its callbacks, and turns them into errors of its own."""
    script = tmp_path / "pressed.py"
    script.write_text(f"""if True:
        import os, signal
        from numba.core import event
        from swerve.cli import main
        from swerve.core.kernels import kernel

        class Press(event.Listener):
            def on_start(self, event):
                try:
                    os.kill(os.getpid(), signal.SIGINT)
                    for _ in range(1000):
                        pass
                except KeyboardInterrupt:
                    print("lost")
            def on_end(self, event):
                pass

        @kernel
        def more(x):
            return x + 1

        def command(*_, **__):
            if {swallowed}:
                try:
                    os.kill(os.getpid(), signal.SIGINT)
                    for _ in range(1000):
                        pass
                except KeyboardInterrupt:
                    raise SystemError("something else")
            event.register("numba:compile", Press())
            print(more(1.0))

        main.app = lambda *_: command
        main.main()
    """)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert (done.returncode, done.stdout, lines) == (130, "", ["swerve: interrupted"])


def test_help_shows_units(capsys):
    assert run(["city", "run", "--help"]) == 0
    assert "How long [s]." in capsys.readouterr().out


@pytest.mark.parametrize(
    "asked",
    [
        ["ride", "herd", "--riders", "1000000000"],
        ["study", "zickler-6.1", "--trials", "1000000000000"],
        ["learn", "minigolf", "--instances", "1000000000000"],
        ["city", "grid", "--vehicles", "10", "--seconds", "1", "--dt", "1e-12"],
    ],
)
def test_counts_without_end_are_refused_before_memory_is_taken(asked, capsys):
    assert run(asked) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_command_loads_its_own_commands_alone():
    """To load all eighteen, and what prints tables, takes longer than many a command."""
    code = (
        "import sys; from swerve.cli.main import COMMANDS, app, run; run(['terrain', '--help']); "
        "print([name for name in COMMANDS if f'swerve.cli.{name}' in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "['terrain']" and "mountain" in done.stdout


def test_all_commands_are_listed_in_their_order(capsys):
    assert run(["--help"]) == 0
    lines = capsys.readouterr().out.partition("Commands")[2].splitlines()
    told = [line[2:].split(" ")[0] for line in lines if line.startswith("│")]
    assert [word for word in told if word] == list(main.COMMANDS)


@pytest.mark.parametrize("status", [0, 1])
def test_the_process_ends_whole(status):
    """Not taken to pieces, but with its threads, what is to be done at the end, and all of its output."""
    code = f"""if True:
        import atexit, sys, threading, time
        from swerve.__main__ import end

        atexit.register(print, "at the end")
        threading.Thread(target=lambda: (time.sleep(0.2), print("a thread"))).start()
        print("x" * 300_000)
        end({status})
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == status and done.stderr == ""
    assert done.stdout.split("\n") == ["x" * 300_000, "a thread", "at the end", ""]


def test_who_profiles_the_command_gets_the_profile(tmp_path):
    asked = ["-m", "cProfile", "-o", tmp_path / "profile", "-m", "swerve", "--version"]
    subprocess.run([sys.executable, *asked], capture_output=True, check=True)
    assert (tmp_path / "profile").stat().st_size > 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux")
def test_output_that_cannot_be_written_is_told():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "swerve", "study", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode != 0 and "No space left" in done.stderr


@pytest.mark.parametrize(("closed", "status"), [(1, 0), (2, 0), (1, 2)])
def test_a_stream_that_is_closed_takes_no_words_and_changes_no_status(closed, status):
    """As under some schedulers: Python has no stream there at all."""
    words = [sys.executable, "-m", "swerve", *(["study", "--json"] if status == 0 else ["stody"])]
    shell = ["sh", "-c", f'exec "$@" {closed}>&-', "sh"]
    done = subprocess.run([*shell, *words], capture_output=True, text=True)
    assert done.returncode == status and "Traceback" not in done.stderr
