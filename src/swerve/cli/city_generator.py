"""`swerve city generator`: a stand-in image generator that says what reaches it."""

import time
from typing import Annotated

import typer


def generator(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="UDP port; 0 takes a free one.")] = 8004,
    rate: Annotated[float, typer.Option(min=0.1, max=10_000.0, help="Frames a second it asks for.")] = 60.0,
) -> None:
    """Stand in for an image generator: ask for frames over CIGI, draw nothing, say what comes.

    Ctrl-C ends it.
    """
    from swerve.city.cigi import ImageGenerator
    from swerve.core.errors import BadInput

    try:
        started = ImageGenerator(port, rate)
    except OSError as error:
        raise BadInput("--port", port, f"cannot be listened on ({error.strerror})") from error
    with started as listening:
        print(
            f"listening on 127.0.0.1:{listening.port}, {rate:g} frames a second; Ctrl-C ends it", flush=True
        )
        while True:
            time.sleep(1.0)
            print(
                f"asked {listening.frame}  host frame {listening.host_frame}  "
                f"missing {listening.missing}  entities {len(listening.entities)}  "
                f"messages {listening.messages}",
                flush=True,
            )
