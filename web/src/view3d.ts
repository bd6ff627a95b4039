// The view in 3-D: one instanced mesh a shape, lamps that light, wheels that turn.
import * as THREE from "three";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { Batch, painted } from "./batch";
import { FIELD, type Camera } from "./camera";
import { buildPlace, extentOf, heightAt } from "./ground";
import { BRAKE, CONTACT, EMERGENCY, LEFT, PRESENT, RIGHT, STATES, STATE_SHIFT, type Frame, type Look, type Place } from "./scene";
import { geometryOf } from "./solids";
import { Floor, Sky, shadowParts } from "./sky";
import { LAMPS, SKY, themed, type Handle, type Overlay, type Viewer } from "./viewer";
import { Rolling } from "./rolling";

const NO_LOOK: Look = { id: -1, kind: "", part: "", parent: -1, size: [1, 1, 1], shape: "box", colour: "#888888" };
const WHEEL = 0.62;
const WHITE = new THREE.Color("#ffffff");
const FINE = 260; // [m] from which on markings are thinner than a pixel
const SHADED = new Set(["vehicle", "person", "cycle", "disc", "box", "robot", "cube"]);

export class View3D implements Viewer {
  readonly flat = false;
  readonly canvas: HTMLCanvasElement;
  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private eye = new THREE.PerspectiveCamera(FIELD, 1, 0.3, 60000);
  private around = new THREE.Group();
  private sky = new Sky();
  private floor = new Floor();
  private shadows: Batch;
  private overlays = new Map<string, THREE.Mesh | THREE.LineSegments>();
  private batches = new Map<string, Batch>();
  private lamps: Batch;
  private handles: Batch;
  private handleList: Handle[] = [];
  private looks = new Map<number, Look>();
  private fence: WebGLSync | null = null;
  private colours = new Map<string, THREE.Color>();
  private place: Place | null = null;
  private dark = false;
  private extent = 100; // [m] of the place
  private rolling = new Rolling();
  private matrix = new THREE.Matrix4();
  private turn = new THREE.Quaternion();
  private at = new THREE.Vector3();
  private size = new THREE.Vector3();
  private down = new THREE.Vector3();

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    const sun = new THREE.DirectionalLight(0xffffff, 1.9);
    sun.position.set(-0.5, -0.8, 1.2);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f96, 1.9), sun, this.around, this.sky.mesh, this.floor.mesh);
    this.shadows = new Batch(this.scene, ...shadowParts(), 1);
    this.lamps = new Batch(this.scene, new THREE.BoxGeometry(1, 1, 1), new THREE.MeshBasicMaterial());
    this.handles = new Batch(this.scene, new THREE.SphereGeometry(0.5, 16, 12), new THREE.MeshBasicMaterial({ depthTest: false, fog: false }), 5);
  }

  setPlace(place: Place): void {
    this.place = place;
    this.scene.remove(this.around);
    free(this.around);
    this.around = buildPlace(place, this.dark);
    this.scene.add(this.around);
    this.floor.mesh.visible = !place.relief;
    this.extent = extentOf(place);
    this.floor.fit(this.extent);
    this.rolling.clear();
  }

  setLooks(looks: Map<number, Look>): void {
    this.looks = looks;
  }

  setTheme(dark: boolean): void {
    this.dark = dark;
    this.scene.fog = new THREE.Fog(dark ? SKY.dark : SKY.light, 100, 1000);
    this.sky.theme(dark);
    this.floor.theme(dark);
    if (this.place) this.setPlace(this.place);
  }

  setOverlay(name: string, overlay: Overlay | null): void {
    const old = this.overlays.get(name);
    if (old) {
      this.scene.remove(old);
      old.geometry.dispose();
      (old.material as THREE.Material).dispose();
      this.overlays.delete(name);
    }
    if (!overlay || !overlay.segments.length) return;
    const shown = { ...overlay, colour: themed(overlay.colour, this.dark) };
    const line = overlay.wide ? wideLine(shown) : thinLine(shown);
    line.frustumCulled = false;
    this.overlays.set(name, line);
    this.scene.add(line);
  }

  setHandles(handles: Handle[]): void {
    this.handleList = handles;
  }

  draw(frame: Frame | null, camera: Camera): void {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = this.renderer.getPixelRatio();
    if (this.canvas.width !== Math.floor(clientWidth * ratio) || this.canvas.height !== Math.floor(clientHeight * ratio)) {
      this.renderer.setSize(clientWidth, clientHeight, false);
      this.eye.aspect = clientWidth / Math.max(clientHeight, 1);
    }
    const { eye, at, up } = camera.eye();
    this.eye.up.set(...up);
    this.eye.position.set(...eye);
    if (this.place?.relief && camera.mode !== "top")
      this.eye.position.z = Math.max(this.eye.position.z, heightAt(this.place.relief, eye[0], eye[1]) + 2);
    this.eye.lookAt(...at);
    this.eye.near = camera.mode === "driver" ? 0.15 : Math.max(0.05, camera.distance / 300);
    this.eye.far = Math.max(4000, camera.distance * 12);
    this.eye.fov = camera.mode === "driver" ? 68 : FIELD;
    this.eye.updateProjectionMatrix();
    this.surround(camera);
    if (frame) this.bodies(frame, camera);
    for (const handle of this.handleList) {
      const apart = 0.028 * this.eye.position.distanceTo(this.at.set(handle.x, handle.y, handle.z));
      this.handles.put(this.matrix.makeScale(apart, apart, apart).setPosition(this.at), this.paint(themed(handle.colour, this.dark)));
    }
    for (const batch of [...this.batches.values(), this.lamps, this.shadows, this.handles]) batch.done();
    this.renderer.render(this.scene, this.eye);
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (this.fence) gl.deleteSync(this.fence);
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
  }

  busy(): boolean {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    return this.fence !== null && !gl.isContextLost() && gl.getSyncParameter(this.fence, gl.SYNC_STATUS) === gl.UNSIGNALED;
  }

  /** Sky, ground and haze go with the eye; what is too fine to be seen from here is left out. */
  private surround(camera: Camera): void {
    const near = camera.mode === "driver" ? 150 : camera.distance, fog = this.scene.fog as THREE.Fog;
    const clear = this.place?.relief || camera.mode === "top" ? 1e6 : 1;
    fog.near = Math.max(2.5 * near, Math.min(1.5 * this.extent, 300)) * clear;
    fog.far = 4 * fog.near;
    this.sky.follow(this.eye.position, this.eye.far);
    this.floor.follow(camera.target[0], camera.target[1]);
    for (const one of this.around.children) if (one.userData.fine) one.visible = camera.distance < FINE || camera.mode === "driver" || this.extent > 4000;
  }

  private bodies(frame: Frame, camera: Camera): void {
    const limbed = new Set<number>(), wheeled = new Set<number>();
    for (let k = 0; k < frame.ids.length; k++) {
      const look = this.looks.get(frame.ids[k]);
      if (look && look.parent >= 0 && frame.flags[k] & PRESENT) (look.shape === "wheel" ? wheeled : limbed).add(look.parent);
    }
    const blink = (performance.now() / 450) % 2 < 1;
    for (let k = 0; k < frame.ids.length; k++) {
      if (!(frame.flags[k] & PRESENT)) continue;
      const look = this.looks.get(frame.ids[k]) ?? NO_LOOK;
      this.at.fromArray(frame.place, 3 * k);
      this.turn.fromArray(frame.turn, 4 * k);
      if (look.shape === "light") {
        this.light(frame.flags[k] >> STATE_SHIFT);
        continue;
      }
      if (limbed.has(look.id)) this.shadow(look);
      if (limbed.has(look.id) && (look.shape === "cycle" || look.shape === "person")) continue;
      if (camera.mode === "driver" && (look.id === camera.followed || look.parent === camera.followed)) continue;
      this.matrix.compose(this.at, this.turn, this.size.set(...look.size));
      this.batch(look.shape === "disc" && !/ball|puck|marble/.test(look.kind) ? "drum" : look.shape).put(this.matrix, this.paint(frame.flags[k] & CONTACT ? "#ff2d46" : look.colour));
      if (SHADED.has(look.shape)) this.shadow(look);
      if (look.shape === "vehicle") {
        if (!wheeled.has(look.id)) this.wheels(frame, k, look);
        this.carLamps(frame.flags[k], look, blink);
      }
    }
  }

  private shadow(look: Look): void {
    const [long, wide, high] = look.size;
    this.down.set(0, 0, 0.03 - high / 2).applyQuaternion(this.turn).add(this.at);
    this.matrix.compose(this.down, this.turn, this.size.set(1.35 * long, 1.5 * wide, 1));
    this.shadows.put(this.matrix, WHITE);
  }

  private light(state: number): void {
    const word = STATES[state] ?? "";
    this.matrix.makeScale(0.12, 0.12, 2.6).setPosition(this.at.x, this.at.y, 1.3);
    this.batch("post").put(this.matrix, this.paint("#4a5158"));
    this.matrix.makeScale(0.55, 0.55, 0.55).setPosition(this.at.x, this.at.y, 2.75);
    this.lamps.put(this.matrix, this.paint(LAMPS[word] ?? "#777777"));
  }

  private wheels(frame: Frame, k: number, look: Look): void {
    const [long, wide, high] = look.size, { angle, steer } = this.rolling.of(frame, k, 0.6 * long);
    for (const [x, y] of [[0.3, 1], [0.3, -1], [-0.3, 1], [-0.3, -1]]) {
      const spot = new THREE.Vector3(x * long, y * (wide / 2 - 0.1), WHEEL / 2 - high / 2).applyQuaternion(this.turn).add(this.at);
      const spin = new THREE.Quaternion().setFromEuler(new THREE.Euler(0, angle, x > 0 ? steer : 0, "ZYX"));
      this.matrix.compose(spot, spin.premultiply(this.turn), this.size.set(WHEEL, 0.22, WHEEL));
      this.batch("wheel").put(this.matrix, this.paint("#23272b"));
    }
  }

  private carLamps(flags: number, look: Look, blink: boolean): void {
    const [long, wide, high] = look.size;
    const put = (x: number, y: number, z: number, a: number, b: number, c: number, colour: string) => {
      const spot = new THREE.Vector3(x, y, z).applyQuaternion(this.turn).add(this.at);
      this.matrix.compose(spot, this.turn, this.size.set(a, b, c));
      this.lamps.put(this.matrix, this.paint(colour));
    };
    for (const side of [1, -1]) {
      put(-long / 2, side * 0.38 * wide, -0.02 * high, 0.06, 0.16 * wide, 0.1 * high, flags & BRAKE ? "#ff2222" : "#7a1c1c");
      if (flags & (side > 0 ? LEFT : RIGHT) && blink)
        for (const end of [1, -1]) put((end * long) / 2, side * 0.45 * wide, -0.1 * high, 0.1, 0.14 * wide, 0.09 * high, "#ffa51f");
    }
    if (flags & EMERGENCY)
      for (const side of [1, -1]) put(0, side * 0.22 * wide, 0.53 * high, 0.3, 0.3 * wide, 0.14, side > 0 === blink ? "#2a62ff" : "#9bb4ff");
  }

  private batch(shape: string): Batch {
    let found = this.batches.get(shape);
    if (!found) {
      found = new Batch(this.scene, geometryOf(shape), painted());
      this.batches.set(shape, found);
    }
    return found;
  }

  private paint(colour: string): THREE.Color {
    return this.colours.get(colour) ?? this.colours.set(colour, new THREE.Color(colour)).get(colour)!;
  }

  project(x: number, y: number, z: number): [number, number] | null {
    const p = new THREE.Vector3(x, y, z).project(this.eye);
    return p.z > 1 ? null : [((p.x + 1) / 2) * this.canvas.clientWidth, ((1 - p.y) / 2) * this.canvas.clientHeight];
  }

  ground(px: number, py: number): [number, number] | null {
    const { clientWidth, clientHeight } = this.canvas;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * px) / clientWidth - 1, 1 - (2 * py) / clientHeight), this.eye);
    if (this.place?.relief) {
      const hit = ray.intersectObject(this.around.children[0], false)[0];
      if (hit) return [hit.point.x, hit.point.y];
    }
    const spot = ray.ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), 0), new THREE.Vector3());
    return spot ? [spot.x, spot.y] : null;
  }

  dispose(): void {
    free(this.around);
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

function thinLine(overlay: Overlay): THREE.LineSegments {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(Array.from(overlay.segments), 3));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: overlay.colour, fog: false }));
}

function wideLine(overlay: Overlay): THREE.Mesh {
  const geometry = new LineSegmentsGeometry().setPositions(Array.from(overlay.segments));
  return new LineSegments2(geometry, new LineMaterial({ color: overlay.colour, linewidth: overlay.wide, fog: false }));
}

function free(group: THREE.Group): void {
  group.traverse((one) => {
    if (one instanceof THREE.Mesh) {
      one.geometry.dispose();
      const material = one.material as THREE.MeshLambertMaterial;
      material.map?.dispose();
      material.dispose();
    }
  });
}
