import { Credentials } from "./credentials.js";
import { DisconnectedError, GaveUpError, MalformedError, ServerError, judge } from "./errors.js";
import { isRecord } from "./frames.js";
import type { FrameOf } from "./frames.js";
import { Handlers, guarded } from "./handlers.js";
import type { Off } from "./handlers.js";
import { messageID, newID, sequence } from "./ids.js";
import { Link } from "./link.js";
import { RECONNECT, delay } from "./options.js";
import type { ClientOptions, Reconnect } from "./options.js";
import { Outbox } from "./outbox.js";
import type { Sending } from "./outbox.js";
import { socketConstructor } from "./socket.js";
import { ERROR_CODES } from "./types.gen.js";
import type { Ack, CommandFrame, CommandPayloads, CommandType, RecordType, ServerFrame, SignalType } from "./types.gen.js";

/**
 * How far a connection is. `connected`: the line is open, the session's state
 * has not come yet; `active`: it has; `failed`: it will not come back by itself.
 */
export type ConnectionState = "disconnected" | "connecting" | "connected" | "active" | "reconnecting" | "failed";

export interface ConnectionOptions {
  /** The message_id of the last record the caller has: every later one comes. `FROM_START` gives all; none gives those from now on. */
  after?: string | undefined;
  /** Names this client. A second connection of the same name takes over from the first. */
  clientID?: string | undefined;
  /** Makes the session if there is none. */
  create?: boolean | undefined;
}

export interface SendOptions {
  /** The command's message_id, to repeat one whose answer was lost: it acts once. */
  id?: string;
  signal?: AbortSignal;
}

/**
 * A session being followed. It outlives the WebSockets under it: when one is
 * lost it makes another, resumes after the last record, and sends again what
 * was not acknowledged. So every record comes once and in order, and every
 * command acts once. It stays away when the server asks it to.
 */
export class Connection {
  readonly session: string;
  readonly clientID: string;
  #base: URL;
  #options: ClientOptions;
  #credentials: Credentials;
  #create: boolean;
  #reconnect: Reconnect;

  #state: ConnectionState = "disconnected";
  #error: Error | undefined;
  #cursor: number | undefined;
  #link: Link | undefined;
  #round = 0; // counts attempts: what belongs to an older one is void
  #retries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #token: string | undefined; // shown to the current link
  #badAt: number | undefined; // the cursor at which a frame could not be read

  #handlers = new Handlers();
  #watchers = new Set<() => void>();
  #outbox = new Outbox(() => this.#changed());

  constructor(session: string, base: URL, credentials: Credentials, client: ClientOptions, options: ConnectionOptions = {}) {
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(session)) {
      throw new TypeError("a session's id is 1 to 64 letters, digits, dots, underscores and hyphens");
    }
    this.session = session;
    this.clientID = options.clientID ?? "ts-" + newID();
    this.#base = base;
    this.#options = client;
    this.#credentials = credentials;
    this.#create = options.create ?? false;
    this.#cursor = sequence(options.after);
    this.#reconnect = { ...RECONNECT, ...client.reconnect };
    if (options.after !== undefined && this.#cursor === undefined) throw new TypeError(`${options.after} is not the message_id of a record`);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Why it is reconnecting, or has failed. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** The message_id of the last record that came; undefined before the session's state. */
  get cursor(): string | undefined {
    return this.#cursor === undefined ? undefined : messageID(this.#cursor);
  }

  /** The commands that wait for their answer. */
  get sending(): readonly Sending[] {
    return this.#outbox.sending;
  }

  /** Hears every record or signal of a type; with `*`, all of them. */
  on<T extends RecordType | SignalType>(type: T, handler: (frame: FrameOf<T>) => void): Off;
  on(type: "*", handler: (frame: ServerFrame) => void): Off;
  on(type: never, handler: never): Off {
    return this.#handlers.on(type, handler);
  }

  /** Is told when `state`, `error` or `sending` has changed. */
  watch(watcher: () => void): Off {
    const own = () => watcher();
    this.#watchers.add(own);
    return () => this.#watchers.delete(own);
  }

  /** Joins the session, or comes back to it; a wait before the next retry is cut short. */
  connect(): void {
    if (this.#state === "connecting" || this.#state === "connected" || this.#state === "active") return;
    this.#retries = 0;
    if (this.#state !== "reconnecting") this.#set("connecting");
    void this.#dial();
  }

  /** Leaves. What was not acknowledged is rejected: it may have been acted on or not. */
  disconnect(): void {
    this.#stop();
    this.#set("disconnected");
    this.#outbox.clear(new DisconnectedError("the connection was closed by this side"));
  }

  /**
   * Gives the server a command. The promise is its answer, with the message_id
   * of the first record that came of it, if any did; or it is rejected with a
   * ServerError. While the connection is being made, commands wait.
   */
  async send<T extends CommandType>(type: T, data?: CommandPayloads[T], options: SendOptions = {}): Promise<Ack> {
    options.signal?.throwIfAborted();
    if (this.#state === "disconnected" || this.#state === "failed") {
      throw this.#error ?? new DisconnectedError("there is no connection: call connect() first");
    }
    const frame = {
      type,
      session_id: this.session,
      message_id: options.id ?? newID(),
      timestamp: new Date().toISOString(),
      ...(data === undefined ? {} : { data }),
    } as unknown as CommandFrame & { message_id: string };
    const text = JSON.stringify(frame);
    this.#checkSize(text);
    const answer = this.#outbox.add(frame, text, options.signal);
    this.#write();
    return answer;
  }

  #checkSize(text: string): void {
    const most = this.#options.maxFrameBytes ?? 1 << 20;
    if (text.length * 3 <= most) return;
    const bytes = new TextEncoder().encode(text).length;
    if (bytes <= most) return;
    throw new ServerError({
      code: ERROR_CODES.WS_MESSAGE_TOO_LARGE,
      name: "WS_MESSAGE_TOO_LARGE",
      message: `the message has ${bytes} bytes; at most ${most} are allowed`,
      recoverable: false,
    });
  }

  async #dial(): Promise<void> {
    this.#stop();
    const round = this.#round;
    try {
      const token = await this.#credentials.get();
      if (round !== this.#round) return;
      this.#token = token;
      this.#link = new Link(
        {
          url: this.#url(),
          token,
          WebSocket: socketConstructor(this.#options.WebSocket),
          connectTimeoutMs: this.#options.connectTimeoutMs ?? 30_000,
          idleTimeoutMs: this.#options.idleTimeoutMs ?? 75_000,
        },
        { opened: () => this.#set("connected"), frame: (f) => this.#receive(f), lost: (cause) => void this.#lost(cause) },
      );
    } catch (error) {
      if (round === this.#round) void this.#lost(error as Error);
    }
  }

  /** Ends the attempt or the link that there is. */
  #stop(): void {
    this.#round++;
    clearTimeout(this.#timer);
    this.#link?.close();
    this.#link = undefined;
  }

  /** Decides what follows when a link is lost: another token, another try, or the end. */
  async #lost(cause: Error): Promise<void> {
    this.#stop();
    const round = this.#round;
    let verdict = cause instanceof TypeError ? { final: true, auth: false, after: 0 } : judge(cause);
    if (cause instanceof MalformedError) {
      verdict.final = this.#badAt !== undefined && this.#badAt === this.#cursor; // it would end here each time
      this.#badAt = this.#cursor;
    }
    if (verdict.auth && this.#credentials.renewable) {
      this.#set("reconnecting", cause);
      const renewed = await this.#credentials.renew(this.#token).catch((error: Error) => error);
      if (round !== this.#round) return;
      if (renewed === true) return this.#dial();
      if (renewed instanceof Error) {
        cause = renewed; // whoever gives tokens may be back soon
        verdict = { final: false, auth: false, after: 0 };
      }
    }
    if (verdict.final) return this.#fail(cause);
    if (this.#retries >= this.#reconnect.maxRetries) return this.#fail(new GaveUpError(this.#retries, cause));
    this.#set("reconnecting", cause);
    const wait = Math.max(delay(this.#reconnect, this.#retries), Math.min(verdict.after, 60_000));
    this.#retries++;
    this.#timer = setTimeout(() => void this.#dial(), wait);
  }

  #fail(cause: Error): void {
    this.#set("failed", cause);
    this.#outbox.clear(cause);
  }

  /** Sorts what came: some of it is for the connection itself. */
  #receive(frame: ServerFrame): void {
    switch (frame.type) {
      case "ack":
        return this.#acknowledge(frame.data, frame);
      case "error": // the server says no twice: by ack, and like this
        if (frame.data.in_reply_to) return this.#acknowledge({ in_reply_to: frame.data.in_reply_to, ok: false, error: frame.data });
        break;
      case "auth_result":
        if (!frame.data.ok && frame.data.error && this.#state !== "active") return this.#link?.fail(new ServerError(frame.data.error));
        break;
      case "session_state":
        if (frame.data.resync || this.#cursor === undefined) this.#cursor = sequence(frame.data.last_message_id) ?? 0;
        return this.#greet(frame);
    }
    if (isRecord(frame)) {
      const seq = sequence(frame.message_id)!; // parse has seen to it
      if (this.#cursor !== undefined && seq <= this.#cursor) return;
      this.#cursor = seq;
    }
    this.#handlers.tell(frame);
  }

  #acknowledge(ack: Ack, frame?: ServerFrame): void {
    const hopeless = this.#outbox.settle(ack, this.#credentials.renewable);
    if (hopeless) this.#link?.fail(hopeless);
    else if (frame) this.#handlers.tell(frame);
  }

  /** Active is who has the state: so everyone hears of it first. One of them may have left since. */
  #greet(frame: ServerFrame): void {
    const round = this.#round;
    this.#handlers.tell(frame);
    if (this.#state === "active" || round !== this.#round) return;
    this.#retries = 0;
    this.#credentials.accept(this.#token);
    this.#set("active");
    this.#write();
  }

  #write(): void {
    const link = this.#link;
    if (link && this.#state === "active") this.#outbox.write(this.#round, (text) => link.send(text));
  }

  #set(state: ConnectionState, error?: Error): void {
    if (this.#state === state && this.#error === error) return;
    this.#state = state;
    this.#error = error;
    this.#changed();
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) guarded(watcher);
  }

  #url(): string {
    const url = new URL("ws/" + this.session, this.#base);
    url.protocol = url.protocol.replace("http", "ws");
    url.searchParams.set("client_id", this.clientID);
    if (this.#cursor !== undefined) url.searchParams.set("resume_from", messageID(this.#cursor));
    if (this.#create) url.searchParams.set("create", "true");
    return url.toString();
  }
}
