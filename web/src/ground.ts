// The place in 3-D: ground, relief, roads with markings, crossings with stripes, buildings, lines as ribbons.
import * as THREE from "three";
import type { Place, Relief, Shape } from "./scene";
import { boundsOf } from "./scene";
import { facadeTexture } from "./sky";
import { DASHES, MARKS, WIDTHS, themed, zebra } from "./viewer";

const FINE = 4; // the layer of markings
const LONGEST = 120; // [m] of a side: over larger triangles depth is too coarse on some machines
const STOREYS = 13; // [m] of four windows
/** Which is drawn over which, and how high [m] it lies. */
const LEVEL: Record<string, [number, number]> = { road: [2, 0.02], goal: [3, 0.03], pavement: [3, 0.05], crossing: [3, 0.06] };

/** The longer side [m] of a place. */
export function extentOf(place: Place): number {
  const [x0, y0, x1, y1] = boundsOf(place, null);
  return Math.max(x1 - x0, y1 - y0);
}

/** By how much lines are thinner or wider than on a road: small fields have fine lines, large maps broad ones. */
export function lineScale(place: Place): number {
  const size = extentOf(place);
  return place.relief ? Math.max(1, size / 400) : Math.min(Math.max(size / 50, 0.1), 1);
}

export function buildPlace(place: Place, dark: boolean): THREE.Group {
  const group = new THREE.Group(), size = extentOf(place), lines = lineScale(place);
  if (place.relief) group.add(reliefMesh(place.relief, dark));
  const bags = new Map<string, number[]>(), walls: number[] = [], along: number[] = [];
  const bag = (layer: number, colour: string) => {
    const key = `${layer}|${colour}`;
    return bags.get(key) ?? bags.set(key, []).get(key)!;
  };
  place.areas.forEach((area, k) => {
    const [role, colour] = area;
    if (place.relief && role.startsWith("height")) return;
    const shown = themed(colour, dark), level = LEVEL[role] ?? [1, 0.01];
    const lift = role.startsWith("height") ? 0.002 * Number(role.slice(7)) : level[1] * Math.min(1, size / 20);
    if (role === "crossing") {
      fill(area, lift, bag(level[0], themed("#e3e1da", dark)), place.relief);
      for (const stripe of zebra(area[2])) fill(["", "", stripe], lift + 0.01, bag(FINE, dark ? "#c4cad1" : "#ffffff"), place.relief);
    } else if (role === "building") {
      const high = 6 + ((k * 7) % 5) * 2.2;
      fill(area, high, bag(1, shown), place.relief);
      raise(area, high, walls, along, place.relief);
    } else if (role === "obstacle") {
      const high = place.relief ? 12 : Math.min(0.8, 0.03 * size);
      fill(area, high, bag(1, shown), place.relief);
      raise(area, high, bag(1, shown), [], place.relief);
    } else fill(area, lift, bag(level[0], shown), place.relief);
  });
  for (const line of place.lines) {
    const [role, colour] = line, mark = MARKS.has(role);
    const shown = mark ? (dark ? "#9aa5b1" : "#ffffff") : themed(colour, dark);
    const lift = (role === "wall" ? 0.12 : 0.09) * Math.min(1, size / 20);
    ribbon(line[2], (WIDTHS[role] ?? 0.15) * lines, lift, DASHES[role], bag(mark ? FINE : 5, shown), place.relief);
  }
  for (const [key, points] of bags) {
    const [layer, colour] = key.split("|");
    if (points.length) group.add(flat(points, colour, Number(layer)));
  }
  if (walls.length) group.add(facades(walls, along, dark));
  return group;
}

function flat(points: number[], colour: string, layer: number): THREE.Mesh {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.computeVertexNormals();
  const normal = geometry.getAttribute("normal");
  for (let k = 0; k < normal.count; k++)
    if (normal.getZ(k) < 0) normal.setXYZ(k, -normal.getX(k), -normal.getY(k), -normal.getZ(k));
  const nearer = { polygonOffset: true, polygonOffsetFactor: layer > 2 ? -layer : 0, polygonOffsetUnits: -4 * layer };
  const material = new THREE.MeshLambertMaterial({ color: colour, side: THREE.DoubleSide, ...nearer });
  material.onBeforeCompile = (shader) => { // which side of a sliver is seen is not known for sure; all of it lies with its face up
    const begin = THREE.ShaderChunk.normal_fragment_begin.replace("gl_FrontFacing ? 1.0 : - 1.0", "1.0");
    shader.fragmentShader = shader.fragmentShader.replace("#include <normal_fragment_begin>", begin);
  };
  const mesh = new THREE.Mesh(geometry, material);
  mesh.userData.fine = layer === FINE;
  return mesh;
}

function facades(points: number[], along: number[], dark: boolean): THREE.Mesh {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute("uv", new THREE.Float32BufferAttribute(along, 2));
  geometry.computeVertexNormals();
  const colour = themed("#cbc7bd", dark);
  return new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ color: colour, map: facadeTexture(dark), side: THREE.DoubleSide }));
}

export function heightAt(relief: Relief | null, x: number, y: number): number {
  if (!relief) return 0;
  const [x0, y0, x1, y1] = relief.extent, rows = relief.heights.length, columns = relief.heights[0].length;
  const u = Math.min(Math.max(((x - x0) / (x1 - x0)) * (columns - 1), 0), columns - 1.001);
  const v = Math.min(Math.max(((y - y0) / (y1 - y0)) * (rows - 1), 0), rows - 1.001);
  const i = Math.floor(v), j = Math.floor(u), a = u - j, b = v - i, h = relief.heights;
  return (1 - b) * ((1 - a) * h[i][j] + a * h[i][j + 1]) + b * ((1 - a) * h[i + 1][j] + a * h[i + 1][j + 1]);
}

function lifted(points: number[], k: number, lift: number, relief: Relief | null): Corner {
  const [x, y, z] = [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  return [x, y, (relief && z === 0 ? heightAt(relief, x, y) : z) + lift];
}

function fill(area: Shape, lift: number, into: number[], relief: Relief | null): void {
  const points = area[2], n = points.length / 3;
  const contour: THREE.Vector2[] = [];
  for (let k = 0; k < n; k++) contour.push(new THREE.Vector2(points[3 * k], points[3 * k + 1]));
  for (const [a, b, c] of THREE.ShapeUtils.triangulateShape(contour, []))
    halved(lifted(points, a, lift, relief), lifted(points, b, lift, relief), lifted(points, c, lift, relief), into);
}

type Corner = [number, number, number];

/** A triangle, cut across its longest side as often as it takes. */
export function halved(a: Corner, b: Corner, c: Corner, into: number[], most = 14): void {
  const sides = [side(a, b), side(b, c), side(c, a)], longest = Math.max(...sides);
  if (longest <= LONGEST || most <= 0) {
    into.push(...a, ...b, ...c);
    return;
  }
  const [p, q, r] = longest === sides[0] ? [a, b, c] : longest === sides[1] ? [b, c, a] : [c, a, b];
  const middle: Corner = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2];
  halved(p, middle, r, into, most - 1);
  halved(middle, q, r, into, most - 1);
}

function side(a: Corner, b: Corner): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/** Walls of an area; `along` gets where on the wall every corner is. */
function raise(area: Shape, high: number, into: number[], along: number[], relief: Relief | null): void {
  const points = area[2], n = points.length / 3;
  let u = 0;
  for (let k = 0; k < n; k++) {
    const a = lifted(points, k, 0, relief), b = lifted(points, (k + 1) % n, 0, relief);
    const c: [number, number, number] = [b[0], b[1], b[2] + high], d: [number, number, number] = [a[0], a[1], a[2] + high];
    into.push(...a, ...b, ...c, ...a, ...c, ...d);
    const next = u + Math.hypot(b[0] - a[0], b[1] - a[1]) / STOREYS, top = high / STOREYS;
    along.push(u, 0, next, 0, next, top, u, 0, next, top, u, top);
    u = next;
  }
}

/** A flat band along a line, dashed where asked for. */
function ribbon(points: number[], wide: number, lift: number, dash: [number, number] | undefined, into: number[], relief: Relief | null) {
  let along = 0;
  for (let k = 0; k + 1 < points.length / 3; k++) {
    const a = lifted(points, k, lift, relief), b = lifted(points, k + 1, lift, relief);
    const long = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (long < 1e-6) continue;
    const n = [(-(b[1] - a[1]) / long) * (wide / 2), ((b[0] - a[0]) / long) * (wide / 2)];
    const piece = (s0: number, s1: number) => {
      const p = a.map((v, i) => v + s0 * (b[i] - v)), q = a.map((v, i) => v + s1 * (b[i] - v));
      into.push(p[0] - n[0], p[1] - n[1], p[2], q[0] - n[0], q[1] - n[1], q[2], q[0] + n[0], q[1] + n[1], q[2]);
      into.push(p[0] - n[0], p[1] - n[1], p[2], q[0] + n[0], q[1] + n[1], q[2], p[0] + n[0], p[1] + n[1], p[2]);
    };
    const cuts = Math.ceil(long / LONGEST);
    if (!dash) for (let k = 0; k < cuts; k++) piece(k / cuts, (k + 1) / cuts);
    else {
      const [on, off] = dash, period = on + off;
      for (let s = -(along % period); s < long; s += period) {
        const from = Math.max(s, 0), to = Math.min(s + on, long);
        if (to > from) piece(from / long, to / long);
      }
    }
    along += long;
  }
}

const BANDS = ["#8bbd9d", "#91c391", "#a5c895", "#b7cc99", "#c6d09c", "#d4d39f", "#d8caa2", "#e0ccb3", "#ebd6ca", "#f6e9e7"];

function reliefMesh(relief: Relief, dark: boolean): THREE.Mesh {
  const rows = relief.heights.length, columns = relief.heights[0].length;
  const [x0, y0, x1, y1] = relief.extent;
  const geometry = new THREE.PlaneGeometry(x1 - x0, y1 - y0, columns - 1, rows - 1);
  const p = geometry.getAttribute("position");
  let low = Infinity, high = -Infinity;
  for (const row of relief.heights)
    for (const h of row) {
      low = Math.min(low, h);
      high = Math.max(high, h);
    }
  const colours = new Float32Array(3 * p.count), paint = new THREE.Color();
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const k = i * columns + j, h = relief.heights[rows - 1 - i][j];
      p.setXYZ(k, x0 + ((x1 - x0) * j) / (columns - 1), y0 + ((y1 - y0) * (rows - 1 - i)) / (rows - 1), h);
      const share = (BANDS.length - 1) * ((h - low) / Math.max(high - low, 1e-6)), band = Math.min(Math.floor(share), BANDS.length - 2);
      paint.set(BANDS[band]).lerp(new THREE.Color(BANDS[band + 1]), share - band);
      if (dark) paint.multiplyScalar(0.42);
      paint.toArray(colours, 3 * k);
    }
  geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  geometry.computeVertexNormals();
  return new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ vertexColors: true }));
}
