// Shapes of bodies in a box of 1 × 1 × 1, as geometry with vertex colours: white takes the body's paint.
import * as THREE from "three";

const PAINT = 0xffffff, GLASS = 0x2a3a46, DARK = 0x23272b, STEEL = 0x5f6972, SKIN = 0xe8c2a2, LIGHT = 0xfff2cf;

function coloured(geometry: THREE.BufferGeometry, colour: number): THREE.BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const c = new THREE.Color(colour), n = flat.getAttribute("position").count;
  const colours = new Float32Array(3 * n);
  for (let k = 0; k < n; k++) c.toArray(colours, 3 * k);
  flat.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  flat.deleteAttribute("uv");
  return flat;
}

function merged(parts: THREE.BufferGeometry[]): THREE.BufferGeometry {
  const made = new THREE.BufferGeometry();
  for (const name of ["position", "normal", "color"]) {
    const all = parts.flatMap((part) => Array.from(part.getAttribute(name).array as Float32Array));
    made.setAttribute(name, new THREE.Float32BufferAttribute(all, 3));
  }
  return made;
}

/** A box between two corners whose top is drawn in by `front` and `back` along x and `side` along y. */
function block(low: number[], high: number[], colour: number, front = 0, back = 0, side = 0): THREE.BufferGeometry {
  const box = new THREE.BoxGeometry(1, 1, 1).toNonIndexed();
  const p = box.getAttribute("position");
  for (let k = 0; k < p.count; k++) {
    const [x, y, z] = [p.getX(k) + 0.5, p.getY(k) + 0.5, p.getZ(k) + 0.5];
    const top = z > 0.5 ? 1 : 0;
    p.setXYZ(
      k,
      low[0] + x * (high[0] - low[0]) + top * (x > 0.5 ? -front : back),
      low[1] + y * (high[1] - low[1]) + top * (y > 0.5 ? -side : side),
      low[2] + z * (high[2] - low[2]),
    );
  }
  box.computeVertexNormals();
  return coloured(box, colour);
}

function ball(middle: number[], radii: number[], colour: number, fine = 10): THREE.BufferGeometry {
  const sphere = new THREE.SphereGeometry(1, fine, Math.max(6, fine - 2));
  sphere.rotateX(Math.PI / 2).scale(radii[0], radii[1], radii[2]).translate(middle[0], middle[1], middle[2]);
  return coloured(sphere, colour);
}

function ring(x: number, colour: number): THREE.BufferGeometry {
  const wheel = new THREE.TorusGeometry(0.17, 0.02, 6, 20);
  return coloured(wheel.rotateX(Math.PI / 2).scale(1, 1.2, 1.05).translate(x, 0, -0.31), colour);
}

export function wheelGeometry(): THREE.BufferGeometry {
  const tyre = coloured(new THREE.CylinderGeometry(0.5, 0.5, 1, 18), PAINT);
  const rim = block([-0.3, -0.52, -0.06], [0.3, 0.52, 0.06], 0xb9bfc5);
  const other = block([-0.06, -0.52, -0.3], [0.06, 0.52, 0.3], 0xb9bfc5);
  return merged([tyre, rim, other]);
}

const SOLIDS: Record<string, () => THREE.BufferGeometry> = {
  vehicle: () =>
    merged([
      block([-0.5, -0.5, -0.34], [0.5, 0.5, 0.1], PAINT, 0.03, 0.015, 0.03),
      block([-0.37, -0.46, 0.1], [0.24, 0.46, 0.44], GLASS, 0.13, 0.08, 0.07),
      block([-0.29, -0.4, 0.43], [0.11, 0.4, 0.5], PAINT, 0.03, 0.02, 0.02),
      block([-0.44, -0.44, -0.45], [0.44, 0.44, -0.34], DARK),
      block([0.478, 0.22, -0.12], [0.502, 0.46, 0.0], LIGHT),
      block([0.478, -0.46, -0.12], [0.502, -0.22, 0.0], LIGHT),
    ]),
  person: () => merged([ball([0, 0, -0.13], [0.36, 0.48, 0.37], PAINT, 12), ball([0.02, 0, 0.37], [0.26, 0.22, 0.125], SKIN)]),
  cycle: () =>
    merged([
      ring(-0.3, STEEL), ring(0.3, STEEL),
      block([-0.3, -0.03, -0.2], [0.28, 0.03, -0.15], STEEL),
      block([0.2, -0.4, -0.02], [0.24, 0.4, 0.02], STEEL),
      ball([-0.06, 0, 0.14], [0.17, 0.32, 0.22], PAINT), ball([0.06, 0, 0.42], [0.07, 0.18, 0.08], SKIN),
    ]),
  disc: () => merged([ball([0, 0, 0], [0.5, 0.5, 0.5], PAINT, 18)]),
  drum: () => merged([
    coloured(new THREE.CylinderGeometry(0.5, 0.5, 1, 20).rotateX(Math.PI / 2), PAINT), // a robot, with a mark where it looks
    block([0.12, -0.06, 0.49], [0.46, 0.06, 0.53], LIGHT),
  ]),
  head: () => merged([ball([0, 0, 0], [0.5, 0.5, 0.5], PAINT, 12)]),
  limb: () => merged([ball([0, 0, 0], [0.5, 0.5, 0.5], PAINT, 10)]),
  wheel: wheelGeometry,
};

export function geometryOf(shape: string): THREE.BufferGeometry {
  return (SOLIDS[shape] ?? (() => block([-0.5, -0.5, -0.5], [0.5, 0.5, 0.5], PAINT)))();
}

/** How high the middle of a shape's outline lies above where recordings put it: all are given by their middle. */
export const HAS_WHEELS = new Set(["vehicle"]);
