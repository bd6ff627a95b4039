// Clips of one's own driving: record, trim, add to a move tree.
import { Chart } from "../charts";
import { button, el, slider } from "../dom";
import type { Message } from "../link";
import type { Studio } from "../room";

export class ClipDesk {
  readonly root: HTMLElement;
  private on = false;
  private start = 0;
  private end = 0;
  private allowed = 0.3;
  private readonly toggle: HTMLButtonElement;
  private readonly chart = new Chart("The take", "time [s]", [
    { label: "speed [m/s]", colour: "#d1495b", wide: 2 }, { label: "sideways + turning", colour: "#2e6f95" },
  ], 140);
  private readonly from = el("input", { type: "range", min: 0, max: 1, value: 0, step: 1, "aria-label": "First frame of the clip" });
  private readonly to = el("input", { type: "range", min: 0, max: 1, value: 1, step: 1, "aria-label": "Last frame of the clip" });
  private readonly fit = el("p", { "aria-live": "polite", id: "fit" });
  private readonly name = el("input", { type: "text", value: "mine", maxlength: 40, "aria-label": "Name of the new tree" });
  private readonly desk: HTMLElement;

  constructor(private studio: Studio) {
    const { link } = studio;
    this.toggle = button("Record a clip", () => link.send({ type: "record", on: !this.on }), "Record what you drive, or stop recording");
    const trim = () => link.send({ type: "trim", start: Math.min(Number(this.from.value), Number(this.to.max) - 5), end: Math.max(Number(this.to.value), Number(this.from.value) + 5) });
    this.from.onchange = this.to.onchange = trim;
    this.desk = el("div", { hidden: true },
      this.chart.root,
      el("label", { class: "field" }, el("span", {}, "Trim: from"), this.from),
      el("label", { class: "field" }, el("span", {}, "Trim: to"), this.to),
      this.fit,
      slider("Allowed jump at the ends", 0.1, 3, 0.1, this.allowed, (value) => {
        this.allowed = value;
      }),
      el("div", { class: "row" }, this.name, button("Add to the tree", () => link.send({
        type: "add", start: this.start, end: this.end, name: this.name.value.trim(), tolerance: this.allowed,
      }), "Write a new tree: the planner's with this clip, and with those that were added before")));
    this.root = el("details", {}, el("summary", {}, "Clips of your own"),
      el("p", {}, "Record a piece of your driving, trim it, and give it to the planner as a move."),
      el("div", { class: "row" }, this.toggle), this.desk);
  }

  hear(message: Message): void {
    if (message.type === "recording") {
      this.on = Boolean(message.on);
      this.toggle.textContent = this.on ? "Stop recording" : "Record a clip";
      this.toggle.setAttribute("aria-pressed", String(this.on));
      if (this.on) this.desk.hidden = true;
    } else if (message.type === "take") {
      this.desk.hidden = false;
      this.chart.set([message.time as number[], message.speed as number[], message.unrest as number[]]);
      for (const end of [this.from, this.to]) end.max = String(message.frames);
    } else if (message.type === "trimmed") {
      [this.start, this.end] = [message.start as number, message.end as number];
      [this.from.value, this.to.value] = [String(this.start), String(this.end)];
      const nodes = message.nodes as string[], miss = message.miss as number[];
      const words = `${(message.seconds as number).toFixed(2)} s, from ${nodes[0]} (${miss[0].toFixed(2)} off) to ${nodes[1]} (${miss[1].toFixed(2)} off)`;
      this.fit.textContent = message.touched ? `${words}. The car touched something: trim that away.` : `${words}.`;
      this.studio.theatre.setOverlay("clip", { segments: message.line as number[], colour: "#7a5195", wide: 4 });
    } else if (message.type === "tree") {
      const name = String(message.name), trees = document.querySelector<HTMLSelectElement>("select[aria-label='Move tree of the planner']");
      trees?.append(el("option", { value: name }, name));
      this.studio.note(`Wrote ${name} with ${message.clips} clips. Choose it as the planner's tree to see it used.`);
    }
  }

  theme(): void {
    this.chart.theme();
  }
}
