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
  const said = el("p", { "aria-live": "polite" });
  const panel = el("div", {},
    el("div", { class: "row" },
      button("Call a pedestrian", () => link.send({ type: "pedestrian" }), "Somebody steps into the street ahead"),
      button("Call an ambulance", () => link.send({ type: "ambulance" }), "An ambulance comes up behind you"),
      button("Mirror", () => studio.setMirror(Boolean(document.querySelector(".mirror[hidden]"))), "Show or hide the mirror")),
    said,
    numberField("Vehicles", asked.vehicles, (vehicles) => go({ vehicles }), 1, 300),
    numberField("People", asked.people, (people) => go({ people }), 0, 200),
    numberField("Seed", asked.seed, (seed) => go({ seed })),
    el("p", {}, "Arrows or W A S D drive. Click anybody to see where they mean to be in the next four seconds."));
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
      } else if (message.type === "thought") theatre.setOverlay("thought", { segments: message.path as number[], colour: "#7a5195", wide: 3 });
      else if (message.type === "reaction") said.textContent = `You braked ${(message.seconds as number).toFixed(2)} s after the pedestrian appeared.`;
    },
    frame() {
      const frame = theatre.frame(), k = frame ? frame.ids.indexOf(theatre.place.ego ?? -1) : -1;
      if (frame && k >= 0) studio.gauge.replaceChildren(el("b", {}, String(Math.round(3.6 * frame.speed[k]))), " km/h");
    },
    close: () => studio.setMirror(false),
  };
};
