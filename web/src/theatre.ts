// The stage of every room: a view, a camera, frames from a live world or from recordings, and the mouse.
import { Captions } from "./captions";
import { Camera, MODES, type Mode } from "./camera";
import { between, boundsOf, emptyFrame, lookOf, yawOf, type Frame, type Look, type LookRow, type Place } from "./scene";
import type { Tape } from "./tape";
import { View2D } from "./view2d";
import { View3D } from "./view3d";
import type { Handle, Overlay, Viewer } from "./viewer";
import { listen, type Pointing } from "./pointer";
import { GHOST, SHIFT, bothPlaces, joined } from "./beside";

const NOWHERE: Place = { title: "", areas: [], lines: [], relief: null };
const TRUNK = new Set(["torso"]); // where a rider with limbs wears its colour
const CHEAP = 14; // [ms] of a drawing up to which every animation frame is drawn

export class Theatre {
  readonly root = document.createElement("div");
  readonly camera = new Camera();
  readonly looks = new Map<number, Look>();
  viewer!: Viewer;
  place: Place = NOWHERE;
  pointing: Pointing = {};
  handles: Handle[] = [];
  tapes: Tape[] = [];
  time = 0;
  playing = true;
  speed = 1;
  drawn = 0; // frames drawn so far
  drawMs = 0;
  onTime: (t: number) => void = () => undefined;
  onCamera: (mode: Mode) => void = () => undefined;
  private captions = new Captions();
  private overlays = new Map<string, Overlay>();
  private live: [Frame, Frame] | null = null;
  private mixed = emptyFrame(0);
  private arrived = 0;
  private fresh = true;
  private framed = false;
  private last = performance.now();
  private drawnAt = 0;
  private dark = false;

  constructor(flat: boolean, public readonly label = "The scene") {
    this.root.className = "theatre";
    this.setFlat(flat);
    const loop = (now: number) => {
      this.tick(now);
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
    new ResizeObserver(() => (this.fresh = true)).observe(this.root);
  }

  /** Draw on a flat canvas, or in 3-D where that is possible. */
  setFlat(flat: boolean): void {
    this.viewer?.dispose();
    const canvas = document.createElement("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", this.label);
    this.root.replaceChildren(canvas, this.captions.root);
    try {
      this.viewer = flat ? new View2D(canvas) : new View3D(canvas);
    } catch {
      const plain = canvas.cloneNode() as HTMLCanvasElement;
      this.root.replaceChildren(plain, this.captions.root);
      this.viewer = new View2D(plain);
    }
    listen(this);
    this.viewer.setTheme(this.dark);
    this.viewer.setPlace(this.place);
    this.viewer.setLooks(this.looks);
    this.viewer.setHandles(this.handles);
    for (const [name, overlay] of this.overlays) this.viewer.setOverlay(name, overlay);
    this.fresh = true;
  }

  setTheme(dark: boolean): void {
    this.dark = dark;
    this.viewer.setTheme(dark);
    for (const [name, overlay] of this.overlays) this.viewer.setOverlay(name, overlay);
    this.fresh = true;
  }

  /** A new place: what was there before is forgotten. */
  setPlace(place: Place, keepCamera = false): void {
    this.place = place;
    this.viewer.setPlace(place);
    this.captions.show(place.captions ?? []);
    if (!keepCamera) {
      this.framed = false;
      this.camera.mode = "orbit";
      this.onCamera("orbit");
      this.camera.followed = place.ego ?? null;
    }
    this.fresh = true;
  }

  clear(): void {
    this.live = null;
    this.tapes = [];
    this.looks.clear();
    this.handles = [];
    for (const name of [...this.overlays.keys()]) this.setOverlay(name, null);
    this.setHandles([]);
    this.camera.straighten();
    this.setPlace(NOWHERE);
  }

  addLooks(rows: LookRow[]): void {
    for (const row of rows) this.looks.set(row[0], lookOf(row));
    this.viewer.setLooks(this.looks);
  }

  /** Give bodies other colours; who has limbs wears them on the trunk. */
  paint(rows: [number, string][]): void {
    const colours = new Map(rows);
    for (const look of this.looks.values()) {
      const colour = colours.get(look.id) ?? (TRUNK.has(look.part) ? colours.get(look.parent) : undefined);
      if (colour) this.looks.set(look.id, { ...look, colour });
    }
    this.viewer.setLooks(this.looks);
    this.fresh = true;
  }

  setOverlay(name: string, overlay: Overlay | null): void {
    if (overlay) this.overlays.set(name, overlay);
    else this.overlays.delete(name);
    this.viewer.setOverlay(name, overlay);
    this.fresh = true;
  }

  setHandles(handles: Handle[]): void {
    this.handles = handles;
    this.viewer.setHandles(handles);
    this.fresh = true;
  }

  /** A frame of a live world; the one before it is kept to draw what is between. */
  show(frame: Frame): void {
    this.live = this.live && frame.t > this.live[1].t ? [this.live[1], frame] : [frame, frame];
    this.arrived = performance.now();
    this.time = frame.t;
    this.fresh = true;
    this.frameOnce(frame);
    this.onTime(frame.t);
  }

  /** Recordings to play; a second one's bodies get a colour of their own, and its roads are there as well. */
  play(tapes: Tape[]): void {
    this.tapes = tapes;
    this.looks.clear();
    for (const [which, tape] of tapes.entries())
      for (const look of tape.looks)
        this.looks.set(look.id + which * SHIFT, which ? { ...look, id: look.id + SHIFT, parent: look.parent < 0 ? -1 : look.parent + SHIFT, colour: GHOST } : look);
    this.viewer.setLooks(this.looks);
    this.time = tapes[0].start;
    this.setPlace(tapes.length > 1 ? bothPlaces(tapes[0], tapes[1]) : tapes[0].place);
    this.playing = true;
  }

  get end(): number {
    return Math.max(...this.tapes.map((tape) => tape.end), 0);
  }

  get start(): number {
    return this.tapes[0]?.start ?? 0;
  }

  seek(t: number): void {
    this.time = Math.min(Math.max(t, this.start), this.end);
    this.fresh = true;
    this.onTime(this.time);
  }

  frame(): Frame | null {
    if (this.tapes.length) {
      const frames = this.tapes.map((tape) => tape.at(Math.min(this.time, tape.end)));
      return frames.length === 1 ? frames[0] : joined(frames, this.tapes.map((tape) => tape.shift));
    }
    if (!this.live) return null;
    const [a, b] = this.live;
    if (a === b || this.drawMs > CHEAP) return b;
    const span = Math.min(b.t - a.t, 0.25);
    const t = b.t - span + Math.min((performance.now() - this.arrived) / 1000, span);
    if (this.mixed.ids.length !== b.ids.length) this.mixed = emptyFrame(b.ids.length);
    if (t < b.t) this.fresh = true;
    return between(a, b, t, this.mixed);
  }

  cycleCamera(): Mode {
    return this.setCamera(MODES[(MODES.indexOf(this.camera.mode) + 1) % MODES.length]);
  }

  setCamera(mode: Mode): Mode {
    const frame = this.frame();
    if (this.camera.followed === null && frame)
      this.camera.followed = [...frame.ids].find((id) => (this.looks.get(id)?.parent ?? -1) < 0 && this.looks.get(id)?.shape !== "light") ?? null;
    this.camera.mode = mode;
    const row = frame && this.camera.followed !== null ? frame.ids.indexOf(this.camera.followed) : -1;
    if (frame && row >= 0) this.camera.yaw = yawOf(frame, row);
    this.onCamera(mode);
    if (mode === "follow" && this.camera.followed !== null) {
      const long = this.looks.get(this.camera.followed)?.size[0] ?? 4, near = this.camera.distance < 1.5 * long; // of a smaller place
      this.camera.distance = near ? 3 * long : Math.min(this.camera.distance, 6 * Math.max(3, long));
      this.camera.elevation = Math.min(this.camera.elevation, 0.3);
    }
    if (mode === "driver") this.camera.height = this.looks.get(this.camera.followed ?? -1)?.size[2] ?? 1.4;
    this.fresh = true;
    return mode;
  }

  /** All of it from above, going with nobody. */
  above(): void {
    this.camera.mode = "top";
    this.camera.followed = null;
    this.onCamera("top");
    this.whole();
  }

  whole(): void {
    this.camera.mode = this.camera.mode === "top" ? "top" : "orbit";
    if (this.camera.mode === "top") this.camera.followed = null; // or it would go there
    this.framed = false;
    const frame = this.frame();
    if (frame || this.place.areas.length || this.place.relief) this.frameOnce(frame);
    this.fresh = true;
  }

  redraw(): void {
    this.fresh = true;
  }

  private frameOnce(frame: Frame | null): void {
    if (this.framed) return;
    if (frame && (this.camera.mode === "follow" || this.camera.mode === "driver")) {
      this.setCamera(this.camera.mode); // who goes with somebody begins there
      this.framed = true;
      return;
    }
    const [first] = this.tapes, times = first ? [0, 1, 2, 3, 4, 5, 6, 7, 8].map((k) => first.start + (k / 8) * (first.end - first.start)) : [];
    const ways = [boundsOf(this.place, frame), ...times.map((t) => boundsOf(this.place, first.at(t)))]; // all the way, not where it begins
    const [least, most] = [(i: number) => Math.min(...ways.map((way) => way[i])), (i: number) => Math.max(...ways.map((way) => way[i]))];
    const bounds: [number, number, number, number] = [least(0), least(1), most(2), most(3)], heights = this.place.relief?.heights.flat() ?? [0];
    const low = heights.reduce((a, b) => Math.min(a, b)), high = heights.reduce((a, b) => Math.max(a, b));
    const aspect = this.root.clientWidth / Math.max(this.root.clientHeight, 1) || 1.5;
    this.camera.frame(bounds, low, high, aspect, this.viewer.flat);
    this.framed = true;
  }

  private tick(now: number): void {
    const dt = Math.min((now - this.last) / 1000, 0.2);
    this.last = now;
    if (this.tapes.length && this.playing) {
      const next = this.time + dt * this.speed;
      this.time = next > this.end ? this.end : next;
      if (next > this.end) this.playing = false;
      this.fresh = true;
      this.onTime(this.time);
    }
    if (!this.fresh || !this.root.clientWidth || this.viewer.busy()) return;
    if (this.drawMs > CHEAP && now - this.drawnAt < 3 * this.drawMs) return; // leave a slow machine time for the rest
    this.fresh = false;
    this.drawnAt = now;
    this.captions.at(this.time);
    const frame = this.frame();
    if (frame) this.frameOnce(frame);
    else if (this.place.relief) this.frameOnce(null);
    this.camera.update(frame);
    const began = performance.now();
    this.viewer.draw(frame, this.camera);
    this.drawMs += 0.2 * (performance.now() - began - this.drawMs);
    this.drawn++;
    this.root.dataset.drawn = String(this.drawn);
  }

  /** Which handle lies under a pixel. */
  handleAt(px: number, py: number): number {
    let best = -1, least = 18;
    this.handles.forEach((handle, k) => {
      const at = this.viewer.project(handle.x, handle.y, handle.z);
      const far = at ? Math.hypot(at[0] - px, at[1] - py) : Infinity;
      if (far < least) [best, least] = [k, far];
    });
    return best;
  }
}
