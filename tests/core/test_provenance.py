"""Where a result came from."""

import sys

import pytest

from swerve.core.provenance import provenance


@pytest.mark.parametrize("out", [["--out", "some where"], ["--out=there"], []])
def test_where_it_is_written_to_is_not_part_of_the_command(monkeypatch, out):
    """Files of one command that was given two folders differed in their bytes."""
    monkeypatch.setattr(sys, "argv", ["/bin/swerve", "ride", "stop", *out, "--from", "9 m"])
    assert provenance("scene", 1)["command"] == "swerve ride stop --from '9 m'"
