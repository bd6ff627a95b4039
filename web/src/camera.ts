// Where one looks from: orbit, follow, driver or top. Shared by the view in 3-D and the one from above.
import { PRESENT, yawOf, type Frame } from "./scene";

export type Mode = "orbit" | "follow" | "driver" | "top";
export const MODES: Mode[] = ["orbit", "follow", "driver", "top"];

export const FIELD = 50; // [°] from bottom to top of what is seen

export class Camera {
  mode: Mode = "orbit";
  target: [number, number, number] = [0, 0, 0];
  distance = 60;
  azimuth = -1.9; // [rad] from which side
  elevation = 0.75; // [rad] above the ground
  followed: number | null = null;
  yaw = 0; // of whom is followed, smoothed
  height = 1.4; // of whom is followed

  /** Show all of a box of ground between two heights on a stage so many times as wide as high. */
  frame([x0, y0, x1, y1]: [number, number, number, number], low = 0, high = 0, aspect = 1.5, flat = false): void {
    this.target = [(x0 + x1) / 2, (y0 + y1) / 2, (low + high) / 2];
    const wide = Math.max(y1 - y0, (x1 - x0) / aspect);
    this.distance = Math.min(Math.max(1.12 * wide, 1.5), 30000);
    if (flat || this.mode === "top") return;
    this.distance *= 1.6;
    const reach = Math.tan((FIELD / 2) * (Math.PI / 180)) * 0.92;
    for (let round = 0; round < 6; round++) {
      const { eye } = this.eye(), [tx, ty, tz] = this.target, a = this.azimuth, e = this.elevation;
      const right = [-Math.sin(a), Math.cos(a), 0], ahead = [tx - eye[0], ty - eye[1], tz - eye[2]].map((v) => v / this.distance);
      const up = [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)];
      const seen: [number, number][] = [];
      for (const x of [x0, x1]) for (const y of [y0, y1]) for (const z of [low, high]) {
        const d = [x - eye[0], y - eye[1], z - eye[2]], dot = (v: number[]) => d[0] * v[0] + d[1] * v[1] + d[2] * v[2];
        const deep = Math.max(dot(ahead), 0.05 * this.distance);
        seen.push([dot(right) / deep / (reach * aspect), dot(up) / deep / reach]);
      }
      const [u0, u1] = [Math.min(...seen.map((p) => p[0])), Math.max(...seen.map((p) => p[0]))];
      const [v0, v1] = [Math.min(...seen.map((p) => p[1])), Math.max(...seen.map((p) => p[1]))];
      const across = ((u0 + u1) / 2) * reach * aspect * this.distance, down = (((v0 + v1) / 2) * reach * this.distance) / Math.sin(e);
      for (const i of [0, 1]) this.target[i] += 0.8 * (across * right[i] - down * (i ? Math.sin(a) : Math.cos(a)));
      this.distance = Math.min(Math.max(this.distance * (0.3 + 0.35 * Math.max(u1 - u0, v1 - v0)), 1.2), 30000);
    }
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

  /** Look from where one looks at first. */
  straighten(): void {
    [this.azimuth, this.elevation] = [-1.9, 0.75];
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
