"""The page in a browser, against the real server: every room opens, does what it is for, and shows it."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from conftest import enter, pixels_of, shot, until

T = "studio.theatre"


def colours(pixels, colour, within=14):
    """How many pixels of the stage are about that colour."""
    wanted = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)])
    return int((np.abs(pixels[60:660, :830] - wanted).max(-1) < within).sum())


def seen_before(page, seen, seconds=30.0):
    """Wait until something is seen: a camera takes its time to get near, longer where drawing is slow."""
    for _ in range(int(seconds / 0.5)):
        if seen():
            return
        page.wait_for_timeout(500)
    raise AssertionError(f"not seen within {seconds} s")


def drawn_again(page):
    """Wait until the stage has been drawn as it is now."""
    count = page.evaluate(f"{T}.redraw(), {T}.drawn")
    until(page, f"{T}.drawn > {count}")


def test_the_page_is_small_and_names_no_host(built):
    from swerve.studio.server import page_folder

    files = [path for path in page_folder().rglob("*") if path.suffix in (".js", ".css", ".html")]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 400_000
    assert b'src="http' not in (page_folder() / "index.html").read_bytes()


def test_recordings_play_scrub_and_compare(page3d, studio):
    page = page3d
    enter(page, studio, "recordings?file=slow.parquet")
    until(page, f"{T}.time > 0.5")
    page.keyboard.press("Space")
    until(page, f"!{T}.playing")
    before = page.evaluate(f"{T}.time")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{T}.time") == pytest.approx(before + 1.0, abs=1e-6)
    place = page.evaluate(f"(() => {{ {T}.seek(4); const f = {T}.frame(); return [...f.place] }})()")
    assert place == pytest.approx([30 * np.cos(4 / 3), 30 * np.sin(4 / 3), 0.7], abs=2e-3)
    page.keyboard.press("c")
    assert page.evaluate(f"{T}.camera.mode") == "follow"
    seen_before(page, lambda: colours(shot(page, "recordings"), "#d1495b", 60) > 200)  # the car's paint, lit
    enter(page, studio, "recordings?file=slow.parquet&against=quick.parquet")
    until(page, f"{T}.tapes.length == 2")
    assert page.locator("table.figures >> nth=0").inner_text().count("m/s") == 2
    assert page.evaluate(f"{T}.place.areas.length") == 1  # both have the same road
    red, green, blue = np.moveaxis(pixels_of(page.locator(".chart canvas").screenshot()), -1, 0)
    for curve in ((red - green > 30) & (red - blue > 10), (blue - green > 15) & (blue - red > 5)):
        assert curve.any(axis=0).mean() > 0.7  # both are whole, though their times are others


def test_flat_and_dark_show_the_same_car(page, studio):
    enter(page, studio, "recordings?file=slow.parquet")
    until(page, f"{T}.tapes.length == 1")
    page.keyboard.press("Space")
    page.keyboard.press("t")
    assert page.evaluate(f"{T}.viewer.flat") is True
    page.evaluate(f"{T}.place = {{ ...{T}.place, areas: [] }}, {T}.whole()")  # its way is seen, not its start
    drawn_again(page)
    corners = [page.evaluate(f"{T}.viewer.project({x}, {y}, 0)") for x in (-29, 29) for y in (-20, 29)]
    wide, high = page.evaluate(f"[{T}.root.clientWidth, {T}.root.clientHeight]")
    assert all(0 < x < wide and 0 < y < high for x, y in corners)
    page.wait_for_timeout(300)
    seen = shot(page, "flat-dark")
    assert colours(seen, "#d1495b") > 20 and colours(seen, "#2c333c", 4) > 1000  # the car on a dark road


def test_a_recording_far_from_zero_is_shown_near_it(page, studio):
    """Map coordinates are millions of metres, of which a view's numbers would keep half a metre."""
    enter(page, studio, "recordings?file=far.parquet")
    until(page, f"{T}.tapes.length == 1")
    page.evaluate(f"{T}.playing = false, {T}.seek(4)")
    place = page.evaluate(f"[...{T}.frame().place].map((v, k) => v + {T}.tapes[0].shift[k])")
    x, y = 500_000 + 30 * np.cos(4 / 3), 5_600_000 + 30 * np.sin(4 / 3)
    assert place == pytest.approx([x, y, 0.7], abs=2e-3, rel=0)
    drawn_again(page)
    assert colours(shot(page, "far"), "#d1495b", 30) > 20
    enter(page, studio, "recordings?file=far.parquet&against=slow.parquet")
    until(page, f"{T}.tapes.length == 2 && {T}.place.areas.length == 2")  # each has its road
    there = page.evaluate(f"{T}.place.areas[1][2].slice(0, 2).map((v, k) => v + {T}.tapes[0].shift[k])")
    assert there == pytest.approx([35.0, 0.0], abs=0.5)


def test_a_button_is_called_what_is_written_on_it(page, studio):
    enter(page, studio, "recordings?file=slow.parquet")
    page.get_by_text("Take it with you").click()
    for name in ("Whole", "Export", "Pause", "Dark or light (t)"):
        assert page.get_by_role("button", name=name, exact=True).count() == 1
    page.get_by_text("Take it with you").click()


def test_whole_shows_the_whole_from_above_too(page, studio):
    enter(page, studio, "scenes?scene=ring.yaml&seed=1")
    until(page, f"{T}.time > 0.2")
    page.evaluate(f"{T}.setCamera('top')")
    page.keyboard.press("0")
    drawn_again(page)
    corners = [page.evaluate(f"{T}.viewer.project({x}, {y}, 0)") for x in (0, 40) for y in (0, 30)]
    wide, high = page.evaluate(f"[{T}.root.clientWidth, {T}.root.clientHeight]")
    assert all(0 < x < wide and 0 < y < high for x, y in corners)


def test_a_scene_runs_live_and_stops_when_told(page, studio):
    enter(page, studio, "scenes?scene=ring.yaml&seed=1")
    until(page, f"{T}.time > 0.5")
    assert page.evaluate(f"{T}.looks.size") == 5
    page.get_by_title("Play or pause").click()
    until(page, "document.querySelector('.play').textContent == 'Play'")
    held = page.evaluate(f"{T}.time")
    page.wait_for_timeout(500)
    assert page.evaluate(f"{T}.time") - held < 0.2
    shot(page, "scenes")
    assert "contacts" in page.locator(".side").inner_text()
    enter(page, studio, "scenes?scene=ring.yaml")
    until(page, "studio.address().includes('seed=7')")  # the file's own


def spent(pid):
    """Ticks of CPU time of a process."""
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().split()[13:15]))


def test_a_killed_worker_is_reported_and_replaced(page, studio):
    import os
    import signal

    enter(page, studio, "scenes?scene=ring.yaml&seed=2")
    until(page, f"{T}.time > 0.2")
    busy = max(studio.workers(), key=spent)
    os.kill(busy, signal.SIGKILL)
    until(page, "document.body.dataset.worker == 'restarted'")
    assert "started again" in page.locator(".note").inner_text()
    page.wait_for_selector("body[data-opened='scenes']")
    until(page, f"{T}.time > 0.3 && {T}.time < 30")


SLOW_SOCKET = """{
  const Quick = WebSocket;
  window.WebSocket = class extends Quick {
    late = false;
    get readyState() { return this.late ? super.readyState : Quick.CONNECTING; }
    set onopen(done) { super.onopen = () => setTimeout(() => { this.late = true; done(); }, 1500); }
  };
  window.WebSocket.OPEN = Quick.OPEN;
}"""


def test_two_pages_do_not_mix(browser, page, studio):
    """The second one gets its connection later than what to choose from: it opens its room all the same."""
    other = browser.new_context(device_scale_factor=0.5).new_page()
    other.add_init_script(SLOW_SOCKET)
    enter(page, studio, "scenes?scene=ring.yaml&seed=3")
    enter(other, studio, "recordings?file=slow.parquet")
    until(other, f"{T}.tapes.length == 1")
    until(page, f"{T}.time > 0.4")
    assert page.evaluate(f"{T}.looks.size") == 5 and other.evaluate(f"{T}.looks.size") == 1
    assert page.evaluate(f"{T}.place.title") == "Carts on a ring"
    assert other.evaluate(f"{T}.place.title") == "circle"
    other.context.close()


def test_the_standalone_page_plays_offline(browser, tmp_path, built):
    from conftest import circle
    from swerve.core.show.page3d import write_page3d

    file = write_page3d(circle(), tmp_path / "circle.html")
    context = browser.new_context(offline=True, device_scale_factor=0.5)
    page, words = context.new_page(), []
    page.on("console", lambda message: words.append(message.text))
    page.on("pageerror", lambda error: words.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready='yes']")
    page.wait_for_timeout(600)
    seen = shot(page, "standalone")
    context.close()
    assert not words and colours(seen, "#e3e1da", 25) > 1000


def test_pages_in_space_say_what_the_recording_tells(browser, tmp_path, built):
    from conftest import circle
    from swerve.core.show.page3d import write_page3d

    plain = circle()
    words = [{"label": "signal", "steps": [[0.0, "<go>"], [4.0, "stop"]]}]
    told = type(plain)(plain.columns, {**plain.meta, "captions": words})
    page = browser.new_page(device_scale_factor=0.5)
    for recording, rows in ((plain, 0), (told, 1)):
        page.goto(write_page3d(recording, tmp_path / f"{rows}.html").as_uri() + "#flat")
        page.wait_for_selector("body[data-ready='yes']")
        assert page.locator(".captions div").count() == rows
    for seconds, text in ((0, "<go>"), (5, "stop")):
        for _ in range(seconds):
            page.keyboard.press("ArrowRight")
        page.wait_for_function(f"document.querySelector('.captions dd').textContent === '{text}'")
    assert page.locator(".captions").is_visible()
    page.close()


SPEED = f"""(() => {{ const f = {T}.frame(); return f.speed[f.ids.indexOf({T}.place.ego)] }})()"""
REACTIONS = f"""() => {{
  window.reactions = {{}};
  const T = {T}, of = (f) => f.speed[f.ids.indexOf(T.place.ego)], show = T.show.bind(T);
  let asked = null, was = 0, what = "";
  const begin = (kind) => {{ asked = T.time; was = of(T.frame()); what = kind; }};
  const {{ signal }} = (window.watching = new AbortController()), how = {{ capture: true, signal }};
  signal.onabort = () => delete T.show;
  addEventListener("keydown", (event) => !event.repeat && begin("down"), how);
  addEventListener("keyup", () => begin("up"), how);
  addEventListener("blur", () => begin("blur"), how);
  T.show = (frame) => {{
    show(frame);
    const now = of(frame), slower = now < was;
    if (what !== "down") was = Math.max(was, now);
    if (asked !== null && (what === "down" ? now > was + 0.02 : slower)) {{
      window.reactions[what] = frame.t - asked;
      asked = null;
    }}
  }};
}}"""


def test_the_car_follows_the_keys_within_a_tenth_of_a_second_and_stops_when_they_are_let_go(page, studio):
    """By the world's clock: what the machine is busy with otherwise does not count."""
    enter(page, studio, "race?track=sharp-cornered&tree=five&rival=no")
    until(page, f"{T}.time > 0.3 && {T}.place.ego !== undefined")
    page.evaluate(REACTIONS)
    best = {}
    for _ in range(8):  # a machine that is busy may miss some
        for end in ("up", "blur"):
            page.keyboard.down("ArrowUp")
            until(page, f"window.reactions.down !== undefined && {SPEED} > 2")
            if end == "up":
                page.keyboard.up("ArrowUp")
            else:
                page.evaluate("window.dispatchEvent(new Event('blur'))")
            until(page, f"window.reactions.{end} !== undefined && {SPEED} < 1.5")
            page.keyboard.up("ArrowUp")
            for name, took in page.evaluate("window.reactions").items():
                best[name] = min(took, best.get(name, took))
            page.evaluate("window.reactions = {}")
        if max(best.values()) < 0.1:
            break
    page.evaluate("window.watching.abort()")
    assert set(best) == {"down", "up", "blur"} and max(best.values()) < 0.1, best


def test_the_race_shows_the_planner_its_tree_and_cars_that_were_added(page3d, studio):
    page = page3d
    enter(page, studio, "race?track=sharp-cornered")
    until(page, f"{T}.time > 0.5 && {T}.overlays.has('route')")
    page.get_by_title("Put a standing car on the road ahead").click()
    until(page, f"[...{T}.looks.values()].filter((look) => look.parent < 0).length == 3")
    page.get_by_text("Clips of your own").click()
    page.get_by_title("Record what you drive, or stop recording").click()
    page.keyboard.down("ArrowUp")
    until(page, f"{SPEED} > 3")
    page.keyboard.up("ArrowUp")
    page.get_by_title("Record what you drive, or stop recording").click()
    until(page, "document.querySelector('#fit').textContent.includes(' s, from ')")
    shot(page, "race")
    assert "planner" in page.locator(".side").inner_text()


def test_a_point_is_dragged_on_the_mountain(page, studio):
    enter(page, studio, "terrain?map=mountain")
    until(page, f"{T}.handles.length == 6 && document.querySelector('#facts tr')")
    drawn_again(page)
    before = page.locator("#facts").inner_text()
    x, y = page.evaluate(
        f"(() => {{ const h = {T}.handles[3]; return {T}.viewer.project(h.x, h.y, h.z) }})()"
    )
    box = page.locator(".theatre canvas").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + 40, box["y"] + y + 25, steps=5)
    page.mouse.up()
    until(page, f"document.querySelector('#facts').innerText != {before!r}")
    shot(page, "terrain")
    bent = page.locator("#facts").inner_text()
    assert bent != before
    for key in ("n", "n", "Shift+ArrowUp", "ArrowRight"):  # and by keyboard
        page.keyboard.press(key)
    until(page, f"document.querySelector('#facts').innerText != {bent!r}")
    page.get_by_title("Put an obstacle on the path").click()
    until(page, f"{T}.handles.length == 7")
    kept = page.evaluate(f"[studio.address(), {T}.handles.map((h) => [h.x, h.y])]")
    enter(page, studio, "recordings?file=slow.parquet")
    page.goto(kept[0])
    until(page, f"{T}.handles.length == 7")  # what was bent is in the link
    assert np.allclose(page.evaluate(f"{T}.handles.map((h) => [h.x, h.y])"), kept[1], atol=0.1)


def test_a_tree_grows_and_the_solution_plays(page, studio):
    enter(page, studio, "tactics?domain=minigolf-one-bounce&seed=3")
    page.get_by_title("Grow the tree").click()
    until(page, f"{T}.tapes.length == 1", 120)
    page.wait_for_timeout(300)
    assert page.evaluate(f"{T}.camera.distance") < 8  # a course of a few metres fills the stage
    shot(page, "tactics")
    assert "Solved" in page.locator("#growth").inner_text()


def test_a_course_is_built_with_the_mouse(page, studio):
    enter(page, studio, "tactics?domain=minigolf&seed=1")
    until(page, f"{T}.frame() && {T}.place.course")
    page.get_by_title("Build a course with the mouse").click()
    drawn_again(page)
    box = page.locator(".theatre canvas").bounding_box()

    def drag(start, goal):
        for k, place in enumerate((start, goal)):
            x, y = page.evaluate(f"{T}.viewer.project({place[0]}, {place[1]}, 0)")
            page.mouse.move(box["x"] + x, box["y"] + y, steps=1 + 3 * k)
            page.mouse.up() if k else page.mouse.down()

    drag((0.8, 0.3), (0.9, 0.7))
    until(page, f"{T}.place.course.walls.length == 1")
    drag((2.25, 0.32), (2.0, 1.3))
    until(page, f"Math.abs({T}.place.course.hole[1] - 1.3) < 0.05")
    assert page.evaluate(f"{T}.place.course.walls[0]") == pytest.approx([0.8, 0.3, 0.9, 0.7], abs=0.03)
    drag((0.85, 0.5), (0.85, 0.5))
    until(page, f"{T}.place.course.walls.length == 0")
    page.keyboard.press("w")
    until(page, f"{T}.place.course.walls.length == 1")
    left = page.evaluate(f"{T}.place.course.walls[0][0]")
    page.keyboard.press("ArrowLeft")
    until(page, f"Math.abs({T}.place.course.walls[0][0] - {left} + 0.05) < 0.001")
    page.keyboard.press("Delete")
    until(page, f"{T}.place.course.walls.length == 0")
    ball = page.evaluate(f"{T}.place.course.ball")
    page.keyboard.press("n")
    page.keyboard.press("ArrowUp")
    until(page, f"Math.abs({T}.place.course.ball[1] - {ball[1]} - 0.05) < 0.001")
    page.get_by_title("A turning bar, or none").click()
    until(page, f"{T}.place.course.bar === null && {T}.looks.size == 2")
    shot(page, "course")
    hole = page.evaluate(f"{T}.place.course.hole")
    page.reload()
    until(page, f"window.studio && {T}.frame() && {T}.place.course")
    assert page.evaluate(f"{T}.place.course.hole") == pytest.approx(hole)
    assert page.evaluate(f"{T}.place.course.bar") is None


def test_a_herd_rides_and_its_controller_is_switched(page, studio):
    enter(page, studio, "riders?riders=6&full=2&seed=1")
    until(page, f"{T}.time > 0.3")
    page.get_by_label("Controller").select_option("simple")
    until(page, "[...document.querySelectorAll('td')].some((cell) => cell.textContent == 'simple')")
    torsos = f"[...{T}.looks.values()].filter((look) => look.part == 'torso').map((look) => look.colour)"
    assert "#d1495b" in page.evaluate(torsos)  # who is in full physics wears red
    shot(page, "riders")
    assert "simple" in page.locator("td").all_inner_texts()


LONGEST_SIDE = f"""Math.max(...{T}.viewer.around.children.map((mesh) => {{
  if (mesh.material.map) return 0;
  const p = mesh.geometry.attributes.position;
  let most = 0;
  for (let k = 0; k < p.count; k++) {{
    const next = k % 3 == 2 ? k - 2 : k + 1;
    most = Math.max(most, Math.hypot(p.getX(k) - p.getX(next), p.getY(k) - p.getY(next)));
  }}
  return most;
}}))"""


def test_one_drives_in_the_city_calls_a_pedestrian_and_reads_its_mind(page3d, studio):
    page = page3d
    page.evaluate(f"{T}.camera.distance = 1.5")  # as a minigolf course leaves it
    enter(page, studio, "city?vehicles=12&people=4&seed=3")
    until(page, f"{T}.time > 0.2")
    count = page.evaluate(f"{T}.frame().ids.length")
    page.get_by_title("Somebody steps into the street ahead").click()
    until(page, f"{T}.frame().ids.length == {count + 1}")
    page.wait_for_timeout(500)
    assert 8 < page.evaluate(f"{T}.camera.distance") < 40  # behind the car, neither in it nor above the town
    people = f"{T}.frame().ids.filter((id) => {T}.looks.get(id)?.shape == 'person')"
    page.evaluate(f"{T}.pointing.body(Math.min(...{people}))")
    until(page, "document.querySelectorAll('#mind tr').length > 3")
    shot(page, "city")
    assert 60 < page.evaluate(LONGEST_SIDE) < 121  # over larger triangles some machines lose depth
    page.keyboard.down("ArrowDown")
    until(page, "document.querySelector('.side').innerText.includes('You braked')")
    page.keyboard.up("ArrowDown")
    assert page.evaluate(f"{T}.frame().ids.length") >= count + 1
