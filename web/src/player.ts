// The standalone page: one recording, in 3-D, offline.
import "./style.css";
import { button, el } from "./dom";
import { readTape } from "./tape";
import { Theatre } from "./theatre";
import { Timeline } from "./timeline";

async function start(): Promise<void> {
  const text = document.getElementById("tape")!.textContent!.trim();
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  const tape = await readTape(bytes);
  const theatre = new Theatre(location.hash.includes("flat"));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => {
    document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
    theatre.setTheme(dark.matches);
  };
  dark.onchange = theme;
  const timeline = new Timeline(theatre, {
    play: (on) => {
      if (on && theatre.time >= theatre.end) theatre.seek(theatre.start);
      theatre.playing = on;
      timeline.set(on);
    },
    speed: (value) => (theatre.speed = value),
    again: () => theatre.seek(theatre.start),
  });
  const camera = button("Camera: orbit", () => (camera.textContent = `Camera: ${theatre.cycleCamera()}`), "Change the camera (c)");
  const whole = button("Whole scene", () => theatre.whole(), "Show the whole scene (w)");
  document.getElementById("app")!.append(
    el("header", { class: "bar" }, el("b", {}, tape.place.title), camera, whole), theatre.root, timeline.root,
  );
  theme();
  theatre.play([tape]);
  addEventListener("keydown", (event) => {
    if (event.key === " ") timeline.flip();
    else if (event.key === "c") camera.click();
    else if (event.key === "w") theatre.whole();
    else if (event.key === "ArrowRight") theatre.seek(theatre.time + 1);
    else if (event.key === "ArrowLeft") theatre.seek(theatre.time - 1);
    else return;
    event.preventDefault();
  });
  document.body.dataset.ready = "yes";
}

start();
