"""Classes of the league's messages, made from the tables when they are first asked for.

>>> frame = message("SSL_DetectionFrame")(frame_number=1, t_capture=0.5, t_sent=0.5, camera_id=0)
>>> message("SSL_DetectionFrame").FromString(frame.SerializeToString()).t_capture
0.5
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from swerve.core.errors import BadInput, SwerveError

from .tables import ENUMS, MESSAGES, PACKED

PACKAGE = "swerve_league"  # packets do not carry it
_KINDS = ("double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string")
_TYPES = {name: number for number, name in enumerate(_KINDS, 1)} | {"uint32": 13, "sint64": 18}
_MESSAGE, _ENUM = 11, 14
_LABELS = {"optional": 1, "required": 2, "repeated": 3, "oneof": 1}


def message(name: str) -> Any:
    """The class of that message."""
    classes = _classes()
    if name not in classes:
        raise BadInput("message", name, "is none of the league's")
    return classes[name]


def parse(name: str, data: bytes) -> Any:
    """The message in a packet; `BadInput` when it is none."""
    from google.protobuf.message import DecodeError

    try:
        read = message(name).FromString(data)
    except (DecodeError, RecursionError, ValueError) as error:  # ValueError: text that is not UTF-8
        raise BadInput(f"packet {name}", len(data), "cannot be read; bytes") from error
    if not read.IsInitialized():
        raise BadInput(f"packet {name}", None, f"lacks {', '.join(read.FindInitializationErrors()[:4])}")
    return read


@lru_cache(maxsize=1)
def _classes() -> dict[str, Any]:
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError as error:
        raise SwerveError("the league's messages need protobuf: pip install 'swerve[league]'") from error
    file = descriptor_pb2.FileDescriptorProto(name="swerve_league.proto", package=PACKAGE, syntax="proto2")
    for name, words in ENUMS.items():
        # words of an enumeration share a scope with those of others unless it has one of its own
        holder = file.message_type.add(name=f"{name}Words")
        kind = holder.enum_type.add(name=name)
        for word, number in words.items():
            kind.value.add(name=word, number=number)
    for name, fields in MESSAGES.items():
        made = file.message_type.add(name=name)
        for number, field in fields.items():
            _add_field(made, name, number, field)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))
        for name in MESSAGES
    }


def _add_field(made: Any, owner: str, number: int, words: str) -> None:
    shape, _, default = words.partition(" = ")
    label, kind, name = shape.split()
    field = made.field.add(name=name, number=number, label=_LABELS[label])
    if kind in MESSAGES:
        field.type, field.type_name = _MESSAGE, f".{PACKAGE}.{kind}"
    elif kind in ENUMS:
        field.type, field.type_name = _ENUM, f".{PACKAGE}.{kind}Words.{kind}"
    else:
        field.type = _TYPES[kind]
    if default:
        field.default_value = default
    if label == "oneof":
        if not made.oneof_decl:
            made.oneof_decl.add(name="command")
        field.oneof_index = 0
    if f"{owner}.{name}" in PACKED:
        field.options.packed = True
