import { answerOf } from "./answers.js";
import type { HitlResponse } from "./answers.js";
import type { Connection, ConnectionState, SendOptions } from "./connection.js";
import { fold } from "./fold/fold.js";
import { emptyView } from "./fold/view.js";
import type { View } from "./fold/view.js";
import type { FrameOf } from "./frames.js";
import type { Off } from "./handlers.js";
import { History } from "./history.js";
import type { Sending } from "./outbox.js";
import type { SessionAPI } from "./rest/session.js";
import type { Rewinding } from "./rest/shapes.js";
import { Store } from "./store.js";
import type { Scheduler } from "./store.js";
import type { Ack, CommandPayloads, CommandType, PlanChange, RecordType, Rewind, ServerFrame, SignalType, UpdateSession, UserMessage } from "./types.gen.js";

export interface SessionOptions {
  /** How many messages of the past are loaded at a time, and at first; 50. 0: none until `loadOlder` is called. */
  history?: number | undefined;
  /** When subscribers are told of changes; by default once for each animation frame. */
  scheduler?: Scheduler | undefined;
}

/** A session and the connection to it, as they are at one moment. */
export interface Snapshot {
  readonly connection: ConnectionState;
  /** Why the connection was lost, or failed. */
  readonly error: Error | undefined;
  /** Commands that the server has not answered yet, oldest first. */
  readonly sending: readonly Sending[];
  readonly view: View;
}

/**
 * A session to look at and to steer: a connection whose frames are folded to a
 * view, with the past loaded as needed. `subscribe` and `getSnapshot` are what
 * React's useSyncExternalStore wants, and do for any other page.
 */
export class Session {
  readonly id: string;
  readonly api: SessionAPI;
  readonly connection: Connection;
  readonly subscribe: (subscriber: () => void) => Off;
  readonly getSnapshot: () => Snapshot;
  #store: Store<Snapshot>;
  #history: History;
  #page: number;

  constructor(connection: Connection, api: SessionAPI, options: SessionOptions = {}) {
    this.id = connection.session;
    this.api = api;
    this.connection = connection;
    const view = emptyView(connection.cursor);
    this.#store = new Store<Snapshot>({ connection: connection.state, error: undefined, sending: [], view }, options.scheduler);
    this.subscribe = this.#store.subscribe;
    this.getSnapshot = this.#store.getSnapshot;
    this.#page = options.history ?? 50;
    this.#history = new History(api, { view: () => this.#store.value.view, change: (to) => this.#change(to) });
    connection.on("*", (frame) => this.#take(frame));
    connection.watch(() => this.#look());
  }

  connect(): void {
    this.connection.connect();
  }

  disconnect(): void {
    this.connection.disconnect();
  }

  /** Hears every record or signal of a type; with `*`, all of them. */
  on<T extends RecordType | SignalType>(type: T, handler: (frame: FrameOf<T>) => void): Off;
  on(type: "*", handler: (frame: ServerFrame) => void): Off;
  on(type: never, handler: never): Off {
    return this.connection.on(type, handler);
  }

  /** Gives the server a command; see Connection.send. */
  send<T extends CommandType>(type: T, data?: CommandPayloads[T], options?: SendOptions): Promise<Ack> {
    return this.connection.send(type, data, options);
  }

  /** Says something to the agent. */
  say(message: string | UserMessage, options?: SendOptions): Promise<Ack> {
    return this.send("user_message", typeof message === "string" ? { content: message } : message, options);
  }

  /** Answers a request. Which command that takes follows from the request. */
  async answer(requestID: string, response: HitlResponse, options?: SendOptions): Promise<Ack> {
    const request = this.#store.value.view.session?.hitl_requests.find((r) => r.request_id === requestID);
    const { type, data } = answerOf(requestID, response, request);
    return this.send(type, data, options);
  }

  pause(reason?: string): Promise<Ack> {
    return this.send("control_pause", { reason });
  }

  /** Goes on, after changing the plan if wanted. */
  resume(modifications?: PlanChange[]): Promise<Ack> {
    return this.send("control_resume", { modifications });
  }

  cancel(reason?: string): Promise<Ack> {
    return this.send("control_cancel", { reason });
  }

  /** Tries a failed todo again. */
  retry(todoID: string): Promise<Ack> {
    return this.send("control_retry", { todo_id: todoID });
  }

  /** Leaves a todo out. */
  skip(todoID: string, reason?: string): Promise<Ack> {
    return this.send("control_skip", { todo_id: todoID, reason });
  }

  /** Goes back to an earlier point; with `preview`, only says what that would come to. */
  async rewind(to: Rewind): Promise<Rewinding> {
    return (await this.send("rewind", to)).result as Rewinding;
  }

  /** Takes a rewind back: the latest if none is named. */
  async undo(rewindID?: string): Promise<Rewinding> {
    return (await this.send("rewind_undo", { rewind_id: rewindID })).result as Rewinding;
  }

  /** Changes title, model, pipeline, mode or approvals. */
  update(change: UpdateSession): Promise<Ack> {
    return this.send("update_session", change);
  }

  /** Loads messages that are missing, the newest first, and says how many came; 0 if none is missing. They are in the snapshot then. */
  async loadOlder(limit = this.#page || 50): Promise<number> {
    const loaded = await this.#history.load(limit);
    this.#store.flush();
    return loaded;
  }

  #take(frame: ServerFrame): void {
    this.#change((view) => fold(view, frame));
    // What could not be loaded stays marked as missing, for loadOlder to try again and to say why.
    if (frame.type === "session_state" && this.#page > 0) this.#history.fill(this.#page).catch(() => {});
  }

  #change(to: (view: View) => View): void {
    this.#store.update((now) => {
      const view = to(now.view);
      return view === now.view ? now : { ...now, view };
    });
  }

  #look(): void {
    const { state, error, sending } = this.connection;
    this.#store.update((now) => ({ ...now, connection: state, error, sending }));
  }
}
