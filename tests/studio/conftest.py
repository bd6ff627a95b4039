"""A studio that runs: the real server as a process of its own, with a folder of recordings and scenes."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest

from swerve.core.recording import Recording

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    *(
        "--no-sandbox",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-sync",
    ),
    *(
        "--disable-component-update",
        "--use-gl=angle",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
    ),
]
STAGES = []  # the one that is open
RING = """
name: Carts on a ring
seconds: 60
seed: 7
ways: {ring: {points: [[0, 0], [40, 0], [40, 30], [0, 30]], closed: true}}
bodies: [{kind: cart, count: 5, size: [2, 1, 1], way: ring, spacing: 15, speed: 8}]
"""


def circle(speed=10.0, radius=30.0, seconds=12.0, middle=(0.0, 0.0), step=0.1):
    """A car that drives round and round, ten frames a second."""
    t = np.arange(0.0, seconds, step)
    angle = speed / radius * t
    pose = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), angle + np.pi / 2])
    velocity = speed * np.column_stack([-np.sin(angle), np.cos(angle)])
    ring = np.linspace(0, 2 * np.pi, 60)
    road = np.vstack([np.outer(r, [1]) * np.column_stack([np.cos(a), np.sin(a)]) for r, a in (
        (np.full(60, radius + 5), ring), (np.full(60, radius - 5), ring[::-1]))])  # fmt: skip
    pose[:, :2] += middle
    road += middle
    meta = {"scene": "circle", "ego": 1, "areas": [{"points": road.tolist(), "role": "road"}]}
    return Recording.planar(t, 1, "car", pose, velocity, (4.2, 1.8, 1.4), 0.7, meta, brake=np.sin(t) > 0)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("studio")
    circle().write(root / "slow.parquet")
    circle(15.0, step=0.07).write(root / "quick.parquet")
    circle(middle=(500_000.0, 5_600_000.0)).write(root / "far.parquet")
    (root / "ring.yaml").write_text(RING)
    (root.parent / "outside.parquet").write_bytes((root / "slow.parquet").read_bytes())
    return root


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == pid:
                found.append(int(entry.name))
        except (OSError, ValueError):
            continue
    return found


class Studio:
    """A server process; `url` is where it is."""

    def __init__(self, folder: Path, *options: str):
        command = [sys.executable, "-m", "swerve", "studio", "--port", "0", "--folder", str(folder), *options]
        command += [] if "--prepare" in options else ["--no-prepare"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.url = re.search(r"http://\S+", line)[0]
        self.port = int(re.search(r":(\d+)/", self.url)[1])
        for _ in range(100):
            try:
                urlopen(f"http://127.0.0.1:{self.port}/api/health", timeout=5)
                break
            except OSError as error:
                if getattr(error, "code", None) == 403:
                    break
                time.sleep(0.1)

    @property
    def socket(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    def workers(self) -> list[int]:
        """Process numbers of the worker processes."""
        return [number for own in self.nurseries() for number in children(own)]

    def nurseries(self) -> list[int]:
        """The process that workers come from."""
        return [
            n for n in children(self.process.pid) if b"spawn_main" in Path(f"/proc/{n}/cmdline").read_bytes()
        ]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


@pytest.fixture(scope="session")
def built():
    """The page, or a reason to skip."""
    from swerve.studio.server import is_built

    if not is_built():
        pytest.skip("the studio's page is not built (no Node): make page")


@pytest.fixture(scope="session")
def studio(folder, built):
    running = Studio(folder)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium, or a reason to skip."""
    if CHROMIUM is None:
        pytest.skip("no chromium on PATH")
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


class Stage:
    """One page for all tests, so that one worker process serves them and the page is loaded once."""

    def __init__(self, browser, studio):
        self.context = browser.new_context(viewport={"width": 1180, "height": 720}, device_scale_factor=0.5)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.words, self.foreign = [], []
        self.page.on("console", lambda message: self.words.append(message.text))
        self.page.on("pageerror", lambda error: self.words.append(str(error)))
        self.page.on("request", lambda request: self.asked(request.url, studio))
        self.page.goto(f"{studio.url}#recordings")

    def asked(self, url: str, studio: Studio) -> None:
        if is_foreign(url, studio):
            self.foreign.append(url)


@pytest.fixture(scope="session")
def stage(browser, studio):
    made = Stage(browser, studio)
    STAGES.append(made)
    yield made
    made.context.close()


def pytest_runtest_teardown(item, nextitem):
    """A room goes on as long as it is looked at: leave it when other wings' tests follow."""
    if STAGES and (nextitem is None or nextitem.path.parent != item.path.parent):
        STAGES[0].page.goto("about:blank")


@pytest.fixture
def page(stage):
    """The page, on a flat canvas and light: software draws 3-D slowly. What its console says and what it asks
    for must be clean."""
    stage.page.evaluate("window.studio.show({ flat: true, theme: 'light' })")
    yield stage.page
    assert not stage.words and not stage.foreign


@pytest.fixture
def page3d(page):
    """The same, in 3-D."""
    page.evaluate("window.studio.show({ flat: false, theme: 'light' })")
    return page


def is_foreign(url: str, studio: Studio) -> bool:
    return not url.startswith((f"http://127.0.0.1:{studio.port}/", "data:", "blob:", "about:"))


def enter(page, studio, room: str) -> None:
    """Go to a room and wait until it is open."""
    page.goto(f"{studio.url}#{room}")
    name = room.partition("?")[0]
    page.wait_for_selector(f"body[data-opened='{name}'], body[data-error]:not([data-error=''])")
    assert page.evaluate("document.body.dataset.error") == ""


def shot(page, name: str) -> np.ndarray:
    """What is seen, as pixels (height, width, 3); kept where SWERVE_SHOTS says."""
    data = page.screenshot(scale="css")
    kept = os.environ.get("SWERVE_SHOTS")
    if kept:
        Path(kept).mkdir(parents=True, exist_ok=True)
        (Path(kept) / f"{name}.png").write_bytes(data)
    return pixels_of(data)


def pixels_of(picture: bytes) -> np.ndarray:
    import io

    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(int)


def until(page, expression: str, seconds: float = 60.0):
    """Wait until an expression of the page is true, and give it."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        value = page.evaluate(expression)
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds:g} s: {expression}")
