// Two recordings on one stage: the second one's bodies get numbers and a colour of their own.
import { emptyFrame, type Frame, type Place, type Shape } from "./scene";
import type { Tape } from "./tape";

export const SHIFT = 1 << 29, GHOST = "#9a6fb5";

/** Both frames in one; `shifts` are what was taken off their places. */
export function joined([a, b]: Frame[], [from, to]: [number, number, number][]): Frame {
  const made = emptyFrame(a.ids.length + b.ids.length), n = a.ids.length;
  made.t = a.t;
  made.ids.set(a.ids);
  b.ids.forEach((id, k) => (made.ids[n + k] = id + SHIFT));
  for (const name of ["place", "turn", "speed"] as const) {
    made[name].set(a[name]);
    made[name].set(b[name], a[name].length);
  }
  for (let k = 3 * n; k < made.place.length; k++) made.place[k] += to[k % 3] - from[k % 3];
  made.flags.set(a.flags);
  made.flags.set(b.flags, n);
  return made;
}

/** The first one's place, and of the second one's roads and lines what is not there already. */
export function bothPlaces(a: Tape, b: Tape): Place {
  const away = b.shift.map((v, k) => v - a.shift[k]);
  const more = (name: "areas" | "lines"): Shape[] => {
    const shapes = b.place[name].map(([role, colour, points]): Shape => [role, colour, points.map((v, k) => v + away[k % 3])]);
    const there = new Set(a.place[name].map((shape) => JSON.stringify(shape)));
    return [...a.place[name], ...shapes.filter((shape) => !there.has(JSON.stringify(shape)))];
  };
  return { ...a.place, areas: more("areas"), lines: more("lines"), relief: a.place.relief ?? (away.some(Boolean) ? null : b.place.relief) };
}
