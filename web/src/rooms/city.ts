// City: drive in traffic; call an ambulance or a pedestrian; see what others think.
import { button, el, numberField } from "../dom";
import type { MakeRoom } from "../room";

export const city: MakeRoom = (studio) => {
  const { settings, theatre, link } = studio;
  const asked = { vehicles: Number(settings.vehicles ?? 60), people: Number(settings.people ?? 30), seed: Number(settings.seed ?? 0) };
  const go = (change: Partial<typeof asked>) => {
    const next = { ...asked, ...change };
    studio.go({ vehicles: String(next.vehicles), people: String(next.people), seed: String(next.seed) });
  };
  const mind = el("table", { class: "figures", id: "mind" }), about = el("h3", { hidden: true });
  const SHOWN: [string, string, number][] = [["radar", "#8c99a6", 1.5], ["goal", "#b7a3c8", 2], ["path", "#7a5195", 4], ["wish", "#3f8f5b", 4], ["taken", "#e8a33d", 4]];
  const said = el("p", { "aria-live": "polite" });
  const panel = el("div", {},
    el("div", { class: "row" },
      button("Call a pedestrian", () => link.send({ type: "pedestrian" }), "Somebody steps into the street ahead"),
      button("Call an ambulance", () => link.send({ type: "ambulance" }), "An ambulance comes up behind you"),
      button("Mirror", () => studio.setMirror(Boolean(document.querySelector(".mirror[hidden]"))), "Show or hide the mirror")),
    said, about, mind,
    numberField("Vehicles", asked.vehicles, (vehicles) => go({ vehicles }), 1, 300),
    numberField("People", asked.people, (people) => go({ people }), 0, 200),
    numberField("Seed", asked.seed, (seed) => go({ seed })),
    el("p", {}, "Arrows or W A S D drive. Click anybody to see what they think: path (violet), radar (grey), what they wish (green) and do (amber)."));
  studio.driving.active = true;
  theatre.pointing = {
    body: (id) => {
      link.send({ type: "watch", id });
      theatre.camera.followed = theatre.place.ego ?? id;
    },
  };
  return {
    title: "City",
    words: "You are at the wheel of the red car, in traffic that sees you and brakes for you.",
    panel,
    ask: () => ({ type: "open", room: "city", ...asked }),
    hear(message) {
      if (message.type === "opened") {
        theatre.setCamera("follow");
        studio.setMirror(true);
        theatre.viewer.canvas.focus();
      } else if (message.type === "thought") {
        for (const [name, colour, wide] of SHOWN) theatre.setOverlay(name, { segments: message[name] as number[], colour, wide });
        const look = theatre.looks.get(message.id as number);
        about.hidden = false;
        about.textContent = `What ${look?.kind ?? "body"} ${message.id} thinks`;
        mind.replaceChildren(...Object.entries(message.words as Record<string, unknown>).map(([name, value]) =>
          el("tr", {}, el("th", {}, name), el("td", {}, typeof value === "number" ? value.toFixed(1) : String(value)))));
      }
      else if (message.type === "reaction") said.textContent = `You braked ${(message.seconds as number).toFixed(2)} s after the pedestrian appeared.`;
    },
    frame() {
      const frame = theatre.frame(), k = frame ? frame.ids.indexOf(theatre.place.ego ?? -1) : -1;
      if (frame && k >= 0) studio.gauge.replaceChildren(el("b", {}, String(Math.round(3.6 * frame.speed[k]))), " km/h");
    },
    close: () => studio.setMirror(false),
  };
};
