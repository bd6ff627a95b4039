// Take it with you: other forms, a picture, a film, a link.
import { button, el, save } from "./dom";
import type { Studio } from "./room";

const FORMS: [string, string][] = [
  ["glb", "glTF, binary (Blender, three.js)"], ["gltf", "glTF, text"], ["html", "page in 3-D, plays offline"], ["csv", "CSV table"],
  ["fcd", "SUMO floating car data"], ["svg", "picture, SVG"], ["usd", "USD"],
];

/** The fold in the side panel; `address` gives the link of what is open. */
export function takeAway(studio: Studio, address: () => string): HTMLElement {
  let film: MediaRecorder | null = null;
  const form = el("select", { "aria-label": "Form to take along" });
  for (const [key, words] of FORMS) form.append(el("option", { value: key }, words));
  const fps = el("input", { type: "number", min: 1, max: 200, placeholder: "all", "aria-label": "Frames a second" });
  const write = () => {
    studio.note("Writing…");
    studio.link.send({ type: "export", as: form.value, ...(fps.value ? { fps: Number(fps.value) } : {}) });
  };
  const picture = () => {
    const { theatre } = studio;
    theatre.viewer.draw(theatre.frame(), theatre.camera);
    theatre.viewer.canvas.toBlob((blob) => blob && save("swerve.png", blob, "image/png"));
  };
  const record = () => {
    if (film) {
      film.stop();
      film = null;
      return;
    }
    const pieces: Blob[] = [];
    film = new MediaRecorder(studio.theatre.viewer.canvas.captureStream(25), { mimeType: "video/webm" });
    film.ondataavailable = (event) => pieces.push(event.data);
    film.onstop = () => save("swerve.webm", new Blob(pieces), "video/webm");
    film.start();
    studio.note("Filming; press Film again to stop.");
  };
  const link = async () => {
    const href = address();
    try {
      await navigator.clipboard.writeText(href);
      studio.note("The link is in the clipboard.");
    } catch {
      studio.note("The address of this page is the link.");
    }
  };
  return el("details", { class: "take" }, el("summary", {}, "Take it with you"),
    el("label", { class: "field" }, el("span", {}, "Form"), form),
    el("label", { class: "field" }, el("span", {}, "Frames a second"), fps),
    el("div", { class: "row" },
      button("Export", write, "Write it in this form"),
      button("Picture", picture, "Save what is seen now as PNG"),
      button("Film", record, "Start or stop a film (WebM) of what is seen", { id: "film" }),
      button("Link", link, "Copy a link that opens this again, seed and settings included")));
}
