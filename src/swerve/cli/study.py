"""`swerve study`."""

import typer


def register(app: typer.Typer) -> None:
    pass
