"""Public functions say what they take: no parameter of theirs is `Any`.

`Any` inside a container (`dict[str, Any]`), in `**extra: Any` and as a result is allowed.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "swerve"
MODULES = sorted(
    path for path in SOURCE.rglob("*.py") if not path.stem.startswith("_") or path.stem == "__init__"
)


def is_any(annotation: ast.expr | None, aliases: frozenset[str] = frozenset()) -> bool:
    """Whether an annotation is `Any`, an alias of it, or a union that has it as a member."""
    match annotation:
        case ast.Name(name):
            return name == "Any" or name in aliases
        case ast.Attribute(attr=name):
            return name == "Any"
        case ast.Constant(str(text)):
            return is_any(ast.parse(text, mode="eval").body, aliases)
        case ast.BinOp(left, ast.BitOr(), right):
            return is_any(left, aliases) or is_any(right, aliases)
        case ast.Subscript(ast.Name("Optional" | "Union" | "Annotated"), ast.Tuple(members)):
            return any(is_any(member, aliases) for member in members)
        case ast.Subscript(ast.Name("Optional" | "Union" | "Annotated"), member):
            return is_any(member, aliases)
    return False


def any_aliases(tree: ast.Module) -> frozenset[str]:
    """Names that a module gives to `Any`."""
    found = set()
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, value):
                if not isinstance(value, ast.Constant) and is_any(value):
                    found.add(name)
    return frozenset(found)


def public_functions(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body, f"{owner}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            special = node.name.startswith("__") and node.name.endswith("__")
            if special or not node.name.startswith("_"):
                yield owner + node.name, node


def untyped(text: str) -> list[str]:
    """Parameters of public functions and methods that are `Any`, as `function: parameter`."""
    tree = ast.parse(text)
    aliases = any_aliases(tree)
    return [
        f"{name}: {argument.arg}"
        for name, function in public_functions(tree.body)
        for given in [function.args]
        for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg)
        if argument is not None and is_any(argument.annotation, aliases)
    ]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_public_parameters_are_typed(path):
    assert untyped(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "annotation", ["Any", "typing.Any", "Any | None", "np.ndarray | Any", "Optional[Any]", "'Any'", "Loose"]
)
def test_any_is_found(annotation):
    text = f"Loose: TypeAlias = Any\nclass Town:\n    def add(self, road: {annotation}): ...\n"
    assert untyped(text) == ["Town.add: road"]


@pytest.mark.parametrize(
    "annotation", ["Road", "dict[str, Any]", "list[Any]", "Callable[[Any], float] | None"]
)
def test_what_holds_any_is_allowed(annotation):
    assert untyped(f"def add(road: {annotation}, **extra: Any) -> Any: ...") == []
