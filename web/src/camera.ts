// Where one looks from: orbit, follow, driver or top. Shared by the view in 3-D and the one from above.
import { PRESENT, yawOf, type Frame } from "./scene";

export type Mode = "orbit" | "follow" | "driver" | "top";
export const MODES: Mode[] = ["orbit", "follow", "driver", "top"];

export class Camera {
  mode: Mode = "orbit";
  target: [number, number, number] = [0, 0, 0];
  distance = 60;
  azimuth = -1.9; // [rad] from which side
  elevation = 0.75; // [rad] above the ground
  followed: number | null = null;
  yaw = 0; // of whom is followed, smoothed
  height = 1.4; // of whom is followed

  /** Show all of it. */
  frame([x0, y0, x1, y1]: [number, number, number, number], z = 0): void {
    this.target = [(x0 + x1) / 2, (y0 + y1) / 2, z];
    this.distance = Math.min(Math.max(1.1 * Math.max(x1 - x0, 1.25 * (y1 - y0)), 1.5), 30000);
  }

  /** Go with whom is followed. */
  update(frame: Frame | null): void {
    if (!frame || this.mode === "orbit" || this.followed === null) return;
    const k = frame.ids.indexOf(this.followed);
    if (k < 0 || !(frame.flags[k] & PRESENT)) return;
    this.target = [frame.place[3 * k], frame.place[3 * k + 1], frame.place[3 * k + 2]];
    const turn = yawOf(frame, k) - this.yaw;
    this.yaw += (this.mode === "driver" ? 1 : 0.12) * Math.atan2(Math.sin(turn), Math.cos(turn));
  }

  orbit(dx: number, dy: number): void {
    this.azimuth -= dx * 0.006;
    this.elevation = Math.min(Math.max(this.elevation + dy * 0.006, 0.05), 1.55);
  }

  zoom(by: number): void {
    this.distance = Math.min(Math.max(this.distance * by, 0.5), 40000);
  }

  /** Shift the target over the ground by pixels. */
  pan(dx: number, dy: number, height: number): void {
    const scale = (1.1 * this.distance) / Math.max(height, 1);
    const a = this.mode === "top" ? -Math.PI / 2 : this.azimuth;
    const right: [number, number] = [-Math.sin(a), Math.cos(a)];
    const ahead: [number, number] = [-Math.cos(a), -Math.sin(a)];
    for (const i of [0, 1] as const) this.target[i] += scale * (-dx * right[i] + dy * ahead[i]);
  }

  /** Eye and what it looks at, in the world. */
  eye(): { eye: [number, number, number]; at: [number, number, number]; up: [number, number, number] } {
    const [x, y, z] = this.target;
    if (this.mode === "top")
      return { eye: [x, y, z + this.distance], at: [x, y, z], up: [0, 1, 0] };
    const c = Math.cos(this.yaw), s = Math.sin(this.yaw);
    if (this.mode === "driver") {
      const up = this.height * 0.45;
      return { eye: [x + 0.35 * c, y + 0.35 * s, z + up], at: [x + 20 * c, y + 20 * s, z + up - 1.2], up: [0, 0, 1] };
    }
    const angle = this.mode === "follow" ? this.yaw + Math.PI + (this.azimuth + 1.9) : this.azimuth;
    const flat = Math.cos(this.elevation) * this.distance, high = Math.sin(this.elevation) * this.distance;
    return { eye: [x + flat * Math.cos(angle), y + flat * Math.sin(angle), z + high], at: [x, y, z], up: [0, 0, 1] };
  }
}
