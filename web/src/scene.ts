// What is shown: a place, bodies with looks, and frames of poses. The same for live worlds and recordings.

export interface Look {
  id: number;
  kind: string;
  part: string;
  parent: number;
  size: [number, number, number];
  shape: string;
  colour: string;
}

export type LookRow = [number, string, string, number, [number, number, number], string, string];

export interface Relief {
  extent: [number, number, number, number];
  heights: number[][];
}

export type Shape = [role: string, colour: string, points: number[]];

export interface Place {
  title: string;
  areas: Shape[];
  lines: Shape[];
  relief: Relief | null;
  ego?: number | null;
  captions?: Caption[];
}

/** A label, and texts that hold from their times to the next; see core/show/captions.py. */
export type Caption = [label: string, at: number[], texts: string[]];

/** Poses of n bodies at one time. `place` is x y z, `turn` is the quaternion x y z w. */
export interface Frame {
  t: number;
  ids: Int32Array;
  place: Float32Array;
  turn: Float32Array;
  speed: Float32Array;
  flags: Uint16Array;
}

export const PRESENT = 1, BRAKE = 2, LEFT = 4, RIGHT = 8, EMERGENCY = 16, CONTACT = 32, STATE_SHIFT = 8;
export const STATES = ["", "red", "amber", "green", "walk", "stop", "red-amber"];

export function lookOf(row: LookRow): Look {
  const [id, kind, part, parent, size, shape, colour] = row;
  return { id, kind, part, parent, size, shape, colour };
}

export function emptyFrame(n: number): Frame {
  return {
    t: 0,
    ids: new Int32Array(n),
    place: new Float32Array(3 * n),
    turn: new Float32Array(4 * n),
    speed: new Float32Array(n),
    flags: new Uint16Array(n),
  };
}

/** A packet of a live world; see studio/frames.py. */
export function readFrame(data: ArrayBuffer): Frame {
  const head = new DataView(data);
  const n = head.getUint32(4, true);
  let at = 16;
  const ids = new Int32Array(data, at, n);
  at += 4 * n;
  const place = new Float32Array(data, at, 3 * n);
  at += 12 * n;
  const small = new Int16Array(data, at, 4 * n);
  at += 8 * n;
  const centimetres = new Int16Array(data, at, n);
  at += 2 * n;
  const flags = new Uint16Array(data, at, n);
  const turn = new Float32Array(4 * n);
  for (let k = 0; k < 4 * n; k++) turn[k] = small[k] / 32767;
  const speed = new Float32Array(n);
  for (let k = 0; k < n; k++) speed[k] = centimetres[k] / 100;
  return { t: head.getFloat64(8, true), ids, place, turn, speed, flags };
}

/** Between two frames of the same bodies; what is not in both, or has jumped, is taken from the later one. */
export function between(a: Frame, b: Frame, t: number, into: Frame): Frame {
  const share = b.t > a.t ? Math.min(Math.max((t - a.t) / (b.t - a.t), 0), 1) : 1;
  const same = a.ids.length === b.ids.length;
  into.t = t;
  for (let k = 0; k < b.ids.length; k++) {
    into.ids[k] = b.ids[k];
    into.flags[k] = b.flags[k];
    into.speed[k] = b.speed[k];
    let s = same && a.ids[k] === b.ids[k] && a.flags[k] & PRESENT ? share : 1;
    const gap = s < 1 ? Math.hypot(a.place[3 * k] - b.place[3 * k], a.place[3 * k + 1] - b.place[3 * k + 1]) : 0;
    if (gap > 4 * Math.max(b.speed[k] * Math.abs(b.t - a.t), 1.5)) s = 1;
    for (let i = 3 * k; i < 3 * k + 3; i++) into.place[i] = s * b.place[i] + (1 - s) * a.place[i];
    let dot = 0;
    for (let i = 4 * k; i < 4 * k + 4; i++) dot += a.turn[i] * b.turn[i];
    const sign = s < 1 && dot < 0 ? -1 : 1;
    let size = 0;
    for (let i = 4 * k; i < 4 * k + 4; i++) {
      const value = s * b.turn[i] + (s < 1 ? sign * (1 - s) * a.turn[i] : 0);
      into.turn[i] = value;
      size += value * value;
    }
    size = Math.sqrt(size) || 1;
    for (let i = 4 * k; i < 4 * k + 4; i++) into.turn[i] /= size;
  }
  return into;
}

/** Heading [rad] of row k. */
export function yawOf(frame: Frame, k: number): number {
  const [x, y, z, w] = frame.turn.subarray(4 * k, 4 * k + 4);
  return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

/** x0, y0, x1, y1 and the heights of what there is to see. */
export function boundsOf(place: Place, frame: Frame | null): [number, number, number, number] {
  let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
  const take = (x: number, y: number) => {
    x0 = Math.min(x0, x);
    x1 = Math.max(x1, x);
    y0 = Math.min(y0, y);
    y1 = Math.max(y1, y);
  };
  for (const [, , points] of [...place.areas, ...place.lines])
    for (let k = 0; k < points.length; k += 3) take(points[k], points[k + 1]);
  if (place.relief) {
    take(place.relief.extent[0], place.relief.extent[1]);
    take(place.relief.extent[2], place.relief.extent[3]);
  }
  if (frame)
    for (let k = 0; k < frame.ids.length; k++)
      if (frame.flags[k] & PRESENT) take(frame.place[3 * k], frame.place[3 * k + 1]);
  if (!(x1 >= x0)) return [-20, -20, 20, 20];
  const bare = !place.areas.length && !place.lines.length; // some bodies on nothing want room around them
  const least = Math.max(bare ? 8 : 0.2, 0.05 * Math.max(x1 - x0, y1 - y0));
  return [x0 - least / 2, y0 - least / 2, x1 + least / 2, y1 + least / 2];
}
