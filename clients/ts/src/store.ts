import { guarded } from "./handlers.js";
import type { Off } from "./handlers.js";

/** Runs something later, once; what it gives back calls it off. */
export type Scheduler = (run: () => void) => () => void;

/**
 * Waits for the next animation frame, so that a page draws once for all that
 * came in between. A page in the background gets no frames: there, and outside
 * of browsers, a timer does.
 */
export const perFrame: Scheduler = (run) => {
  const once = () => {
    cancel();
    run();
  };
  const frames = typeof requestAnimationFrame === "function";
  const timer = setTimeout(once, frames ? 250 : 16);
  const frame = frames ? requestAnimationFrame(once) : 0;
  const cancel = () => {
    clearTimeout(timer);
    if (frames) cancelAnimationFrame(frame);
  };
  return cancel;
};

/** Tells of every change at once. */
export const immediately: Scheduler = (run) => {
  run();
  return () => {};
};

/**
 * A value that changes often and is looked at seldom. `update` takes effect for
 * the next update at once; what `getSnapshot` gives changes only when
 * subscribers are told, which the scheduler decides.
 */
export class Store<T> {
  #value: T;
  #snapshot: T;
  #schedule: Scheduler;
  #waiting: (() => void) | undefined;
  #subscribers = new Set<() => void>();

  constructor(value: T, schedule: Scheduler = perFrame) {
    this.#value = this.#snapshot = value;
    this.#schedule = schedule;
  }

  /** The value as it is at this moment. */
  get value(): T {
    return this.#value;
  }

  update(change: (value: T) => T): void {
    const next = change(this.#value);
    if (next === this.#value) return;
    this.#value = next;
    if (this.#waiting) return;
    let ran = false;
    const cancel = this.#schedule(() => {
      ran = true;
      this.flush();
    });
    if (!ran) this.#waiting = cancel;
  }

  /** Tells subscribers now, if anything changed. */
  flush(): void {
    this.#waiting?.();
    this.#waiting = undefined;
    if (this.#snapshot === this.#value) return;
    this.#snapshot = this.#value;
    for (const subscriber of [...this.#subscribers]) guarded(subscriber);
  }

  readonly subscribe = (subscriber: () => void): Off => {
    const own = () => subscriber();
    this.#subscribers.add(own);
    return () => this.#subscribers.delete(own);
  };

  readonly getSnapshot = (): T => this.#snapshot;
}
