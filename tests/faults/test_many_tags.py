"""A small packed file of very many short tags is refused before they are made."""

import gzip
import resource

import pytest

from swerve.city.opendrive import xml
from swerve.core.errors import BadInput


def test_very_many_short_tags_are_refused_before_memory_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(xml, "MOST", 400_000)  # and a bomb as much smaller
    path = tmp_path / "bomb.net.xml.gz"
    path.write_bytes(gzip.compress(b"<net>" + b"<e/>" * 3_000_000 + b"</net>", 1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(BadInput, match="must have at most 400000 tags"):
        xml.read_xml(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 16  # [KiB]
