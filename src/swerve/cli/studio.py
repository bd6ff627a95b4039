"""`swerve studio`: the web studio."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command("studio", epilog="Example: swerve studio --open --folder out")(studio)


def studio(
    host: Annotated[
        str, typer.Option(help="Address to listen at; one that others can reach asks for a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8350,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    folder: Annotated[Path, typer.Option(help="Where recordings and scene files are opened from.")] = Path(
        "."
    ),
    prepare: Annotated[
        bool,
        typer.Option(help="Load every room once before it is asked for: pages then open quickly."),
    ] = True,
) -> None:
    """See worlds, drive in them, bend them and take them along, in a web page.

    Needs the extra `studio` (pip install 'swerve[studio]'). Ctrl-C ends it.
    """
    from swerve.core.errors import BadInput
    from swerve.studio.folder import Folder

    Folder(folder)
    try:
        from swerve.studio.server import is_built, serve
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "uvicorn", "starlette"):
            raise
        raise BadInput("studio", None, "needs FastAPI: pip install 'swerve[studio]'") from error
    if not is_built():
        raise BadInput("studio", None, "the page is not built; in a clone of the repository run: make page")
    serve(folder, host, port, open_page, prepare)
