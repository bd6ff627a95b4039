// Small helpers for elements.

type Child = Node | string | null | undefined | false;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  given: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value as EventListener);
    else if (name === "class") made.className = String(value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) made.append(child);
  return made;
}

export function button(text: string, does: () => void, title = "", extra: Record<string, unknown> = {}) {
  const sign = /\w/.test(text) ? undefined : title; // what is written on it is its name, unless it is a sign
  return el("button", { type: "button", title: title || text, "aria-label": sign, onclick: does, ...extra }, text);
}

export function choice(label: string, options: [string, string][], value: string, does: (value: string) => void) {
  const select = el("select", { "aria-label": label, onchange: () => does(select.value) });
  for (const [key, words] of options) select.append(el("option", { value: key }, words));
  if (options.some(([key]) => key === value)) select.value = value;
  return el("label", { class: "field" }, el("span", {}, label), select);
}

export function slider(label: string, low: number, high: number, step: number, value: number, does: (v: number) => void) {
  const shown = el("output", {}, String(value));
  const input = el("input", {
    type: "range", min: low, max: high, step, value, "aria-label": label,
    oninput: () => {
      shown.textContent = input.value;
      does(Number(input.value));
    },
  });
  return el("label", { class: "field" }, el("span", {}, label, " ", shown), input);
}

export function numberField(label: string, value: number, does: (v: number) => void, low = 0, high = 2147483647) {
  const input = el("input", {
    type: "number", min: low, max: high, value, "aria-label": label,
    onchange: () => does(Math.min(Math.max(Math.round(Number(input.value) || 0), low), high)),
  });
  return el("label", { class: "field" }, el("span", {}, label), input);
}

export function save(name: string, data: BlobPart, kind = "application/octet-stream"): void {
  const address = URL.createObjectURL(new Blob([data], { type: kind }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
