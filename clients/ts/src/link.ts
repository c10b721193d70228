import { ClosedError, MalformedError, ServerError, UnreachableError, comesBack } from "./errors.js";
import { parse } from "./frames.js";
import type { Socket, SocketConstructor } from "./socket.js";
import type { CommandFrame, ServerFrame } from "./types.gen.js";

export interface LinkOptions {
  url: string;
  token: string | undefined;
  WebSocket: SocketConstructor;
  connectTimeoutMs: number;
  idleTimeoutMs: number;
}

/** What a link tells: it opened, this came, it is over (said once, and last). */
export interface LinkEvents {
  opened(): void;
  frame(frame: ServerFrame): void;
  lost(cause: Error): void;
}

/**
 * One WebSocket from the handshake to its end. It shows the token, answers
 * heartbeats, and notices when the server has fallen silent. A connection has
 * one link after the other.
 */
export class Link {
  #socket: Socket;
  #events: LinkEvents;
  #options: LinkOptions;
  #over = false;
  #greeted = false; // the session's state has come
  #said: ServerError | undefined; // the last thing the server said, if it was an error
  #heard = performance.now();
  #timer: ReturnType<typeof setTimeout>;

  constructor(options: LinkOptions, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
    this.#timer = setTimeout(() => this.fail(new UnreachableError("the server did not answer in time")), options.connectTimeoutMs);
    this.#socket = new options.WebSocket(options.url);
    this.#socket.onopen = () => this.#open();
    this.#socket.onmessage = (event: { data: unknown }) => this.#receive(event.data);
    this.#socket.onclose = (event: { code: number; reason: string }) => this.#closed(event.code, String(event.reason));
    this.#socket.onerror = () => {}; // close follows, and says more
  }

  send(frame: string): void {
    if (!this.#over) this.#socket.send(frame);
  }

  /** Leaves; nothing is told any more. */
  close(): void {
    if (!this.#end()) return;
    this.#socket.close(1000);
  }

  /** Gives the link up as useless, without waiting for the other side. */
  fail(cause: Error): void {
    if (!this.#end()) return;
    this.#socket.close();
    this.#events.lost(cause);
  }

  #end(): boolean {
    if (this.#over) return false;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    return true;
  }

  #open(): void {
    if (this.#options.token !== undefined) this.#command({ type: "auth", data: { token: this.#options.token } });
    this.#events.opened();
  }

  #receive(text: unknown): void {
    let frame: ServerFrame;
    try {
      frame = parse(text);
    } catch (error) {
      this.fail(error instanceof Error ? error : new MalformedError(String(error)));
      return;
    }
    this.#heard = performance.now();
    this.#said = frame.type === "error" ? new ServerError(frame.data) : undefined;
    if (frame.type === "ping") this.#command({ type: "pong" });
    if (frame.type === "session_state" && !this.#greeted) this.#greet();
    this.#events.frame(frame);
  }

  #greet(): void {
    this.#greeted = true;
    clearTimeout(this.#timer);
    this.#watch(this.#options.idleTimeoutMs);
  }

  /** Looks for signs of life when there must have been one. A timer for each frame would cost too much. */
  #watch(wait: number): void {
    this.#timer = setTimeout(() => {
      const left = this.#heard + this.#options.idleTimeoutMs - performance.now();
      if (left > 0) this.#watch(left);
      else this.fail(new UnreachableError("the server has been silent for too long"));
    }, wait);
  }

  /**
   * What the server said last is why it closes, with one exception: on a link
   * that was in use, if it asks the client to come back, it need not be.
   */
  #closed(code: number, reason: string): void {
    if (!this.#end()) return;
    const said = this.#greeted && comesBack(code) ? undefined : this.#said;
    this.#events.lost(new ClosedError(code, reason, said));
  }

  #command(frame: CommandFrame): void {
    this.#socket.send(JSON.stringify(frame));
  }
}
