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
  let seed = settings.seed === undefined ? null : Number(settings.seed); // null: the scene's own
  const go = () => studio.go({ scene, ...(seed === null ? {} : { seed: String(seed) }) });
  const field = numberField("Seed", seed ?? 0, (value) => {
    seed = value;
    go();
  });
  const panel = el(
    "div", {},
    choice("Scene", options, scene, (value) => {
      [scene, seed] = [value, null];
      go();
    }),
    field,
    el("div", { class: "row" }, button("Next seed", () => {
      seed = Number(field.querySelector("input")!.value) + 1;
      go();
    })),
    el("p", {}, `Scene files (YAML, TOML) of the folder are listed too: ${files.length} found.`),
  );
  return {
    title: "Scenes",
    words: "Worlds in which bodies of several wings meet. Click a body to follow it.",
    panel,
    ask: () => ({ type: "open", room: "scenes", scene, ...(seed === null ? {} : { seed }) }),
    hear(message) {
      if (message.type === "scene") field.querySelector("input")!.value = String((seed = Number(message.seed ?? seed ?? 0)));
      if (message.type === "opened" && theatre.place.ego != null) theatre.setCamera("follow");
    },
  };
};
