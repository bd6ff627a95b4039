// The studio's page: rooms, the stage in the middle, what is known at the side.
import "./style.css";
import { button, choice, el, save } from "./dom";
import { MODES, type Mode } from "./camera";
import { Driving } from "./keys";
import { Link, type Message } from "./link";
import type { MakeRoom, Menu, RoomPage, Settings, Studio } from "./room";
import { ROOMS } from "./rooms";
import { readFrame, type LookRow, type Place } from "./scene";
import { readTape } from "./tape";
import { Theatre } from "./theatre";
import { takeAway } from "./take";
import { Timeline } from "./timeline";
import { Mirror } from "./mirror";

class Page implements Studio {
  menu!: Menu;
  settings: Settings = {};
  readonly theatre: Theatre;
  readonly link: Link;
  readonly driving: Driving;
  readonly gauge = el("div", { class: "gauge" });
  private name = "";
  private room: RoomPage | null = null;
  private readonly nav = el("nav", { "aria-label": "Rooms" });
  private readonly side = el("aside", { class: "side" });
  private readonly noteBox = el("div", { class: "note", role: "status" });
  private readonly figures = el("table", { class: "figures" });
  private readonly timeline: Timeline;
  private readonly mirror: Mirror;
  private readonly cameraField: HTMLElement;
  private noteTimer = 0;
  private asked = 0; // rooms asked for so far
  private current = false; // whether what comes belongs to the newest of them
  private restarted = ""; // what to say about a worker that was started again

  constructor() {
    this.theatre = new Theatre(localStorage.getItem("flat") === "yes");
    this.mirror = new Mirror(this.theatre);
    this.link = new Link({
      words: (message) => this.hear(message),
      frame: (data) => {
        if (!this.current) return;
        const frame = readFrame(data);
        this.theatre.show(frame);
        this.mirror.draw();
        this.room?.frame?.(frame.t);
      },
      tape: async (which, bytes) => {
        const room = this.room, tape = this.current ? await readTape(bytes) : null;
        if (tape && room === this.room) room?.tape?.(which, tape);
      },
      file: (name, bytes) => {
        save(name, bytes);
        this.note(`Saved ${name}.`);
      },
      status: (open, why) => {
        document.body.dataset.linked = open ? "yes" : "no";
        if (!open) this.note(`No connection: ${why}. Trying again…`, true, true);
        else if (this.room) {
          this.note("");
          this.ask();
        }
      },
    });
    this.driving = new Driving(this.link);
    this.timeline = new Timeline(this.theatre, {
      play: (on) => this.play(on),
      speed: (value) => {
        this.theatre.speed = value;
        this.link.send({ type: "speed", value });
      },
      again: () => (this.theatre.tapes.length ? this.theatre.seek(this.theatre.start) : this.ask()),
    });
    this.cameraField = choice("Camera", MODES.map((mode): [string, string] => [mode, mode]), "orbit", (mode) => this.camera(mode as Mode));
    this.theatre.onCamera = (mode) => (this.cameraField.querySelector("select")!.value = mode);
    this.build();
    this.theme(localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    addEventListener("hashchange", () => this.menu && this.enter()); // before the menu is there, it enters by itself
    addEventListener("keydown", (event) => this.key(event));
    this.note("Connecting…", false, true);
    this.start();
  }

  private async start(): Promise<void> {
    try {
      const answer = await fetch("api/menu");
      if (!answer.ok) throw new Error(await answer.text());
      this.menu = await answer.json();
    } catch (error) {
      this.note(`The studio's server does not answer: ${error}`, true, true);
      setTimeout(() => this.start(), 2000);
      return;
    }
    this.note("");
    for (const name of Object.keys(ROOMS)) {
      if (!(name in this.menu.rooms)) continue;
      this.nav.append(el("a", { href: `#${name}`, title: this.menu.rooms[name], "data-room": name }, name[0].toUpperCase() + name.slice(1)));
    }
    this.enter();
  }

  private build(): void {
    const help = el("dialog", { id: "help" },
      el("h2", {}, "Keys"),
      el("p", {}, "Drag turns the view, shift-drag moves it, the wheel zooms. Click a body to follow it."),
      el("table", { class: "figures" }, ...[
        ["space", "play, pause (brake while driving)"], ["r", "from the start"], ["← →", "a second back, on (steer while driving)"], ["+ −", "faster, slower"],
        ["c", "next camera"], ["0", "whole scene"], ["v", "3-D or flat"], ["t", "dark or light"], ["?", "this list"],
        ["↑ ↓ or W A S D, x", "drive, brake, steer; x backs up"],
        ["n, then ← → ↑ ↓", "choose a point of a path or course and move it; with shift the one before, or finer"], ["w, delete", "add a wall to a course; take the chosen one away"],
      ].map(([key, words]) => el("tr", {}, el("th", {}, el("kbd", {}, key)), el("td", {}, words)))),
      button("Close", () => help.close()),
    );
    const bar = el("header", { class: "bar" }, el("b", {}, "Swerve studio"), this.nav,
      el("span", { class: "push" }),
      button("Flat / 3-D", () => this.flip(), "3-D or flat (v)"), button("Whole", () => this.theatre.whole(), "Show the whole scene (0)"),
      button("◐", () => this.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"), "Dark or light (t)"),
      button("?", () => help.showModal(), "Keys (?)"));
    const middle = el("div", { class: "middle" }, this.noteBox, this.mirror.root, this.theatre.root, this.gauge, this.timeline.root);
    const common = el("section", {}, this.cameraField, this.figures, takeAway(this, () => this.address()));
    this.side.append(el("section", { id: "room" }), common);
    document.getElementById("app")!.append(bar, el("main", {}, middle, this.side), help);
  }

  /** The room and the settings that the address asks for. */
  private enter(): void {
    const [name, query] = location.hash.slice(1).split("?");
    this.settings = Object.fromEntries(new URLSearchParams(query ?? ""));
    const chosen = name in ROOMS && name in this.menu.rooms ? name : Object.keys(ROOMS)[0];
    this.room?.close?.();
    this.name = chosen;
    this.driving.active = false;
    this.gauge.replaceChildren();
    this.setMirror(false);
    this.theatre.pointing = {};
    this.theatre.clear();
    this.figures.replaceChildren();
    for (const link of this.nav.querySelectorAll("a")) {
      if (link.dataset.room === chosen) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const make: MakeRoom = ROOMS[chosen];
    this.room = make(this);
    document.title = `${this.room.title} · Swerve studio`;
    this.side.querySelector("#room")!.replaceChildren(el("h2", {}, this.room.title), el("p", {}, this.room.words), this.room.panel);
    document.body.dataset.room = chosen;
    this.ask();
  }

  private ask(): void {
    const message = this.room?.ask();
    document.body.dataset.opened = "";
    document.body.dataset.error = "";
    this.timeline.reset();
    this.current = false;
    this.timeline.root.hidden = Boolean(this.room?.still);
    if (message) {
      if (!this.restarted) this.note("Getting ready…", false, true);
      this.link.send({ ...message, ask: ++this.asked });
    } else this.note("");
  }

  go(settings: Settings): void {
    const query = new URLSearchParams(settings).toString();
    const next = `#${this.name}${query ? `?${query}` : ""}`;
    if (next === location.hash) this.enter();
    else location.hash = next;
  }

  private hear(message: Message): void {
    if (message.type === "opening") this.current = message.ask === this.asked;
    else if (!this.current && message.type !== "worker") return; // of a room that was left
    switch (message.type) {
      case "opening":
        this.note(this.restarted ? `${this.restarted} Getting ready…` : "Getting ready…", Boolean(this.restarted), true);
        break;
      case "scene":
        if (!this.theatre.tapes.length) {
          this.theatre.looks.clear();
          this.theatre.setPlace(message as unknown as Place);
        }
        break;
      case "place": // the room has become another place; the camera stays
        this.theatre.tapes = [];
        this.theatre.looks.clear();
        this.theatre.setPlace(message as unknown as Place, true);
        this.note("");
        break;
      case "bodies":
        this.theatre.addLooks(message.rows as LookRow[]);
        break;
      case "opened":
        this.note(this.restarted, Boolean(this.restarted));
        this.restarted = "";
        document.body.dataset.opened = String(message.room);
        break;
      case "state":
        if (!this.theatre.tapes.length) this.timeline.set(Boolean(message.playing));
        break;
      case "figures":
        this.showFigures(message.values as Record<string, unknown>);
        break;
      case "error":
        document.body.dataset.error = String(message.text);
        this.note(String(message.text), true, true);
        break;
      case "worker":
        this.note(String(message.text), true, message.state !== "lost");
        document.body.dataset.worker = String(message.state);
        if (message.state === "restarted") {
          this.restarted = "The simulation was started again.";
          this.ask();
        }
        break;
    }
    this.room?.hear?.(message);
  }

  private showFigures(values: Record<string, unknown>): void {
    const words = (value: unknown) => (value === null ? "–" : typeof value === "number" ? (Number.isInteger(value) ? String(value) : value.toFixed(2)) : String(value));
    this.figures.replaceChildren(...Object.entries(values).map(([name, value]) => el("tr", {}, el("th", {}, name), el("td", {}, words(value)))));
  }

  note(text: string, bad = false, stay = false): void {
    clearTimeout(this.noteTimer);
    this.noteBox.textContent = text;
    this.noteBox.classList.toggle("bad", bad);
    if (text && !stay) this.noteTimer = window.setTimeout(() => (this.noteBox.textContent = ""), bad ? 8000 : 4000);
  }

  setMirror(on: boolean): void {
    this.mirror.on = on;
  }

  private play(on: boolean): void {
    const { theatre } = this;
    if (theatre.tapes.length) {
      if (on && theatre.time >= theatre.end) theatre.seek(theatre.start);
      theatre.playing = on;
      this.timeline.set(on);
    } else this.link.send({ type: "play", on });
  }

  private camera(mode: Mode): void {
    this.theatre.setCamera(mode);
  }

  private theme(theme: string): void {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
    this.theatre.setTheme(theme === "dark");
    this.mirror.theme(theme === "dark");
    this.room?.theme?.();
  }

  private flip(): void {
    this.show({ flat: !this.theatre.viewer.flat });
  }

  /** How it is shown. */
  show(how: { flat?: boolean; theme?: string }): void {
    if (how.theme) this.theme(how.theme);
    if (how.flat === undefined || how.flat === this.theatre.viewer.flat) return;
    localStorage.setItem("flat", how.flat ? "yes" : "no");
    this.theatre.setFlat(how.flat);
  }

  keep(): void {
    this.address();
  }

  /** The address of this room with its settings; it is shown from now on. */
  private address(): string {
    const settings = Object.entries(this.room?.ask() ?? {}).filter(([key, value]) => !["type", "room"].includes(key) && typeof value !== "object");
    history.replaceState(null, "", `#${this.name}?${new URLSearchParams(settings.map(([key, value]) => [key, typeof value === "boolean" ? (value ? "yes" : "no") : String(value)]))}`);
    return location.href;
  }

  private key(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { theatre, timeline } = this, driving = this.driving.active;
    if (theatre.pointing.key?.(event)) return event.preventDefault();
    const does: Record<string, () => void> = {
      r: () => (theatre.tapes.length ? theatre.seek(theatre.start) : this.ask()),
      "+": () => timeline.faster(1), "-": () => timeline.faster(-1),
      c: () => this.camera(MODES[(MODES.indexOf(theatre.camera.mode) + 1) % MODES.length]),
      "0": () => theatre.whole(), v: () => this.flip(),
      t: () => this.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
      "?": () => (document.getElementById("help") as HTMLDialogElement).showModal(),
      ...(driving ? {} : {
        " ": () => timeline.flip(),
        ArrowRight: () => theatre.seek(theatre.time + 1), ArrowLeft: () => theatre.seek(theatre.time - 1),
      }),
    };
    const action = does[event.key];
    if (!action || (event.key === " " && event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    action();
  }
}

Object.assign(window, { studio: new Page() });
