// Race: drive with the keys against the planner, and watch its route tree.
import { Chart, together } from "../charts";
import { button, choice, el } from "../dom";
import type { MakeRoom } from "../room";
import { ClipDesk } from "./clips";

interface Lap {
  way: number[];
  time: number[];
  speed: number[];
  finished: number | null;
}

export const race: MakeRoom = (studio) => {
  const { menu, settings, theatre, link } = studio;
  const names = (list: unknown): [string, string][] => (list as string[]).map((name) => [name, name]);
  const files = (kind: string) => menu.files.filter((file) => file.kind === kind).map((file): [string, string] => [file.name, file.name]);
  const clips = new ClipDesk(studio);
  let cars: number[] = [], held = -1;
  const asked = { track: settings.track ?? "final", tree: settings.tree ?? "large", car: settings.car ?? "seed", rival: settings.rival !== "no" };
  const go = (change: Partial<typeof asked>) => {
    const next = { ...asked, ...change };
    studio.go({ track: next.track, tree: next.tree, car: next.car, rival: next.rival ? "yes" : "no" });
  };
  const chart = new Chart("Both laps: speed", "way [m]", [
    { label: "you [m/s]", colour: "#d1495b" }, { label: "planner [m/s]", colour: "#2e6f95" },
  ]);
  const result = el("p", { "aria-live": "polite" });
  const show = el("input", { type: "checkbox", checked: true });
  const company = button(asked.rival ? "Drive alone" : "Race the planner", () => go({ rival: !asked.rival }));
  const mind = el("label", asked.rival ? {} : { hidden: true }, show, " show the route tree");
  const panel = el("div", {},
    choice("Track", [...names(menu.tracks), ...files("track")], asked.track, (track) => go({ track })),
    choice("Car", names(menu.cars), asked.car, (car) => go({ car })),
    choice("Move tree of the planner", [...names(menu.trees), ...files("tree")], asked.tree, (tree) => go({ tree })),
    el("div", { class: "row" },
      company, mind),
    el("div", { class: "row" },
      button("Add a car that stands", () => link.send({ type: "car" }), "Put a standing car on the road ahead"),
      button("One that drives", () => link.send({ type: "car", speed: 8 }), "Put a car on the road ahead that drives at 8 m/s")),
    clips.root,
    el("p", {}, "Arrows or W A S D: throttle, brake, steer. x backs up. A gamepad or a wheel works too. Cars that you added are dragged with the mouse."), result, chart.root);
  studio.driving.active = true;
  theatre.pointing = {
    down(x, y) {
      const frame = theatre.frame();
      held = -1;
      let least = 4; // [m]
      for (const id of cars) {
        const k = frame ? frame.ids.indexOf(id) : -1;
        const far = frame && k >= 0 ? Math.hypot(frame.place[3 * k] - x, frame.place[3 * k + 1] - y) : Infinity;
        if (far < least) [held, least] = [id, far];
      }
      return held >= 0;
    },
    move: (x, y) => held >= 0 && link.send({ type: "drag", id: held, x, y }),
    up: () => (held = -1),
  };
  return {
    title: "Race",
    words: "You drive the red car; the other is driven by the planner, which searches its route tree while it drives.",
    panel,
    ask: () => ({ type: "open", room: "race", ...asked }),
    hear(message) {
      clips.hear(message);
      if (message.type === "alone") {
        result.textContent = `${message.text}`;
        company.hidden = mind.hidden = true; // one is alone already
      }
      else if (message.type === "cars") cars = message.ids as number[];
      else if (message.type === "opened") {
        cars = [];
        theatre.setCamera("follow");
        theatre.viewer.canvas.focus();
      } else if (message.type === "mind") {
        theatre.setOverlay("tree", show.checked ? { segments: message.tree as number[], colour: "#e8a33d" } : null);
        theatre.setOverlay("route", { segments: message.route as number[], colour: "#2e6f95", wide: 3 });
      } else if (message.type === "lap") {
        const laps = message.laps as Record<string, Lap>, over = (lap?: Lap): [number[], number[]] | undefined => lap && [lap.way, lap.speed];
        chart.set(together(over(laps.you), over(laps.planner)));
        result.textContent = Object.entries(laps).map(([who, lap]) => `${who}: ${lap.finished === null ? "still driving" : `${lap.finished.toFixed(2)} s`}`).join(", ");
      }
    },
    frame() {
      const frame = theatre.frame(), k = frame ? frame.ids.indexOf(theatre.place.ego ?? -1) : -1;
      if (frame && k >= 0) studio.gauge.replaceChildren(el("b", {}, String(Math.round(3.6 * frame.speed[k]))), " km/h");
    },
    theme() {
      chart.theme();
      clips.theme();
    },
  };
};
