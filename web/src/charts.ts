// Curves with uPlot, in the colours of the page.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface Curve {
  label: string;
  colour: string;
  wide?: number;
  dash?: number[];
  fill?: string;
}

/** Curves that have places of their own, over all of these: straight between their points, nothing beyond their ends. */
export function together(...curves: ([across: number[], values: number[]] | undefined)[]): uPlot.AlignedData {
  const all = [...new Set(curves.flatMap((curve) => curve?.[0] ?? []))].sort((a, b) => a - b);
  const onto = ([across, values]: [number[], number[]]) => {
    const order = across.map((_, k) => k).sort((a, b) => across[a] - across[b] || a - b);
    let next = 0;
    return all.map((x) => {
      while (next < order.length && across[order[next]] < x) next++;
      if (next === order.length || (next === 0 && across[order[0]] > x)) return null;
      const b = order[next], a = order[Math.max(next - 1, 0)], long = across[b] - across[a];
      return long > 0 ? values[a] + ((values[b] - values[a]) * (x - across[a])) / long : values[b];
    });
  };
  return [all, ...curves.map((curve) => (curve?.[0].length ? onto(curve) : all.map(() => null)))];
}

export class Chart {
  readonly root = document.createElement("div");
  private plot: uPlot | null = null;
  private data: uPlot.AlignedData = [[]];

  constructor(private title: string, private across: string, private curves: Curve[], private high = 170) {
    this.root.className = "chart";
    new ResizeObserver(() => this.plot?.setSize({ width: this.root.clientWidth || 300, height: this.high })).observe(this.root);
  }

  set(data: uPlot.AlignedData): void {
    this.data = data;
    if (this.plot) this.plot.setData(data);
    else this.make();
  }

  theme(): void {
    if (this.plot) this.make();
  }

  private make(): void {
    this.plot?.destroy();
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink").trim(), line = style.getPropertyValue("--line").trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px system-ui" };
    this.plot = new uPlot(
      {
        title: this.title,
        width: this.root.clientWidth || 300,
        height: this.high,
        scales: { x: { time: false } },
        axes: [{ ...axis, label: this.across, labelSize: 18, size: 32 }, { ...axis, size: 44 }],
        series: [
          { label: this.across, value: (_, v) => (v == null ? "–" : v.toFixed(1)) },
          ...this.curves.map((curve) => ({
            label: curve.label, stroke: curve.colour, width: curve.wide ?? 1.6, dash: curve.dash, fill: curve.fill, points: { show: false },
            value: (_: uPlot, v: number | null) => (v == null ? "–" : v.toFixed(2)),
          })),
        ],
        cursor: { drag: { x: false, y: false } },
      },
      this.data,
      this.root,
    );
  }
}
