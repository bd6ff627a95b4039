// A minigolf course built with the mouse: walls are drawn, ball, hole and bar are dragged.
import { button, el } from "../dom";
import type { Message } from "../link";
import { arrow } from "../pointer";
import type { Studio } from "../room";

interface Course {
  size: [number, number];
  ball: [number, number];
  hole: [number, number];
  walls: [number, number, number, number][];
  bar: [number, number] | null;
}

const NEAR = 0.14, CUP = 0.23, LEAST = 0.06; // [m]

export class CourseDesk {
  readonly root: HTMLElement;
  course: Course | null = null;
  built = false; // whether it is another than the domain's
  private building = false;
  private chosen = -1; // by the keyboard: ball, hole, bar, walls
  private held: "ball" | "hole" | "bar" | "wall" | null = null;
  private from: [number, number] = [0, 0];
  private to: [number, number] = [0, 0];
  private readonly toggle: HTMLButtonElement;
  private readonly tools: HTMLElement;

  constructor(private studio: Studio) {
    this.toggle = button("Build the course", () => this.build(!this.building), "Build a course with the mouse", { "aria-pressed": "false" });
    this.tools = el("div", { hidden: true },
      el("p", {}, "Drag on the green to draw a wall, click a wall to take it away; drag ball, hole and bar. By keyboard: n chooses, arrows move, w adds a wall, delete takes it away."),
      el("div", { class: "row" },
        button("No walls", () => this.change({ walls: [] }), "Take all walls away"),
        button("Bar", () => this.course && this.change({ bar: this.course.bar ? null : [this.course.size[0] / 2, this.course.size[1] / 2] }), "A turning bar, or none"),
        button("Longer", () => this.course && this.change({ size: [Math.min(this.course.size[0] + 0.4, 6), this.course.size[1]] }), "Make the course longer"),
        button("Shorter", () => this.course && this.change({ size: [Math.max(this.course.size[0] - 0.4, 1.4), this.course.size[1]] }), "Make the course shorter")));
    this.root = el("div", { hidden: true }, el("div", { class: "row" }, this.toggle), this.tools);
  }

  hear(message: Message): void {
    if (message.type !== "scene" && message.type !== "place") return;
    this.course = (message.course as Course | undefined) ?? null;
    this.root.hidden = !this.course;
    if (this.building) this.show();
  }

  /** Whether the mouse is for building. */
  down(x: number, y: number): boolean {
    const { course } = this;
    if (!this.building || !course) return false;
    const near = (at: number[] | null, within: number) => at !== null && Math.hypot(at[0] - x, at[1] - y) < within;
    this.held = near(course.ball, NEAR) ? "ball" : near(course.bar, NEAR) ? "bar" : near(course.hole, CUP) ? "hole" : "wall";
    [this.from, this.to] = [[x, y], [x, y]];
    return x > -0.1 && y > -0.1 && x < course.size[0] + 0.1 && y < course.size[1] + 0.1;
  }

  move(x: number, y: number): void {
    this.to = [x, y];
    this.show();
  }

  up(): void {
    const { course, held, from, to } = this;
    this.held = null;
    if (!course || !held) return;
    if (held !== "wall") this.change({ [held]: to });
    else if (Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1])) >= LEAST) this.change({ walls: [...course.walls, [...from, ...to]] });
    else {
      const left = course.walls.filter(([a, b, c, d]) => !(from[0] > a - 0.03 && from[0] < c + 0.03 && from[1] > b - 0.03 && from[1] < d + 0.03));
      if (left.length < course.walls.length) this.change({ walls: left });
      else this.show();
    }
  }

  /** n chooses ball, hole, bar or a wall, arrows move it; w adds a wall, delete takes the chosen one away. */
  key(event: KeyboardEvent): boolean {
    const { course } = this;
    if (!this.building || !course) return false;
    const things: ("ball" | "hole" | "bar" | number)[] = ["ball", "hole", ...(course.bar ? ["bar" as const] : []), ...course.walls.keys()];
    const thing = things[this.chosen], key = event.key.toLowerCase(), way = arrow(event, 0.05);
    if (key === "n") this.chosen = this.chosen < 0 ? 0 : (this.chosen + (event.shiftKey ? things.length - 1 : 1)) % things.length;
    else if (key === "w") {
      const [x, y] = [course.size[0] / 2, course.size[1] / 2];
      this.chosen = things.length;
      this.change({ walls: [...course.walls, [x - 0.05, y - 0.2, x + 0.05, y + 0.2]] });
    } else if ((key === "delete" || key === "backspace") && typeof thing === "number") {
      this.chosen = -1;
      this.change({ walls: course.walls.filter((_, k) => k !== thing) });
    } else if (way && typeof thing === "number") this.change({ walls: course.walls.map((wall, k) => (k === thing ? wall.map((v, i) => v + way[i % 2]) as typeof wall : wall)) });
    else if (way && typeof thing === "string") {
      const [x, y] = course[thing] as [number, number];
      this.change({ [thing]: [x + way[0], y + way[1]] });
    } else return false;
    this.show();
    return true;
  }

  private build(on: boolean): void {
    this.building = on;
    this.chosen = -1;
    this.toggle.setAttribute("aria-pressed", String(on));
    this.tools.hidden = !on;
    const { theatre } = this.studio;
    if (on) theatre.above();
    else {
      theatre.setCamera("orbit");
      theatre.whole();
    }
    if (on) this.show();
    else this.hide();
  }

  private change(part: Partial<Course>): void {
    if (!this.course) return;
    this.course = { ...this.course, ...part };
    this.built = true;
    this.studio.link.send({ type: "course", course: this.course });
    this.studio.keep();
  }

  private hide(): void {
    this.studio.theatre.setHandles([]);
    this.studio.theatre.setOverlay("draft", null);
  }

  /** Handles on what can be dragged, and the wall that is being drawn. */
  private show(): void {
    const { course, held, to, from } = this;
    if (!course) return;
    const at = (name: "ball" | "hole" | "bar") => (held === name ? to : course[name]);
    const handles = ([["ball", "#d1495b"], ["hole", "#3f8f5b"], ["bar", "#e8a33d"]] as ["ball" | "hole" | "bar", string][]).flatMap(([name, colour]) => {
      const spot = at(name);
      return spot ? [{ x: spot[0], y: spot[1], z: 0.1, colour }] : [];
    });
    const wall = course.walls[this.chosen - handles.length];
    if (wall) handles.push({ x: (wall[0] + wall[2]) / 2, y: (wall[1] + wall[3]) / 2, z: 0.1, colour: "#7a5195" });
    else if (handles[this.chosen]) handles[this.chosen] = { ...handles[this.chosen], colour: "#7a5195" };
    this.studio.theatre.setHandles(handles);
    const [a, b] = from, [c, d] = to, up = 0.1;
    const ring = [a, b, up, c, b, up, c, b, up, c, d, up, c, d, up, a, d, up, a, d, up, a, b, up];
    this.studio.theatre.setOverlay("draft", held === "wall" ? { segments: ring, colour: "#7a5195", wide: 3 } : null);
  }
}
