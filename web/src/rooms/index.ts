import type { MakeRoom } from "../room";
import { recordings } from "./recordings";
import { scenes } from "./scenes";

/** In the order in which they are listed. */
export const ROOMS: Record<string, MakeRoom> = { scenes, recordings };
