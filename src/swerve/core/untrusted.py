"""Files from strangers: what they claim is held against what they hold, before memory is taken.

A few kilobytes can claim terabytes: an archive that unpacks without end, a header with a huge count, lists
within lists, a text that refers to itself. Every reader here raises `ValueError` with the reason.
"""

from __future__ import annotations

import json
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

MOST = 1 << 30  # [bytes] that one file may become in memory
SMALL = 1 << 28  # [bytes] up to which nobody asks how well it was packed
PACKED = 1000  # times that a file may grow when it is unpacked
LONGEST = 2_000_000  # characters of a text that people write
NODES = 200_000  # values of such a text, with all its references followed
DEEPEST = 60  # lists within lists


def check_size(claimed: int, held: int) -> None:
    """Refuse what becomes too large when `held` [bytes] on disk are read as `claimed` [bytes]."""
    if claimed > MOST:
        raise ValueError(f"it would take {claimed} bytes, more than {MOST}")
    if claimed > SMALL and claimed > PACKED * held:
        raise ValueError(f"it claims {claimed} bytes and holds {held}")


def read_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """All arrays of a NumPy archive."""
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            check_size(sum(one.file_size for one in members), path.stat().st_size)
            found = {}
            for one in members:
                with archive.open(one) as stream:
                    found[one.filename.removesuffix(".npy")] = _array(stream, one.file_size)
            return found
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise ValueError(str(error)) from error


def read_array(path: str | Path) -> np.ndarray:
    """The array of a `.npy` file."""
    with Path(path).open("rb") as stream:
        return _array(stream, Path(path).stat().st_size)


def _array(stream: Any, size: int) -> np.ndarray:
    """An array from a stream of `size` [bytes], after a look at what its header claims."""
    version = np.lib.format.read_magic(stream)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"arrays of version {version} are not known")
    try:
        shape, fortran, kind = readers[version](stream)
    except tokenize.TokenError as error:
        raise ValueError(f"its header cannot be read ({error})") from error
    if kind.hasobject:
        raise ValueError("it holds Python objects")
    claimed = kind.itemsize
    for count in shape:
        claimed *= count
    if claimed > size or claimed < 0:
        raise ValueError(f"it claims an array {shape} and holds {size} bytes")
    data = stream.read(claimed)
    if len(data) != claimed:
        raise ValueError("it is cut off")
    return np.frombuffer(bytearray(data), kind).reshape(shape, order="F" if fortran else "C")


def read_parquet(path: str | Path) -> Any:
    """The table of a Parquet file (`pyarrow.Table`). Columns are of numbers or texts, none of lists."""
    held = Path(path).stat().st_size
    with pq.ParquetFile(path) as file:
        about, kinds = file.metadata, {field.name: field.type for field in file.schema_arrow}
        check_size(about.num_rows * max(about.num_columns, 1) * 8, held)
        # of the groups, not of their columns: Arrow ends the process when a column's description is spoilt
        sizes = [about.row_group(k).total_byte_size for k in range(about.num_row_groups)]
        check_size(sum(max(size, 0) for size in sizes), held)
    nested = [name for name, kind in kinds.items() if pa.types.is_nested(kind)]
    if nested:
        raise ValueError(f"column {nested[0]} holds lists")
    # a text that many rows have stands in the file once: as a table of texts it is not repeated either
    texts = [name for name, kind in kinds.items() if pa.types.is_string(kind) or pa.types.is_binary(kind)]
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        table = file.read()
    worded = [name for name in table.column_names if pa.types.is_dictionary(table.schema.field(name).type)]
    check_size(sum(_letters(chunk) for name in worded for chunk in table[name].chunks), held)
    for name in texts:
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kinds[name]))
    return table


def _letters(chunk: Any) -> int:
    """Bytes of all texts of a column whose rows refer to a table of them."""
    import pyarrow.compute as pc  # loads slowly

    if not (pa.types.is_string(chunk.dictionary.type) or pa.types.is_binary(chunk.dictionary.type)):
        return 0
    lengths = pc.binary_length(chunk.dictionary).fill_null(0).to_numpy(zero_copy_only=False)
    return int(lengths[chunk.indices.drop_null().to_numpy(zero_copy_only=False)].sum(dtype=np.int64))


def parse_json(text: str | bytes) -> Any:
    """What a JSON text says."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def parse_yaml(text: str) -> Any:
    """What a YAML text says; references are followed as far as they stay small."""
    if len(text) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST} characters")
    try:
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _count(node, {}, 0)
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except (OverflowError, TypeError, AttributeError) as error:  # dates and keys that are none
        raise ValueError(str(error)) from error


def _refuse_twice(node: yaml.MappingNode) -> None:
    seen = set()
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode) and key.value != "<<":
            if key.value in seen:
                raise ValueError(f"{key.value!r} stands there twice, in line {key.start_mark.line + 1}")
            seen.add(key.value)


def _count(node: Any, known: dict[int, int], depth: int) -> int:
    """Values below a node, each reference to them counted again."""
    if depth > DEEPEST:
        raise ValueError("it is nested too deeply, or refers to itself")
    if id(node) in known:
        return known[id(node)]
    total = 1
    if isinstance(node, yaml.MappingNode):
        _refuse_twice(node)
    if not isinstance(node, yaml.ScalarNode):
        for part in node.value:
            for one in part if isinstance(part, tuple) else (part,):
                total += _count(one, known, depth + 1)
        if total > NODES:
            raise ValueError(f"it holds more than {NODES} values")
    known[id(node)] = total
    return total
