// What a view can do, be it in 3-D or on a flat canvas.
import type { Camera } from "./camera";
import type { Frame, Look, Place } from "./scene";

export interface Overlay {
  segments: ArrayLike<number>; // x y z x y z of every piece
  colour: string;
  wide?: number; // [px]
}

export interface Handle {
  x: number;
  y: number;
  z: number;
  colour: string;
}

export interface Viewer {
  readonly canvas: HTMLCanvasElement;
  readonly flat: boolean;
  setPlace(place: Place): void;
  setLooks(looks: Map<number, Look>): void;
  setOverlay(name: string, overlay: Overlay | null): void;
  setHandles(handles: Handle[]): void;
  setTheme(dark: boolean): void;
  draw(frame: Frame | null, camera: Camera): void;
  /** Whether the last drawing is still being made. */
  busy(): boolean;
  /** Pixels on the canvas of a place, or null behind the eye. */
  project(x: number, y: number, z: number): [number, number] | null;
  /** The place on the ground under a pixel. */
  ground(px: number, py: number): [number, number] | null;
  dispose(): void;
}

export const GROUND = { light: "#eceae3", dark: "#1b2129" };
export const SKY = { light: "#f1f1ec", dark: "#161c24" };
/** Colours of places in the dark; others are kept. */
const DARK: Record<string, string> = {
  "#e3e1da": "#2c333c", "#efece4": "#39414b", "#f6f4ee": "#d9dde2", "#e2ead8": "#26332a", "#dfeadb": "#24352b",
  "#d3e3ea": "#22343f", "#cbc7bd": "#4b5460", "#aeb3b8": "#66707b", "#cfe5d3": "#2a4a36", "#edeae2": "#252c34",
  "#1d2733": "#c9d2dc", "#bdb9ae": "#5b646f", "#cdb58f": "#6b5a3d", "#fbfaf7": "#12161c",
  "#1d4e6f": "#7fb8dc", "#8a5a2b": "#d29a5c",
};

export function themed(colour: string, dark: boolean): string {
  return dark ? (DARK[colour] ?? colour) : colour;
}

/** Stripes [ring of 4 corners as x y z] of a crossing given by its corners: along its shorter way. */
export function zebra(points: number[]): number[][] {
  if (points.length !== 12) return [];
  const p = [0, 1, 2, 3].map((k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]]);
  const side = (a: number[], b: number[]) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  const [a, b, c, d] = side(p[0], p[1]) > side(p[1], p[2]) ? p : [p[1], p[2], p[3], p[0]];
  const long = side(a, b), count = Math.max(2, Math.floor(long / 1.1)), made: number[][] = [];
  const mix = (u: number[], v: number[], s: number) => u.map((value, i) => value + s * (v[i] - value));
  for (let k = 0; k < count; k++) {
    const s0 = (k + 0.25) / count, s1 = (k + 0.75) / count;
    made.push([...mix(a, b, s0), ...mix(a, b, s1), ...mix(d, c, s1), ...mix(d, c, s0)]);
  }
  return made;
}

export const LAMPS: Record<string, string> = {
  red: "#e5383b", amber: "#f7a325", green: "#2fb36a", walk: "#2fb36a", stop: "#e5383b", "red-amber": "#f26a2e",
};
export const WIDTHS: Record<string, number> = { wall: 0.3, centre: 0.14, median: 0.14, line: 0.16, marking: 0.12, finish: 0.6, path: 0.5, goal: 0.3 };
/** Lines that are painted on the ground, in white. */
export const MARKS = new Set(["marking", "centre", "median", "line"]);
export const DASHES: Record<string, [number, number]> = { centre: [3, 4], marking: [3, 6] };
