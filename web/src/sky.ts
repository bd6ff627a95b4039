// What is around every place in 3-D: a sky, ground with a grid that shows speed, and soft shadows.
import * as THREE from "three";
import { GROUND, SKY } from "./viewer";

const DOME = 1000, GRID_CELLS = 400;

/** A dome that is paler at the horizon; it goes with the eye. */
export class Sky {
  readonly mesh: THREE.Mesh;
  private geometry = new THREE.SphereGeometry(DOME, 24, 16).rotateX(Math.PI / 2);

  constructor() {
    const material = new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.BackSide, depthWrite: false, depthTest: false, fog: false });
    this.mesh = new THREE.Mesh(this.geometry, material);
    this.mesh.renderOrder = -10;
    this.mesh.frustumCulled = false;
  }

  theme(dark: boolean): void {
    const low = new THREE.Color(dark ? SKY.dark : SKY.light), high = new THREE.Color(dark ? "#05080c" : "#a9c6dd");
    const p = this.geometry.getAttribute("position"), colours = new Float32Array(3 * p.count), mixed = new THREE.Color();
    for (let k = 0; k < p.count; k++)
      mixed.copy(low).lerp(high, Math.min(Math.max(p.getZ(k) / DOME, 0) * 1.6, 1)).toArray(colours, 3 * k);
    this.geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  }

  follow(eye: THREE.Vector3, far: number): void {
    this.mesh.position.copy(eye);
    this.mesh.scale.setScalar((0.9 * far) / DOME);
  }
}

/** Flat ground without end: it goes with the eye by whole cells, so its lines stay where they are. */
export class Floor {
  readonly mesh: THREE.Mesh;
  private material = new THREE.MeshBasicMaterial({ depthWrite: false, depthTest: false }); // behind all: so wide, its depth is coarse
  private cell = 10;

  constructor() {
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(GRID_CELLS, GRID_CELLS), this.material);
    this.mesh.position.z = -0.05;
    this.mesh.renderOrder = -5;
  }

  /** Lines at a distance that suits a place of this size [m]. */
  fit(size: number): void {
    this.cell = size < 8 ? 0.5 : size < 60 ? 5 : size < 2500 ? 20 : 200;
    this.mesh.scale.set(this.cell, this.cell, 1);
  }

  theme(dark: boolean): void {
    this.material.map?.dispose();
    this.material.map = gridTexture(dark ? GROUND.dark : GROUND.light, dark ? "#29323d" : "#dcd8cd");
    this.material.needsUpdate = true;
  }

  follow(x: number, y: number): void {
    this.mesh.position.x = this.cell * Math.round(x / this.cell);
    this.mesh.position.y = this.cell * Math.round(y / this.cell);
  }
}

function canvasTexture(size: number, draw: (pen: CanvasRenderingContext2D) => void): THREE.CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  draw(canvas.getContext("2d")!);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

function gridTexture(ground: string, line: string): THREE.CanvasTexture {
  const texture = canvasTexture(128, (pen) => {
    pen.fillStyle = ground;
    pen.fillRect(0, 0, 128, 128);
    pen.fillStyle = line;
    pen.fillRect(0, 0, 128, 2);
    pen.fillRect(0, 0, 2, 128);
  });
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.repeat.set(GRID_CELLS, GRID_CELLS);
  texture.anisotropy = 4;
  return texture;
}

/** Four by four windows, some of them lit in the dark; times the colour of a wall. */
export function facadeTexture(dark: boolean): THREE.CanvasTexture {
  const texture = canvasTexture(128, (pen) => {
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, 128, 128);
    for (let i = 0; i < 4; i++)
      for (let j = 0; j < 4; j++) {
        pen.fillStyle = dark ? ((7 * i + 5 * j) % 6 === 0 ? "#ffdf9e" : "#56606c") : (i + 3 * j) % 5 ? "#8fa0ad" : "#a9b6bf";
        pen.fillRect(32 * i + 9, 32 * j + 8, 14, 17);
      }
  });
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.anisotropy = 4;
  return texture;
}

/** The shadow below a body: a soft patch in a square of 1 × 1. */
export function shadowParts(): [THREE.BufferGeometry, THREE.Material] {
  const map = canvasTexture(64, (pen) => {
    const soft = pen.createRadialGradient(32, 32, 10, 32, 32, 32);
    soft.addColorStop(0, "rgba(0,0,0,0.42)");
    soft.addColorStop(1, "rgba(0,0,0,0)");
    pen.fillStyle = soft;
    pen.fillRect(0, 0, 64, 64);
  });
  const material = new THREE.MeshBasicMaterial({ map, transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -8, polygonOffsetUnits: -40 });
  return [new THREE.PlaneGeometry(1, 1), material];
}
