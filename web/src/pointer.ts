// The mouse on the stage: it turns and shifts the camera, takes hold of what a room lets go, and picks bodies.
import type { Theatre } from "./theatre";

export interface Pointing {
  /** A place on the ground was pressed; true takes the mouse away from the camera. */
  down?(x: number, y: number, px: number, py: number): boolean;
  move?(x: number, y: number): void;
  up?(): void;
  /** A body was clicked. */
  body?(id: number): void;
  /** A key was pressed; true if it did something. */
  key?(event: KeyboardEvent): boolean;
}

/** What an arrow key moves by, east and north. */
export function arrow(event: KeyboardEvent, step: number): [number, number] | null {
  const ways: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const way = ways[event.key], far = event.shiftKey ? step / 5 : step;
  return way ? [way[0] * far, way[1] * far] : null;
}

/** Listen to the mouse on the theatre's canvas. */
export function listen(theatre: Theatre): void {
  const { canvas } = theatre.viewer;
  let held: "camera" | "tool" | null = null, moved = 0, shift = false, x0 = 0, y0 = 0;
  const spot = (event: PointerEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const [px, py] = spot(event), at = theatre.viewer.ground(px, py);
    shift = event.shiftKey || event.button !== 0 || theatre.viewer.flat || theatre.camera.mode === "top";
    moved = 0;
    [x0, y0] = [event.clientX, event.clientY];
    held = at && theatre.pointing.down?.(at[0], at[1], px, py) ? "tool" : "camera";
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    const dx = event.clientX - x0, dy = event.clientY - y0;
    [x0, y0] = [event.clientX, event.clientY];
    moved += Math.abs(dx) + Math.abs(dy);
    if (held === "tool") {
      const at = theatre.viewer.ground(...spot(event));
      if (at) theatre.pointing.move?.(at[0], at[1]);
    } else if (shift) theatre.camera.pan(dx, dy, canvas.clientHeight);
    else theatre.camera.orbit(dx, dy);
    theatre.redraw();
  });
  const done = (event: PointerEvent) => {
    if (held === "tool") theatre.pointing.up?.();
    else if (held && moved < 5) {
      const id = near(theatre, ...spot(event));
      if (id !== null) {
        theatre.camera.followed = id;
        theatre.pointing.body?.(id);
        theatre.redraw();
      }
    }
    held = null;
  };
  canvas.addEventListener("pointerup", done);
  canvas.addEventListener("pointercancel", done);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    theatre.camera.zoom(Math.exp(event.deltaY * 0.0012));
    theatre.redraw();
  }, { passive: false });
}

/** The body next to a pixel. */
function near(theatre: Theatre, px: number, py: number): number | null {
  const frame = theatre.frame();
  let best: number | null = null, least = 26;
  if (!frame) return null;
  for (let k = 0; k < frame.ids.length; k++) {
    const look = theatre.looks.get(frame.ids[k]);
    if (!look || look.parent >= 0 || look.shape === "light") continue;
    const at = theatre.viewer.project(frame.place[3 * k], frame.place[3 * k + 1], frame.place[3 * k + 2]);
    const far = at ? Math.hypot(at[0] - px, at[1] - py) : Infinity;
    if (far < least) [best, least] = [look.id, far];
  }
  return best;
}
