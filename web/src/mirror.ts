// The mirror of a driver: the same stage, seen backwards from the followed body.
import { Camera } from "./camera";
import { el } from "./dom";
import type { Theatre } from "./theatre";
import { View2D } from "./view2d";
import { View3D } from "./view3d";
import type { Viewer } from "./viewer";

const EVERY = 80; // [ms] between two drawings

class Behind extends Camera {
  override eye(): ReturnType<Camera["eye"]> {
    const [x, y, z] = this.target, c = Math.cos(this.yaw), s = Math.sin(this.yaw);
    return { eye: [x - 0.5 * c, y - 0.5 * s, z + 0.6], at: [x - 20 * c, y - 20 * s, z - 1.2], up: [0, 0, 1] };
  }
}

export class Mirror {
  readonly root = el("div", { class: "mirror", hidden: true, "aria-label": "Mirror" });
  private viewer: Viewer | null = null;
  private camera = new Behind();
  private place: unknown = null;
  private last = 0;
  private dark = false;

  constructor(private theatre: Theatre) {
    this.camera.mode = "driver";
  }

  set on(on: boolean) {
    this.root.hidden = !on;
    if (!on && this.viewer) {
      this.viewer.dispose();
      this.viewer = null;
      this.root.replaceChildren();
    }
    if (on && !this.viewer) {
      const canvas = el("canvas", {});
      this.root.replaceChildren(canvas);
      this.viewer = this.theatre.viewer.flat ? new View2D(canvas) : new View3D(canvas);
      this.viewer.setTheme(this.dark);
      this.place = null;
    }
  }

  theme(dark: boolean): void {
    this.dark = dark;
    this.viewer?.setTheme(dark);
  }

  draw(): void {
    const now = performance.now(), { theatre, viewer } = this;
    if (!viewer || now - this.last < EVERY) return;
    this.last = now;
    if (this.place !== theatre.place) {
      this.place = theatre.place;
      viewer.setPlace(theatre.place);
    }
    viewer.setLooks(theatre.looks);
    this.camera.followed = theatre.camera.followed;
    this.camera.distance = 60;
    const frame = theatre.frame();
    this.camera.update(frame);
    viewer.draw(frame, this.camera);
  }
}
