// Two recordings on one stage: the second one's bodies get numbers and a colour of their own.
import { emptyFrame, type Frame } from "./scene";

export const SHIFT = 1 << 29, GHOST = "#7a5195";

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
