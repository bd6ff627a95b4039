// Terrain: drag the control points of a path and obstacles; limits, speeds, forces, time and energy follow.
import { Chart } from "../charts";
import { button, choice, el } from "../dom";
import type { Message } from "../link";
import { arrow } from "../pointer";
import type { MakeRoom } from "../room";

export const terrain: MakeRoom = (studio) => {
  const { menu, settings, theatre, link } = studio;
  const map = settings.map ?? "mountain";
  let points: [number, number, number][] = [], obstacles: [number, number, number][] = [], pushed = false, held = -1, waiting = false, changed = false, asked = 0, bent = false;
  const written = (places: [number, number, number][]) => places.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(";");
  const speeds = new Chart("Speed and its limit", "way [m]", [
    { label: "limit [m/s]", colour: "#e8a33d", dash: [4, 3] }, { label: "speed [m/s]", colour: "#d1495b", wide: 2 },
  ]);
  const forces = new Chart("Forces, as shares of the weight", "way [m]", [
    { label: "drive", colour: "#2e6f95" }, { label: "side", colour: "#3f8f5b" },
  ], 150);
  const facts = el("table", { class: "figures", id: "facts" });
  const trouble = el("p", { "aria-live": "polite" });
  const send = () => {
    if (waiting) {
      changed = true; // only the newest is worth asking for
      return;
    }
    waiting = bent = true;
    asked = performance.now();
    const [type, key, list] = pushed ? ["obstacles", "at", obstacles] as const : ["points", "points", points] as const;
    link.send({ type, [key]: list.map(([x, y]) => [x, y]) });
  };
  const panel = el("div", {},
    choice("Map", (menu.maps as string[]).map((name): [string, string] => [name, name]), map, (value) => studio.go({ map: value })),
    el("div", { class: "row" },
      button("Find the fastest", () => {
        studio.note("Searching…");
        bent = true;
        link.send({ type: "fastest" });
      }, "Search the fastest path", { class: "main" }),
      button("Add a point", () => {
        const k = Math.floor(points.length / 2), [a, b] = [points[k - 1], points[k]];
        points.splice(k, 0, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, 0]);
        pushed = false;
        send();
      }),
      button("Add an obstacle", () => {
        bent = true;
        link.send({ type: "obstacle" });
      }, "Put an obstacle on the path; drag it by its middle")),
    facts, trouble, speeds.root, forces.root);
  theatre.pointing = {
    down(_x, _y, px, py) {
      held = theatre.handleAt(px, py);
      return held >= 0;
    },
    move(x, y) {
      if (held < 0) return;
      pushed = held >= points.length;
      const list = pushed ? obstacles : points, k = pushed ? held - points.length : held;
      list[k] = [x, y, list[k][2]];
      handles();
      send();
    },
    up: () => (held = -1),
    key(event) {
      const count = points.length + obstacles.length, relief = theatre.place.relief;
      if (event.key.toLowerCase() === "n" && count) {
        held = held < 0 ? (event.shiftKey ? count - 1 : 0) : (held + (event.shiftKey ? count - 1 : 1)) % count;
        handles();
        return true;
      }
      const way = arrow(event, relief ? (relief.extent[2] - relief.extent[0]) / 100 : 1), at = [...points, ...obstacles][held];
      if (!way || !at) return false;
      theatre.pointing.move?.(at[0] + way[0], at[1] + way[1]);
      return true;
    },
  };
  const handles = () => theatre.setHandles([...points, ...obstacles].map(([x, y, z], k) => ({ x, y, z, colour: k === held ? "#d1495b" : k < points.length ? "#1d2733" : "#8a5a2b" })));
  const show = (message: Message) => {
    const m = message as unknown as Record<string, number[] & number & string> & { points: [number, number, number][]; obstacles: [number, number, number][] };
    waiting = false;
    document.body.dataset.took = String(Math.round(performance.now() - asked));
    points = held >= 0 && points.length === m.points.length ? m.points.map((p, k) => (k === held ? [points[k][0], points[k][1], p[2]] : p)) : m.points;
    const moved = held - points.length;
    obstacles = m.obstacles.map((at, k) => (k === moved && obstacles[k] ? [obstacles[k][0], obstacles[k][1], at[2]] : at));
    handles();
    theatre.setOverlay("obstacles", { segments: m.rings, colour: "#8a5a2b", wide: 4 });
    theatre.setOverlay("path", { segments: m.line, colour: "#1d4e6f", wide: 3 });
    theatre.setOverlay("trouble", { segments: m.troubled, colour: "#d1495b", wide: 5 });
    speeds.set([m.distance, m.limit, m.speed]);
    forces.set([m.distance, m.drive, m.side]);
    const row = (name: string, value: string) => el("tr", {}, el("th", {}, name), el("td", {}, value));
    facts.replaceChildren(
      row("time", m.time === null ? "–" : `${(m.time as number).toFixed(2)} s`), row("length", `${(m.length as unknown as number).toFixed(0)} m`),
      row("energy", `${((m.energy as number) / 1e6).toFixed(2)} MJ`), row("top speed", `${(m.top as number).toFixed(1)} m/s`),
    );
    trouble.textContent = m.trouble ? `Cannot be driven: ${m.trouble}.` : "";
    if (changed) {
      changed = false;
      send();
    }
  };
  return {
    title: "Terrain",
    words: "Drag the points of the path and the brown obstacles: the speed limit, the fastest speeds and the forces follow. By keyboard: n chooses one, arrows move it.",
    panel,
    still: true,
    ask: () => ({ type: "open", room: "terrain", map, ...(bent ? { points: written(points), obstacles: written(obstacles) } : settings.points ? { points: settings.points, obstacles: settings.obstacles ?? "" } : {}) }),
    hear(message) {
      if (message.type === "profile") show(message);
      else if (message.type === "error") waiting = false;
    },
    theme() {
      speeds.theme();
      forces.theme();
    },
  };
};
