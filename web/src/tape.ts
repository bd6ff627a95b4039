// A whole recording, unpacked; see core/show/tape.py.
import { emptyFrame, lookOf, between, type Frame, type Look, type LookRow, type Place, type Shape } from "./scene";

const FAR = 20_000; // [m] from zero
const COLUMNS = 9; // x y z, w x y z, speed, flags

export class Tape {
  readonly times: Float64Array;
  readonly looks: Look[];
  private readonly data: Int32Array;
  private readonly frames: number;
  private readonly kept: [Frame, Frame, Frame];
  private keptAt: [number, number] = [-1, -1];
  /** What was taken off all places [m]; numbers of a view are good for some kilometres only. */
  readonly shift: [number, number, number];

  constructor(readonly place: Place, private head: TapeHead, data: Int32Array) {
    this.shift = head.shift;
    this.frames = head.frames;
    this.data = data;
    for (let row = 0; row < data.length / this.frames; row++) {
      for (let pass = 0; pass < 2; pass++)
        for (let k = row * this.frames + 1; k < (row + 1) * this.frames; k++) data[k] += data[k - 1];
    }
    this.times = Float64Array.from(data.subarray(0, this.frames), (v) => head.start + v * head.steps[0]);
    this.looks = head.bodies.map(lookOf);
    const n = this.looks.length;
    this.kept = [emptyFrame(n), emptyFrame(n), emptyFrame(n)];
  }

  get start(): number {
    return this.times[0];
  }

  get end(): number {
    return this.times[this.frames - 1];
  }

  /** The frame at a time, between those that were recorded. */
  at(t: number): Frame {
    let low = 0, high = this.frames - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= t) low = middle;
      else high = middle;
    }
    if (this.keptAt[0] !== low) this.fill(low, this.kept[0]);
    if (this.keptAt[1] !== high) this.fill(high, this.kept[1]);
    this.keptAt = [low, high];
    const mixed = between(this.kept[0], this.kept[1], t, this.kept[2]);
    if (t < this.times[high]) mixed.flags.set(this.kept[0].flags);
    return mixed;
  }

  private fill(frame: number, into: Frame): void {
    const { data, frames, head } = this;
    const [, place, turn, speed] = head.steps;
    into.t = this.times[frame];
    for (let k = 0; k < this.looks.length; k++) {
      const at = (column: number) => data[(1 + k * COLUMNS + column) * frames + frame];
      into.ids[k] = this.looks[k].id;
      for (let i = 0; i < 3; i++) into.place[3 * k + i] = head.origin[i] - head.shift[i] + at(i) * place;
      into.turn[4 * k + 3] = at(3) * turn;
      for (let i = 0; i < 3; i++) into.turn[4 * k + i] = at(4 + i) * turn;
      into.speed[k] = at(7) * speed;
      into.flags[k] = at(8);
    }
  }
}

interface TapeHead extends Place {
  origin: [number, number, number];
  shift: [number, number, number];
  start: number;
  frames: number;
  bodies: LookRow[];
  steps: [number, number, number, number];
}

/** Unpack the bytes that Python's `packed` made. */
export async function readTape(bytes: Uint8Array<ArrayBuffer>): Promise<Tape> {
  if (new TextDecoder().decode(bytes.subarray(0, 4)) !== "SWV1") throw new Error("this is not a recording");
  const size = new DataView(bytes.buffer, bytes.byteOffset + 4, 4).getUint32(0, true);
  const head: TapeHead = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size)));
  const stream = new Blob([bytes.subarray(8 + size)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = new Int32Array(await new Response(stream).arrayBuffer());
  const [x, y] = head.origin;
  head.shift = Math.max(Math.abs(x), Math.abs(y)) > FAR ? [x, y, 0] : [0, 0, 0];
  const { title, ego, captions } = head;
  return new Tape({ title, ego, captions, ...moved(head, x, y) }, head, data);
}

/** Scenery nearer to zero, if it is far. */
function moved({ areas, lines, relief, shift }: TapeHead, x: number, y: number): Pick<Place, "areas" | "lines" | "relief"> {
  if (!shift[0] && !shift[1]) return { areas, lines, relief };
  const near = (shapes: Shape[]) => shapes.map(([role, colour, points]): Shape => [role, colour, points.map((v, k) => (k % 3 === 0 ? v - x : k % 3 === 1 ? v - y : v))]);
  const [x0, y0, x1, y1] = relief?.extent ?? [0, 0, 0, 0];
  return { areas: near(areas), lines: near(lines), relief: relief && { ...relief, extent: [x0 - x, y0 - y, x1 - x, y1 - y] } };
}
