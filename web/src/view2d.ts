// The view from above on a flat canvas, for machines without a GPU.
import type { Camera } from "./camera";
import { lineScale } from "./ground";
import { BRAKE, CONTACT, EMERGENCY, LEFT, PRESENT, RIGHT, STATES, STATE_SHIFT, yawOf, type Frame, type Look, type Place } from "./scene";
import { DASHES, GROUND, LAMPS, MARKS, WIDTHS, themed, zebra, type Handle, type Overlay, type Viewer } from "./viewer";

const BANDS = ["#8bbd9d", "#91c391", "#a5c895", "#b7cc99", "#c6d09c", "#d4d39f", "#d8caa2", "#e0ccb3", "#ebd6ca", "#f6e9e7"];

/** Roads from above are darker than in space, where they are shaded. */
function asphalt(role: string, dark: boolean): string | null {
  return role === "road" || role === "crossing" ? (dark ? themed("#e3e1da", true) : "#d5d2c9") : null;
}

export class View2D implements Viewer {
  readonly flat = true;
  readonly canvas: HTMLCanvasElement;
  private pen: CanvasRenderingContext2D;
  private place: Place | null = null;
  private paths: { path: Path2D; colour: string; wide: number; dash: number[]; fill: boolean }[] = [];
  private raster: HTMLCanvasElement | null = null;
  private looks = new Map<number, Look>();
  private overlays = new Map<string, Overlay>();
  private handles: Handle[] = [];
  private dark = false;
  private scale = 1;
  private middle: [number, number] = [0, 0];

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d")!;
  }

  setPlace(place: Place): void {
    this.place = place;
    this.raster = place.relief ? this.shaded(place) : null;
    this.paths = [];
    const ring = (points: number[], close: boolean) => {
      const path = new Path2D();
      for (let k = 0; k < points.length; k += 3) path[k ? "lineTo" : "moveTo"](points[k], points[k + 1]);
      if (close) path.closePath();
      return path;
    };
    for (const [role, colour, points] of place.areas) {
      if (place.relief && role.startsWith("height")) continue;
      this.paths.push({ path: ring(points, true), colour: asphalt(role, this.dark) ?? themed(colour, this.dark), wide: 0, dash: [], fill: true });
      if (role === "crossing")
        for (const stripe of zebra(points)) this.paths.push({ path: ring(stripe, true), colour: this.dark ? "#c4cad1" : "#ffffff", wide: 0, dash: [], fill: true });
    }
    const lines = lineScale(place);
    for (const [role, colour, points] of place.lines) {
      const shown = MARKS.has(role) ? (this.dark ? "#9aa5b1" : "#ffffff") : themed(colour, this.dark);
      this.paths.push({ path: ring(points, false), colour: shown, wide: (WIDTHS[role] ?? 0.15) * lines, dash: DASHES[role] ?? [], fill: false });
    }
  }

  private shaded(place: Place): HTMLCanvasElement {
    const relief = place.relief!, rows = relief.heights.length, columns = relief.heights[0].length;
    const made = document.createElement("canvas");
    made.width = columns;
    made.height = rows;
    const pen = made.getContext("2d")!, flat = relief.heights.flat();
    const low = Math.min(...flat), high = Math.max(...flat);
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) {
        const h = relief.heights[i][j];
        pen.fillStyle = BANDS[Math.min(Math.floor((10 * (h - low)) / Math.max(high - low, 1e-6)), 9)];
        pen.fillRect(j, rows - 1 - i, 1, 1);
      }
    return made;
  }

  setLooks(looks: Map<number, Look>): void {
    this.looks = looks;
  }

  setTheme(dark: boolean): void {
    this.dark = dark;
    if (this.place) this.setPlace(this.place);
  }

  setOverlay(name: string, overlay: Overlay | null): void {
    if (overlay) this.overlays.set(name, overlay);
    else this.overlays.delete(name);
  }

  setHandles(handles: Handle[]): void {
    this.handles = handles;
  }

  busy(): boolean {
    return false;
  }

  draw(frame: Frame | null, camera: Camera): void {
    const { canvas, pen } = this, ratio = Math.min(window.devicePixelRatio, 2);
    const wide = canvas.clientWidth, high = canvas.clientHeight;
    if (canvas.width !== Math.floor(wide * ratio)) canvas.width = Math.floor(wide * ratio);
    if (canvas.height !== Math.floor(high * ratio)) canvas.height = Math.floor(high * ratio);
    this.scale = (1.05 * high) / camera.distance;
    this.middle = [camera.target[0], camera.target[1]];
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = this.dark ? GROUND.dark : GROUND.light;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    const s = this.scale * ratio;
    pen.setTransform(s, 0, 0, -s, (wide / 2) * ratio - this.middle[0] * s, (high / 2) * ratio + this.middle[1] * s);
    if (!this.place?.relief) this.grid(wide, high);
    if (this.raster && this.place?.relief) {
      const [x0, y0, x1, y1] = this.place.relief.extent;
      pen.save();
      pen.transform(1, 0, 0, -1, 0, y0 + y1);
      pen.globalAlpha = this.dark ? 0.45 : 1;
      pen.drawImage(this.raster, x0, y0, x1 - x0, y1 - y0);
      pen.restore();
    }
    for (const { path, colour, wide: w, dash, fill } of this.paths) {
      if (fill) {
        pen.fillStyle = colour;
        pen.fill(path);
      } else {
        pen.strokeStyle = colour;
        pen.lineWidth = Math.max(w, 1.2 / this.scale);
        pen.setLineDash(dash);
        pen.stroke(path);
      }
    }
    pen.setLineDash([]);
    if (frame) this.bodies(frame);
    for (const overlay of this.overlays.values()) this.drawOverlay(overlay);
    for (const handle of this.handles) {
      pen.fillStyle = themed(handle.colour, this.dark);
      pen.beginPath();
      pen.arc(handle.x, handle.y, 7 / this.scale, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  /** Lines on the ground, 60 to 150 pixels apart: without them one does not see that everybody moves. */
  private grid(wide: number, high: number): void {
    const { pen, scale, middle } = this, decade = 10 ** Math.floor(Math.log10(60 / scale));
    const cell = decade * ([1, 2, 5, 10].find((k) => k * decade * scale >= 60) ?? 10);
    const [x0, x1] = [middle[0] - wide / 2 / scale, middle[0] + wide / 2 / scale];
    const [y0, y1] = [middle[1] - high / 2 / scale, middle[1] + high / 2 / scale];
    pen.strokeStyle = this.dark ? "#29323d" : "#dfdcd2";
    pen.lineWidth = 1 / scale;
    pen.beginPath();
    for (let x = cell * Math.ceil(x0 / cell); x < x1; x += cell) {
      pen.moveTo(x, y0);
      pen.lineTo(x, y1);
    }
    for (let y = cell * Math.ceil(y0 / cell); y < y1; y += cell) {
      pen.moveTo(x0, y);
      pen.lineTo(x1, y);
    }
    pen.stroke();
  }

  private drawOverlay(overlay: Overlay): void {
    const { pen } = this, p = overlay.segments;
    pen.strokeStyle = themed(overlay.colour, this.dark);
    pen.lineWidth = (overlay.wide ?? 1.2) / this.scale;
    pen.beginPath();
    for (let k = 0; k + 5 < p.length; k += 6) {
      pen.moveTo(p[k], p[k + 1]);
      pen.lineTo(p[k + 3], p[k + 4]);
    }
    pen.stroke();
  }

  private bodies(frame: Frame): void {
    const { pen } = this, blink = (performance.now() / 450) % 2 < 1;
    for (let k = 0; k < frame.ids.length; k++) {
      if (!(frame.flags[k] & PRESENT)) continue;
      const look = this.looks.get(frame.ids[k]);
      if (!look || look.parent >= 0) continue;
      const x = frame.place[3 * k], y = frame.place[3 * k + 1], flags = frame.flags[k];
      if (look.shape === "light") {
        pen.fillStyle = LAMPS[STATES[flags >> STATE_SHIFT] ?? ""] ?? "#777777";
        pen.beginPath();
        pen.arc(x, y, Math.max(0.6, 2.2 / this.scale), 0, 2 * Math.PI);
        pen.fill();
        continue;
      }
      const least = 3 / this.scale, long = Math.max(look.size[0], least), wide = Math.max(look.size[1], least / 2);
      pen.save();
      pen.translate(x, y);
      pen.rotate(yawOf(frame, k));
      pen.fillStyle = flags & CONTACT ? "#ff2d46" : look.colour;
      pen.beginPath();
      if (look.shape === "cycle") {
        pen.fillStyle = this.dark ? "#aab4be" : "#23272b";
        pen.fillRect(-long / 2, -0.08 * wide, long, 0.16 * wide);
        pen.fillStyle = flags & CONTACT ? "#ff2d46" : look.colour;
        pen.ellipse(-0.04 * long, 0, 0.2 * long, 0.42 * wide, 0, 0, 2 * Math.PI);
      } else if (look.shape === "disc" || look.shape === "person") pen.ellipse(0, 0, long / 2, wide / 2, 0, 0, 2 * Math.PI);
      else pen.roundRect(-long / 2, -wide / 2, long, wide, look.shape === "vehicle" ? 0.35 : 0);
      pen.fill();
      if (look.shape === "vehicle" && this.scale > 3) {
        pen.fillStyle = "#2a3a46";
        pen.fillRect(0.04 * long, -0.4 * wide, 0.14 * long, 0.8 * wide);
        pen.fillRect(-0.38 * long, -0.38 * wide, 0.1 * long, 0.76 * wide);
        const lamp = (x: number, side: number, colour: string) => {
          pen.fillStyle = colour;
          pen.fillRect(x - 0.12, side * 0.36 * wide - 0.18, 0.24, 0.36);
        };
        for (const side of [1, -1]) {
          if (flags & BRAKE) lamp(-0.48 * long, side, "#ff2222");
          if (flags & (side > 0 ? LEFT : RIGHT) && blink) for (const end of [0.47, -0.47]) lamp(end * long, side, "#ffa51f");
          if (flags & EMERGENCY) lamp(-0.05 * long, 0.6 * side, side > 0 === blink ? "#2a62ff" : "#9bb4ff");
        }
      }
      pen.restore();
    }
  }

  project(x: number, y: number): [number, number] {
    const { clientWidth, clientHeight } = this.canvas;
    return [clientWidth / 2 + (x - this.middle[0]) * this.scale, clientHeight / 2 - (y - this.middle[1]) * this.scale];
  }

  ground(px: number, py: number): [number, number] {
    const { clientWidth, clientHeight } = this.canvas;
    return [this.middle[0] + (px - clientWidth / 2) / this.scale, this.middle[1] - (py - clientHeight / 2) / this.scale];
  }

  dispose(): void {
    this.paths = [];
  }
}
