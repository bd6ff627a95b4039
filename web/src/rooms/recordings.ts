// Recordings: open any file of the folder, compare two.
import { choice, el } from "../dom";
import { Chart, together } from "../charts";
import type { MakeRoom } from "../room";
import type { Tape } from "../tape";

interface Curves {
  time: number[];
  speed: number[];
  of: string;
  count: number; // of bodies that it is about; above one the curve is their mean
  seconds: number;
  distance: number;
  top: number;
}

export const recordings: MakeRoom = (studio) => {
  const { menu, settings, theatre } = studio;
  const files = menu.files.filter((file) => file.kind === "recording");
  const options: [string, string][] = files.map((file) => [file.name, `${file.name} (${(file.bytes / 1e6).toFixed(1)} MB)`]);
  const file = settings.file ?? options[0]?.[0] ?? "", against = settings.against ?? "";
  const chart = new Chart("Speed", "time [s]", [
    { label: "this [m/s]", colour: "#d1495b" }, { label: "the other [m/s]", colour: "#9a6fb5" },
  ]);
  const facts = el("table", { class: "figures" }), caption = el("p", {});
  const tapes: Tape[] = [], curves: Record<string, Curves> = {};
  const panel = el(
    "div", {},
    options.length
      ? choice("Recording", options, file, (value) => studio.go({ file: value }))
      : el("p", {}, "There are no recordings in this folder yet. Commands like swerve race write some; start the studio with --folder out."),
    options.length ? choice("Compare with", [["", "nothing"], ...options], against, (value) => studio.go(value ? { file, against: value } : { file })) : null,
    facts, chart.root, caption,
  );
  const show = () => {
    const { first, second } = curves;
    if (!first) return;
    caption.textContent = [first, second].some((c) => c && c.count > 1) ? "Of several bodies curve and way are the mean, the top speed is that of any." : "";
    chart.set(together([first.time, first.speed], second && [second.time, second.speed]));
    const row = (name: string, f: (of: Curves) => string) =>
      el("tr", {}, el("th", {}, name), el("td", {}, f(first)), second ? el("td", {}, f(second)) : null);
    facts.replaceChildren(
      row("of", (c) => (c.count > 1 ? `${c.count} bodies` : c.of)), row("time", (c) => `${c.seconds.toFixed(2)} s`),
      row(first.count > 1 ? "way, on average" : "way", (c) => `${c.distance.toFixed(0)} m`),
      row(first.count > 1 ? "top speed of any" : "top speed", (c) => `${c.top.toFixed(1)} m/s`),
    );
  };
  return {
    title: "Recordings",
    words: "A recording plays here from a file; a second one is drawn over it in violet.",
    panel,
    ask: () => (file ? { type: "open", room: "recordings", file, ...(against ? { against } : {}) } : null),
    hear(message) {
      if (message.type !== "curves") return;
      curves[String(message.which)] = message as unknown as Curves;
      show();
    },
    tape(which, tape) {
      tapes[which === "f" ? 0 : 1] = tape;
      if (tapes[0]) theatre.play(tapes.filter(Boolean));
    },
    theme: () => chart.theme(),
  };
};
