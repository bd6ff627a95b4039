// A driver's hands: keys, gamepad or wheel, sent 50 times a second while something is held.
import type { Link } from "./link";

export interface Hands {
  steer: number; // -1 right to +1 left
  throttle: number;
  brake: number;
  back: number;
}

const KEYS: Record<string, keyof typeof HELD> = {
  ArrowUp: "up", KeyW: "up", ArrowDown: "down", KeyS: "down", ArrowLeft: "left", KeyA: "left", ArrowRight: "right",
  KeyD: "right", Space: "brake", KeyX: "back",
};
const HELD = { up: false, down: false, left: false, right: false, brake: false, back: false };

export class Driving {
  active = false;
  private held = { ...HELD };
  private sent = "";
  private idle = 0;

  constructor(private link: Link, private onChange: (hands: Hands) => void = () => undefined) {
    addEventListener("keydown", (event) => this.key(event, true));
    addEventListener("keyup", (event) => this.key(event, false));
    addEventListener("blur", () => this.release());
    document.addEventListener("visibilitychange", () => document.hidden && this.release());
    setInterval(() => this.tell(), 20);
  }

  release(): void {
    this.held = { ...HELD };
    this.tell(true);
  }

  hands(): Hands {
    const h = this.held;
    const hands: Hands = {
      steer: (h.left ? 1 : 0) - (h.right ? 1 : 0),
      throttle: h.up ? 1 : 0,
      brake: h.down || h.brake ? 1 : 0,
      back: h.back ? 1 : 0,
    };
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad?.connected) continue;
      const dead = (v: number) => (Math.abs(v) < 0.06 ? 0 : v);
      hands.steer ||= -dead(pad.axes[0] ?? 0);
      hands.throttle = Math.max(hands.throttle, pad.buttons[7]?.value ?? 0);
      hands.brake = Math.max(hands.brake, pad.buttons[6]?.value ?? 0);
      hands.back = Math.max(hands.back, pad.buttons[1]?.value ?? 0);
    }
    return hands;
  }

  private key(event: KeyboardEvent, down: boolean): void {
    const name = KEYS[event.code];
    if (!name || !this.active || event.ctrlKey || event.metaKey || event.altKey) return;
    if (down && event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    if (this.held[name] === down) return;
    this.held[name] = down;
    this.tell(true);
  }

  /** Changes go at once; while something is held it is said again, so that silence means letting go. */
  private tell(now = false): void {
    if (!this.active) return;
    const hands = this.hands(), text = JSON.stringify(hands), quiet = text === this.sent;
    const still = !hands.steer && !hands.throttle && !hands.brake && !hands.back;
    this.idle = quiet && still ? this.idle + 1 : 0;
    if (!now && this.idle > 5) return;
    this.sent = text;
    this.link.send({ type: "hands", ...hands });
    this.onChange(hands);
  }
}
