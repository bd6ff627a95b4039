"""Errors a user can cause. Each is one line that names the place, the field and the value."""

from enum import Enum


class SwerveError(Exception):
    """Base of everything Swerve raises on purpose; its text is one line for a person."""


class BadInput(SwerveError, ValueError):
    """Input that cannot be used: a file, an option, a field or a value.

    >>> str(BadInput("nodes", 0, "must be at least 1"))
    'nodes: must be at least 1, got 0'
    """

    def __init__(self, what: str, value: object = None, why: str = "cannot be used"):
        if getattr(value, "shape", None) == ():  # a number of NumPy's reads like any other
            value = value.item()  # type: ignore[attr-defined]
        value = value.value if isinstance(value, Enum) else value  # as it was written
        self.what, self.value, self.why = what, value, why.rstrip(" ;:,")
        text = f"{what}: {self.why}" if value is None else f"{what}: {self.why}, got {value!r}"
        super().__init__(" ".join(text.split()))

    def __reduce__(self) -> tuple[type, tuple[str, object, str]]:
        """The same line when it comes out of a worker process."""
        return type(self), (self.what, self.value, self.why)


def require(condition: bool, what: str, value: object, why: str) -> None:
    """Raise `BadInput` unless `condition` holds."""
    if not condition:
        raise BadInput(what, value, why)
