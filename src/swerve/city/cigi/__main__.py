"""`python -m swerve.city.cigi`: a stand-in image generator that says what reaches it."""

from __future__ import annotations

import argparse
import time

from .image_generator import ImageGenerator


def main() -> None:
    parser = argparse.ArgumentParser(description="A stand-in image generator that draws nothing")
    parser.add_argument("--port", type=int, default=8004)
    parser.add_argument("--rate", type=float, default=60.0, help="frames a second it asks for")
    options = parser.parse_args()
    with ImageGenerator(options.port, options.rate) as generator:
        print(f"listening on 127.0.0.1:{generator.port}, {options.rate:g} frames a second; Ctrl-C ends it")
        try:
            while True:
                time.sleep(1.0)
                print(
                    f"asked {generator.frame}  host frame {generator.host_frame}  "
                    f"missing {generator.missing}  entities {len(generator.entities)}  "
                    f"messages {generator.messages}"
                )
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
