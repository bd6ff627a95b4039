// Tactics: watch a search tree grow; drag bodies before it is solved.
import { button, choice, el, numberField, slider } from "../dom";
import type { MakeRoom } from "../room";
import { CourseDesk } from "./course";

const COLOURS = ["#2e6f95", "#e8a33d", "#3f8f5b", "#7a5195"];

export const tactics: MakeRoom = (studio) => {
  const { menu, settings, theatre, link } = studio;
  const asked = { domain: settings.domain ?? "minigolf", layout: Number(settings.layout ?? 0), seed: Number(settings.seed ?? 0) };
  let planner = "", mu = 150, held = -1, building = false, grown: Record<string, number[]> = {};
  const desk = new CourseDesk(studio);
  const own = () => (desk.course && desk.built ? JSON.stringify(desk.course) : settings.course);
  const go = (change: Partial<typeof asked>) => {
    const next = { ...asked, ...change };
    const course = "seed" in change ? own() : undefined; // another seed is for the same course
    studio.go({ domain: next.domain, layout: String(next.layout), seed: String(next.seed), ...(course ? { course } : {}) });
  };
  const state = el("p", { "aria-live": "polite", id: "growth" }, "Drag bodies to other places, then solve.");
  const panel = el("div", {},
    choice("Domain", (menu.domains as string[]).map((name): [string, string] => [name, name]), asked.domain, (domain) => go({ domain })),
    choice("Planner", [["", "the domain's own"], ...(menu.planners as string[]).map((name): [string, string] => [name, name])], "", (value) => (planner = value)),
    slider("Depth over breadth (μ)", 5, 500, 5, mu, (value) => (mu = value)),
    numberField("Layout", asked.layout, (layout) => go({ layout })), numberField("Seed", asked.seed, (seed) => go({ seed })),
    desk.root,
    el("div", { class: "row" }, button("Solve", () => {
      grown = {};
      link.send({ type: "solve", mu, ...(planner ? { planner } : {}) });
    }, "Grow the tree", { class: "main" })), state);
  theatre.pointing = {
    key: (event) => desk.key(event),
    down(x, y) {
      if (desk.down(x, y)) return (building = true);
      building = false;
      const frame = theatre.frame();
      held = -1;
      let least = 0.25;
      if (frame && !theatre.tapes.length)
        frame.ids.forEach((id, k) => {
          const far = Math.hypot(frame.place[3 * k] - x, frame.place[3 * k + 1] - y);
          if (far < least) [held, least] = [id, far];
        });
      return held >= 0;
    },
    move(x, y) {
      if (building) desk.move(x, y);
      else if (held >= 0) link.send({ type: "move", id: held, x, y });
    },
    up() {
      if (building) desk.up();
      [held, building] = [-1, false];
    },
  };
  return {
    title: "Tactics",
    words: "Every branch is a simulated future; the planner grows them until one ends in the goal.",
    panel,
    ask: () => {
      const course = own();
      return { type: "open", room: "tactics", ...asked, ...(course ? { course } : {}) };
    },
    hear(message) {
      desk.hear(message);
      if (message.type === "place") {
        for (const name of Object.keys(grown)) theatre.setOverlay(name, null);
        grown = {};
        state.textContent = "Solve to see whether the ball can be holed.";
      }
      if (message.type === "branches") {
        Object.entries(message.branches as Record<string, number[]>).forEach(([name, segments], k) => {
          grown[name] = [...(grown[name] ?? []), ...segments].slice(-120_000);
          theatre.setOverlay(name, { segments: grown[name], colour: COLOURS[k % COLOURS.length] });
        });
        state.textContent = `${message.nodes} nodes, ${message.solutions} solutions`;
      } else if (message.type === "solved") state.textContent = message.solved ? "Solved; it plays now." : `Not solved: ${message.status}.`;
    },
    tape(_which, tape) {
      theatre.play([tape]);
    },
  };
};
