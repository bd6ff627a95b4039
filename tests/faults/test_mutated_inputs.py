"""Files from strangers, spoilt in every way: read, or refused in a line, in little time and memory.

At length: `SWERVE_MUTATIONS=2000 pytest tests/faults/test_mutated_inputs.py -s`.
"""

import io
import os
import random
import re
import resource
import signal
import time
import traceback
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from formats import make_files, readers

from swerve.core import untrusted
from swerve.core.errors import BadInput
from swerve.core.plan import Plan, is_plan
from swerve.core.untrusted import parse_yaml, read_array, read_arrays, read_parquet

MUTATIONS = int(os.environ.get("SWERVE_MUTATIONS", 0))
SEED = int(os.environ.get("SWERVE_FAULT_SEED", 0))
FEW = (
    "run.parquet",
    "plan.parquet",
    "tree.npz",
    "hill.npz",
    "hill.npy",
    "weights.json",
    "inputs.csv",
    "car.yaml",
)
TEXT = (".yaml", ".json", ".csv", ".xodr", ".xml", ".osm", ".xosc", ".geojson", ".asc", ".obj")
ODD = (
    b"1e308",
    b"-1",
    b"0",
    b"nan",
    b"999999999999",
    b"1e9",
    b"'x'",
    b"[]",
    b"{}",
    b"null",
    b"2026-13-45",
    b"!!int x",
)
LONGEST, LARGEST = 60.0, 2 << 30  # [s], [bytes]


def mutated(data, text, rng):
    """The bytes with one to three faults."""
    spoilt = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at, size = rng.randrange(len(spoilt) + 1), rng.choice((1, 4, 40, 400))
        kind = rng.randrange(7 if text else 5)
        if kind == 0:
            del spoilt[at:]
        elif kind == 1:
            del spoilt[at : at + size]
        elif kind == 2:
            spoilt[at:at] = spoilt[at : at + size] * rng.choice((1, 50))
        elif kind == 3:
            spoilt[at : at + size] = rng.randbytes(min(size, 40))
        elif kind == 4 and len(spoilt) > at:
            spoilt[at] ^= 1 << rng.randrange(8)
        elif kind == 5:
            spoilt = bytearray(odd_number(bytes(spoilt), rng))
        elif kind == 6:
            spoilt[at:at] = rng.choice(
                (b"[" * 3000, b"{a: " * 500, b"\xff\xfe", b"\x00", b"&x [*x, *x]", b"<a>" * 900)
            )
        if not spoilt:
            return b""
    return bytes(spoilt)


def odd_number(data, rng):
    """One number of a text replaced by something else."""
    found = list(re.finditer(rb"-?\d+\.?\d*", data))
    if not found:
        return data
    one = rng.choice(found)
    return data[: one.start()] + rng.choice(ODD) + data[one.end() :]


@pytest.mark.parametrize("name", list(readers()) if MUTATIONS else FEW)
def test_spoilt_files_are_read_or_refused(name, tmp_path):
    make_files(tmp_path)
    if not (tmp_path / name).exists():
        pytest.skip("needs tifffile")
    read, path = readers()[name], tmp_path / name
    whole = path.read_bytes()
    read(path)
    times = -(-MUTATIONS // len(readers())) if MUTATIONS else 15
    refused, longest, failed = 0, 0.0, []
    for k in range(times):
        rng = random.Random(f"{name} {SEED} {k}")
        path.write_bytes(mutated(whole, path.suffix in TEXT, rng))
        started = time.monotonic()
        with time_limit(LONGEST):
            try:
                read(path)
            except BadInput as error:
                refused += 1
                assert "\n" not in str(error)
            except Exception as error:
                path.with_name(f"spoilt-{k}-{name}").write_bytes(path.read_bytes())
                where = traceback.extract_tb(error.__traceback__)[-1]
                failed.append(f"mutation {k}: {error!r}, {where.filename}:{where.lineno}")
        longest = max(longest, time.monotonic() - started)
    assert not failed, "\n".join(failed)
    most = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert most < LARGEST
    print(f"{name}: {times} mutations, {refused} refused, {longest:.1f} s at most, {most >> 20} MiB in all")


class time_limit:
    """No reader may take longer [s]."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        signal.signal(signal.SIGALRM, self._late)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _late(self, *_):
        raise TimeoutError(f"took more than {self.seconds} s")


def huge_array(count):
    """A NumPy file that claims so many numbers and holds two."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
    return stream.getvalue() + bytes(16)


def memory():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_counts_larger_than_the_file_are_refused_before_memory_is_taken(tmp_path):
    before = memory()
    (tmp_path / "a.npy").write_bytes(huge_array(10**9))
    with pytest.raises(ValueError, match="claims an array"):
        read_array(tmp_path / "a.npy")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("a.npy", huge_array(10**9))
    with pytest.raises(ValueError, match="claims an array"):
        read_arrays(tmp_path / "a.npz")
    assert memory() - before < 1 << 27


def test_archives_that_unpack_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(untrusted, "SMALL", 1 << 24)  # a tenth of what is shipped, and bombs a tenth as large
    before = memory()
    with (
        zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w", force_zip64=True) as stream,
    ):
        for _ in range(40):
            stream.write(bytes(1 << 20))
    with pytest.raises(ValueError, match="it claims 4194304"):
        read_arrays(tmp_path / "bomb.npz")
    rows = pa.array(np.zeros(2_000_000, np.int8)).dictionary_encode()
    pq.write_table(pa.table({f"c{k}": rows for k in range(2)}), tmp_path / "bomb.parquet")
    with pytest.raises(ValueError, match="it claims 32"):
        read_parquet(tmp_path / "bomb.parquet")
    assert memory() - before < 1 << 25


@pytest.mark.parametrize("kept", [True, False])
def test_a_long_text_that_many_rows_have_is_not_repeated(kept, tmp_path):
    before = memory()
    rows = pa.array(np.zeros(4000, np.int32))
    text = pa.DictionaryArray.from_arrays(rows, pa.array(["x" * 1_000_000]))
    whole = {"use_dictionary": True, "dictionary_pagesize_limit": 1 << 30, "store_schema": kept}
    pq.write_table(pa.table({"kind": text}), tmp_path / "bomb.parquet", compression="zstd", **whole)
    with pytest.raises(ValueError, match=r"claims 4000000000|it would take"):
        read_parquet(tmp_path / "bomb.parquet")
    assert memory() - before < 1 << 26


def test_texts_come_back_as_they_were_and_lists_are_refused(tmp_path):
    table = pa.table({"kind": ["car", None, "car", "bus"], "x": [1.0, 2.0, 3.0, 4.0]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert read_parquet(tmp_path / "a.parquet").equals(table)
    pq.write_table(pa.table({"kind": [["car"], []]}), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="column kind holds lists"):
        read_parquet(tmp_path / "b.parquet")


@pytest.mark.parametrize(
    "name, mutation",
    [("match.parquet", 192), ("match.parquet", 259), ("colours.npz", 7), ("colours.npz", 54)],
)
def test_what_once_ended_the_process_or_came_out_as_an_error_of_others(name, mutation, tmp_path):
    make_files(tmp_path)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(mutated(whole, False, random.Random(f"{name} 0 {mutation}")))
    with pytest.raises(BadInput, match=r"is not (one|a readable Parquet file) \(.+\)"):
        readers()[name](tmp_path / name)


def test_a_column_whose_name_is_no_text_is_refused(tmp_path):
    make_files(tmp_path)
    path = tmp_path / "plan.parquet"
    path.write_bytes(path.read_bytes().replace(b"heading", b"hea\xe4ing"))
    assert not is_plan(path)
    for read in (readers()["plan.parquet"], Plan.load):
        with pytest.raises(BadInput, match=r"is not a readable (Parquet file|plan)"):
            read(path)


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 5000,
        "a: " + "[" * 90 + "]" * 90,
        "a: &a [*a]",
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{b}: &{b} [{', '.join(9 * [f'*{a}'])}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ),
    ],
    ids=["open", "deep", "itself", "laughs"],
)
def test_texts_that_nest_or_repeat_without_end_are_refused(text):
    with pytest.raises(ValueError, match=r"nested|refers|values|expected"):
        try:
            parse_yaml(text)
        except Exception as error:
            raise ValueError(str(error)) from error
