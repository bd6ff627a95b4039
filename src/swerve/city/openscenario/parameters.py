"""Values of OpenSCENARIO attributes: `$name`, `${expression}` and plain text.

Expressions are arithmetic over numbers and parameters. They are parsed, never executed as code.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping

from swerve.core.errors import BadInput

LONGEST, DEEPEST = 1000, 40  # characters and levels of an expression
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs, "ceil": math.ceil, "floor": math.floor, "max": max, "min": min, "pow": math.pow,
    "round": round, "sign": lambda v: float((v > 0) - (v < 0)), "sqrt": math.sqrt, "sin": math.sin,
    "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
}  # fmt: skip
_BINARY: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Mod: math.fmod, ast.BitXor: math.pow, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_NAME = re.compile(r"\$([A-Za-z_]\w*)")


def value_of(text: str, known: Mapping[str, str], where: str) -> str:
    """The text of an attribute with its parameters put in.

    >>> value_of("${$speed / 3.6}", {"speed": "108"}, ""), value_of("$speed", {"speed": "108"}, "")
    ('30.0', '108')
    """
    if text.startswith("${") and text.endswith("}"):
        inside = text[2:-1]
        try:
            return str(_number(_NAME.sub(lambda m: f"({_known(m[1], known, where)})", inside)))
        except (SyntaxError, TypeError, ValueError, ArithmeticError, RecursionError):
            return _NAME.sub(lambda m: _known(m[1], known, where), inside)  # words, such as a name
    return _NAME.sub(lambda m: _known(m[1], known, where), text) if "$" in text else text


def _known(name: str, known: Mapping[str, str], where: str) -> str:
    if name not in known:
        raise BadInput(where, f"${name}", "is a parameter that is not declared")
    return known[name]


def _number(text: str) -> float:
    if len(text) > LONGEST:
        raise ValueError(text[:20])
    return _evaluated(ast.parse(text.strip(), mode="eval").body, 0)


def _evaluated(node: ast.expr, depth: int) -> float:
    if depth > DEEPEST:
        raise ValueError("too deep")
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id == "pi":
        return math.pi
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _evaluated(node.operand, depth + 1)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_evaluated(node.left, depth + 1), _evaluated(node.right, depth + 1))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _BINARY:
        left, right = _evaluated(node.left, depth + 1), _evaluated(node.comparators[0], depth + 1)
        return float(_BINARY[type(node.ops[0])](left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        return float(_FUNCTIONS[node.func.id](*(_evaluated(one, depth + 1) for one in node.args)))
    raise ValueError(type(node).__name__)
