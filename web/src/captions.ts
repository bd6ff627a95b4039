// What a recording tells in words that change with time: a score, a signal, what is being played.
import { el } from "./dom";
import type { Caption } from "./scene";

export class Captions {
  readonly root = el("dl", { class: "captions", hidden: true });
  private rows: [Caption, HTMLElement][] = [];

  show(captions: Caption[]): void {
    this.rows = captions.map((caption) => [caption, el("dd")]);
    this.root.replaceChildren(...this.rows.map(([[label], text]) => el("div", {}, el("dt", {}, label), text)));
    this.root.hidden = !captions.length;
  }

  at(t: number): void {
    for (const [[, times, texts], text] of this.rows) {
      const now = texts[lastAt(times, t + 1e-6)] ?? "";
      if (text.textContent !== now) text.textContent = now;
    }
  }
}

/** Which of times in order is the last one that has come, −1 if none has. */
function lastAt(times: number[], t: number): number {
  let low = -1, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
