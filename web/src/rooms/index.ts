import type { MakeRoom } from "../room";
import { city } from "./city";
import { race } from "./race";
import { recordings } from "./recordings";
import { riders } from "./riders";
import { scenes } from "./scenes";
import { tactics } from "./tactics";
import { terrain } from "./terrain";

/** In the order in which they are listed. */
export const ROOMS: Record<string, MakeRoom> = { race, tactics, terrain, riders, city, scenes, recordings };
