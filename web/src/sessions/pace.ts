/** How often to ask for something that the server does not tell of by itself. */
const SOON_MS = 4000;
const BUSY_MS = 8000;
const LATE_MS = 60_000;

/** How long to wait before asking again: less often while nothing happens, less late while some session is at work. */
export function nextWait(last: number, changed: boolean, busy: boolean): number {
  if (changed) return SOON_MS;
  return Math.min(Math.round(last * 1.5), busy ? BUSY_MS : LATE_MS);
}

/** Asks again and again while the page is looked at. */
export class Pace {
  #wait = SOON_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ask: () => void;

  constructor(ask: () => void) {
    this.#ask = ask;
  }

  /** Says what came of the last question, and plans the next. */
  answered(changed: boolean, busy: boolean): void {
    this.#wait = nextWait(this.#wait, changed, busy);
    this.#plan();
  }

  /** Asks at once and soon again: something happened, or somebody is back. A page that nobody sees does not ask. */
  wake(): void {
    this.stop();
    if (document.hidden) return;
    this.#wait = SOON_MS;
    this.#ask();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #plan(): void {
    this.stop();
    if (!document.hidden) this.#timer = setTimeout(() => !document.hidden && this.#ask(), this.#wait);
  }
}
