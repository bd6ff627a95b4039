// Play, pause, scrub, speed: the bar below the stage.
import { button, el } from "./dom";
import type { Theatre } from "./theatre";

export interface Clockwork {
  play(on: boolean): void;
  speed(value: number): void;
  again(): void;
}

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];

export class Timeline {
  readonly root: HTMLElement;
  private toggle = button("Pause", () => this.flip(), "Play or pause (space)", { class: "play" });
  private range = el("input", { type: "range", min: 0, max: 1000, value: 0, step: 1, "aria-label": "Time", class: "scrub" });
  private clock = el("output", { class: "clock", "aria-live": "off" }, "0.0 s");
  private pace = el("select", { "aria-label": "Speed", title: "Speed" });
  on = true;

  constructor(private theatre: Theatre, private works: Clockwork) {
    for (const value of SPEEDS) this.pace.append(el("option", { value }, `${value}×`));
    this.pace.value = "1";
    this.pace.onchange = () => this.works.speed(Number(this.pace.value));
    this.range.oninput = () => {
      const { start, end } = theatre;
      theatre.seek(start + (Number(this.range.value) / 1000) * (end - start));
    };
    const again = button("Restart", () => this.works.again(), "From the start (r)");
    this.root = el("div", { class: "timeline" }, this.toggle, again, this.range, this.clock, this.pace);
    theatre.onTime = (t) => this.tell(t);
  }

  flip(): void {
    this.works.play(!this.on);
  }

  set(on: boolean): void {
    this.on = on;
    this.toggle.textContent = on ? "Pause" : "Play";
  }

  faster(by: number): void {
    const at = Math.min(Math.max(SPEEDS.indexOf(Number(this.pace.value)) + by, 0), SPEEDS.length - 1);
    this.pace.value = String(SPEEDS[at]);
    this.works.speed(SPEEDS[at]);
  }

  reset(): void {
    this.pace.value = "1";
    this.tell(this.theatre.time);
  }

  private tell(t: number): void {
    const { tapes, start, end } = this.theatre;
    this.clock.textContent = tapes.length ? `${t.toFixed(1)} / ${end.toFixed(1)} s` : `${t.toFixed(1)} s`;
    this.range.hidden = !tapes.length;
    if (tapes.length && document.activeElement !== this.range)
      this.range.value = String(Math.round((1000 * (t - start)) / Math.max(end - start, 1e-9)));
    if (tapes.length && this.on !== this.theatre.playing) this.set(this.theatre.playing);
  }
}
