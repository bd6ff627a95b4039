// Riders: a herd whose levels of detail are seen by colour, its controller switched live.
import { button, choice, el, numberField, slider } from "../dom";
import type { MakeRoom } from "../room";

export const riders: MakeRoom = (studio) => {
  const { settings, theatre, link } = studio;
  const asked = { riders: Number(settings.riders ?? 24), full: Number(settings.full ?? 4), seed: Number(settings.seed ?? 0) };
  const go = (change: Partial<typeof asked>) => {
    const next = { ...asked, ...change };
    studio.go({ riders: String(next.riders), full: String(next.full), seed: String(next.seed) });
  };
  const panel = el("div", {},
    choice("Controller", [["lod", "by mobility map"], ["simple", "simple, for comparison"]], "lod", (name) => link.send({ type: "controller", name })),
    slider("Spacing [m]", 2, 15, 0.5, 5, (value) => link.send({ type: "spacing", value })),
    numberField("Riders", asked.riders, (value) => go({ riders: value }), 2, 400),
    numberField("In full physics, at most", asked.full, (value) => go({ full: value }), 1, 16),
    numberField("Seed", asked.seed, (seed) => go({ seed })),
    el("div", { class: "row" }, button("From the side", () => {
      theatre.setCamera("follow");
      theatre.camera.azimuth = -1.9 + Math.PI / 2;
      theatre.camera.elevation = 0.15;
      theatre.camera.distance = 6;
      theatre.redraw();
    }, "See one rider from the side")),
    el("p", {}, "Red riders are in full physics, with every limb; blue ones ride on a mobility map."));
  return {
    title: "Riders",
    words: "Everybody wants to be a set distance from the neighbours while all ride the same way.",
    panel,
    ask: () => ({ type: "open", room: "riders", ...asked }),
    hear(message) {
      if (message.type === "opened") theatre.setCamera("follow");
      if (message.type === "paint") theatre.paint(message.rows as [number, string][]);
    },
  };
};
