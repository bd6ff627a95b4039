// Wheels of cars whose recordings have none: how far they rolled, and how far the front ones are turned.
import { yawOf, type Frame } from "./scene";

interface State {
  t: number;
  yaw: number;
  angle: number;
  steer: number;
}

const RADIUS = 0.31;

export class Rolling {
  private states = new Map<number, State>();

  clear(): void {
    this.states.clear();
  }

  of(frame: Frame, k: number, base: number): { angle: number; steer: number } {
    const id = frame.ids[k], yaw = yawOf(frame, k), speed = frame.speed[k];
    const state = this.states.get(id);
    if (!state) {
      const made = { t: frame.t, yaw, angle: 0, steer: 0 };
      this.states.set(id, made);
      return made;
    }
    const dt = frame.t - state.t;
    if (dt !== 0 && Math.abs(dt) < 1) {
      const turned = Math.atan2(Math.sin(yaw - state.yaw), Math.cos(yaw - state.yaw)) / dt;
      const steer = speed > 1 ? Math.atan((base * turned) / speed) : state.steer;
      state.steer += 0.3 * (Math.min(Math.max(steer, -0.6), 0.6) - state.steer);
      state.angle = (state.angle + (speed * dt) / RADIUS) % (2 * Math.PI);
    }
    state.t = frame.t;
    state.yaw = yaw;
    return state;
  }
}
