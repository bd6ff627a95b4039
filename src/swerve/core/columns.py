"""Arrays of NumPy as columns of Arrow. Arrow's own way looks for pandas first and loads it where it is
installed, which takes longer than to plan many a motion."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def numbers(values: np.ndarray, known: np.ndarray | None = None) -> pa.Array:
    """Of numbers or truth values (n,); empty where they are not `known` (n,)."""
    n, values = len(values), np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    data = _bits(values) if values.dtype == bool else pa.py_buffer(values)
    valid = None if known is None else _bits(known)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), n, [valid, data])


def words(values: np.ndarray) -> pa.Array:
    """Of text (n,), each word kept once, in the order in which they appear."""
    distinct = list(dict.fromkeys(values.tolist()))
    if not all(isinstance(word, str) for word in distinct):
        return pa.array(values.tolist(), pa.string()).dictionary_encode()
    encoded = [word.encode() for word in distinct]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    number = {word: i for i, word in enumerate(distinct)}
    places = np.array([number[word] for word in values.tolist()], np.int32)
    return pa.DictionaryArray.from_arrays(
        numbers(places), pa.Array.from_buffers(pa.string(), len(distinct), buffers)
    )


def _bits(values: np.ndarray) -> pa.Buffer:
    return pa.py_buffer(np.packbits(values, bitorder="little"))
