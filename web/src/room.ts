// What a room's side panel is, and what it gets from the studio around it.
import type { Link, Message } from "./link";
import type { Theatre } from "./theatre";
import type { Tape } from "./tape";
import type { Driving } from "./keys";

export interface Menu {
  rooms: Record<string, string>;
  scenes: Record<string, string>;
  files: { name: string; kind: string; bytes: number }[];
  version: string;
  [more: string]: unknown;
}

/** Settings of a room as they stand in the address. */
export type Settings = Record<string, string>;

export interface Studio {
  menu: Menu;
  link: Link;
  theatre: Theatre;
  driving: Driving;
  gauge: HTMLElement;
  settings: Settings;
  /** Change settings in the address and open the room anew. */
  go(settings: Settings): void;
  /** Write what the room would ask for now into the address, so that a reload brings it back. */
  keep(): void;
  note(text: string, bad?: boolean): void;
  setMirror(on: boolean): void;
}

export interface RoomPage {
  title: string;
  words: string;
  panel: HTMLElement;
  still?: boolean; // nothing moves by itself: no play, no clock
  /** What is asked of the worker. */
  ask(): Message | null;
  hear?(message: Message): void;
  tape?(which: string, tape: Tape): void;
  frame?(t: number): void;
  theme?(): void;
  close?(): void;
}

export type MakeRoom = (studio: Studio) => RoomPage;
