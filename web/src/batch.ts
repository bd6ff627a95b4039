// Many bodies of one shape in one drawing.
import * as THREE from "three";

export class Batch {
  mesh: THREE.InstancedMesh;
  used = 0;

  constructor(private scene: THREE.Scene, private geometry: THREE.BufferGeometry, private material: THREE.Material, private order = 0, room = 64) {
    this.mesh = this.make(room);
  }

  private make(room: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, room);
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.setColorAt(0, new THREE.Color("#ffffff"));
    this.scene.add(mesh);
    return mesh;
  }

  put(matrix: THREE.Matrix4, colour: THREE.Color): void {
    if (this.used >= this.mesh.instanceMatrix.count) {
      const old = this.mesh;
      this.mesh = this.make(2 * old.instanceMatrix.count);
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      this.mesh.instanceColor!.array.set(old.instanceColor!.array);
      this.scene.remove(old);
      old.dispose();
    }
    matrix.toArray(this.mesh.instanceMatrix.array, 16 * this.used);
    colour.toArray(this.mesh.instanceColor!.array, 3 * this.used);
    this.used++;
  }

  done(): void {
    this.mesh.count = this.used;
    this.mesh.visible = this.used > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
    this.used = 0;
  }
}

/** Paint of an instance goes on what is white in the shape; glass, skin and tyres keep their own colour. */
export function painted(): THREE.Material {
  const material = new THREE.MeshLambertMaterial({ vertexColors: true });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace(
      "#include <color_vertex>",
      "#include <color_vertex>\n#ifdef USE_INSTANCING_COLOR\nvColor.rgb = mix(color.rgb, color.rgb * instanceColor.rgb, step(2.99, color.r + color.g + color.b));\n#endif",
    );
  };
  return material;
}
