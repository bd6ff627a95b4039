// Scenes: any world by name or from a file, live.
import { button, choice, el, numberField } from "../dom";
import type { MakeRoom } from "../room";

export const scenes: MakeRoom = (studio) => {
  const { menu, settings, theatre } = studio;
  const files = menu.files.filter((file) => file.kind === "scene");
  const options: [string, string][] = [
    ...Object.entries(menu.scenes).map(([name, words]): [string, string] => [name, `${name}: ${words}`]),
    ...files.map((file): [string, string] => [file.name, file.name]),
  ];
  let scene = settings.scene ?? options[0][0];
  let seed = Number(settings.seed ?? 0);
  const go = () => studio.go({ scene, seed: String(seed) });
  const panel = el(
    "div", {},
    choice("Scene", options, scene, (value) => {
      scene = value;
      go();
    }),
    numberField("Seed", seed, (value) => {
      seed = value;
      go();
    }),
    el("div", { class: "row" }, button("Next seed", () => {
      seed += 1;
      go();
    })),
    el("p", {}, `Scene files (YAML, TOML) of the folder are listed too: ${files.length} found.`),
  );
  return {
    title: "Scenes",
    words: "Worlds in which bodies of several wings meet. Click a body to follow it.",
    panel,
    ask: () => ({ type: "open", room: "scenes", scene, seed }),
    hear(message) {
      if (message.type === "opened" && theatre.place.ego != null) theatre.setCamera("follow");
    },
  };
};
