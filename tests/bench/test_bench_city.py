"""What `swerve bench city` needs of SUMO is looked for where it may be, and named when it is missing."""

import os

import pytest

from swerve.bench import city, plain_sumo

FIGURES = {"updates_per_cpu_second": 1.0, "step_ms_p99": 1.0, "memory_mb": 1.0}


@pytest.mark.parametrize(
    ("gone", "word"), [("libsumo", "libsumo is not installed"), ("netgenerate", "netgenerate is on no path")]
)
def test_what_is_missing_is_said(monkeypatch, gone, word):
    monkeypatch.setattr(city, "_measured", lambda module, words: FIGURES)
    monkeypatch.setattr(city.importlib.util, "find_spec", lambda name: None if name == gone else object())
    monkeypatch.setattr(city, "find_netgenerate", lambda: None if gone == "netgenerate" else "netgenerate")
    answer = city.run(100)
    assert word in answer["not_measured"] and answer["ratio_to_sumo"] is None


def test_the_tool_is_found_in_sumo_home(monkeypatch, tmp_path):
    tool = tmp_path / "bin" / "netgenerate"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    monkeypatch.setattr(plain_sumo.sys, "executable", os.fspath(tmp_path / "python"))
    monkeypatch.setattr(plain_sumo.importlib.util, "find_spec", lambda name: None)
    monkeypatch.delenv("SUMO_HOME", raising=False)
    assert plain_sumo.find_netgenerate() is None
    monkeypatch.setenv("SUMO_HOME", os.fspath(tmp_path))
    assert plain_sumo.find_netgenerate() == os.fspath(tool)
