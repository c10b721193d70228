/** What a conversation needs beside the session's view: what tools were called with, and how turns ended. */
import type { Call, Complete, Failed, KeptFile, RecordFrame, Rewound, Session, Todo, Usage } from "@parley/client";
import { emptyView, fold, messageID, sequence } from "@parley/client";

/** The end of a turn. */
export interface End {
  message_id: string;
  turn_id: string;
  timestamp: string;
  data: Complete | Failed;
}

/** What is traced, at one moment. It never changes; a new one takes its place. */
export interface Traced {
  /** By the ids of calls. */
  readonly inputs: ReadonlyMap<string, unknown>;
  /** The tasks of those calls that are todos. */
  readonly tasks: ReadonlyMap<string, string>;
  /** What a person was shown before they allowed a call. */
  readonly previews: ReadonlyMap<string, string>;
  /** The sessions that calls handed their work to. */
  readonly children: ReadonlyMap<string, string>;
  /** Which request was about which call. */
  readonly requests: ReadonlyMap<string, string>;
  /** The todos of the last plan: a todo that starts says which call it is. */
  readonly todos: readonly Todo[];
  readonly ends: readonly End[];
  /** Calls of records older than those the view was told. */
  readonly past: readonly Call[];
  /** The last move of the head, until something new happens. */
  readonly rewound: (Rewound & { message_id: string; kept?: readonly KeptFile[] }) | undefined;
  /** Where the files could not be kept after a step of the agent, or could not go back. */
  readonly unkept: readonly { message_id: string; timestamp: string; back: boolean; why: string }[];
  /** What each model has used in the records that came. */
  readonly models: ReadonlyMap<string, Usage>;
}

/** Before anything came. */
export const NOTHING: Traced = { inputs: new Map(), tasks: new Map(), previews: new Map(), children: new Map(), requests: new Map(), todos: [], ends: [], past: [], rewound: undefined, unkept: [], models: new Map() };

/** Folds records that the view does not keep. Subscribers are told with the next frame of the view. */
export class Trace {
  #now: Traced = NOTHING;
  #listeners = new Set<() => void>();
  #session: Session;
  #told = false;
  #oldest: number | undefined;
  /** Texts too long for their records, as they were last seen being written: what shows until the whole is loaded. */
  readonly seen = new Map<string, string>();

  constructor(session: Session) {
    this.#session = session;
    session.on("*", (frame) => {
      if (frame.type === "session_state" && frame.data.resync) this.#set(NOTHING);
      if (frame.type === "message" && frame.data.message.text_blob) this.#remember(frame.message_id, frame.data.open_id);
      if ("message_id" in frame) this.#set(trace(this.#now, frame as RecordFrame));
    });
  }

  readonly getSnapshot = (): Traced => this.#now;

  readonly subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  };

  /** Loads older messages, and the calls that were made between them. */
  async loadOlder(limit = 100): Promise<number> {
    const before = this.#first();
    const loaded = await this.#session.loadOlder(limit);
    const now = this.#first();
    if (before !== undefined && now !== undefined && now < before) await this.#loadCalls(now, before);
    return loaded;
  }

  #remember(message: string, open: string | undefined): void {
    const text = this.#session.getSnapshot().view.texts.find((t) => t.open_id === open);
    if (text) this.seen.set(message, text.text);
  }

  #first(): number | undefined {
    return sequence(this.#session.getSnapshot().view.messages[0]?.message_id);
  }

  async #loadCalls(from: number, to: number): Promise<void> {
    const until = Math.min(to, this.#oldest ?? to);
    this.#oldest = from;
    let view = emptyView(messageID(from - 1));
    let traced: Traced = NOTHING;
    for (let at = from - 1; at < until; ) {
      const page = await this.#session.api.events({ after: messageID(at), limit: 1000 });
      const items = page.items.filter((r) => sequence(r.message_id)! < until);
      for (const record of items) {
        view = fold(view, record);
        traced = trace(traced, record);
      }
      if (!page.next_cursor || items.length < page.items.length || page.items.length === 0) break;
      at = sequence(page.items.at(-1)!.message_id)!;
    }
    this.#set({
      ...this.#now,
      past: [...view.calls, ...this.#now.past],
      ends: [...traced.ends, ...this.#now.ends],
      inputs: new Map([...traced.inputs, ...this.#now.inputs]),
      children: new Map([...traced.children, ...this.#now.children]),
      previews: new Map([...traced.previews, ...this.#now.previews]),
      requests: new Map([...traced.requests, ...this.#now.requests]),
      tasks: new Map([...traced.tasks, ...this.#now.tasks]),
    });
  }

  #set(next: Traced): void {
    if (next === this.#now) return;
    this.#now = next;
    if (this.#told) return;
    this.#told = true;
    queueMicrotask(() => {
      this.#told = false;
      for (const tell of [...this.#listeners]) tell();
    });
  }
}

/** Folds one record. */
export function trace(now: Traced, r: RecordFrame): Traced {
  switch (r.type) {
    case "model_completed": {
      const calls = r.data.tool_calls ?? [];
      const models = new Map(now.models).set(r.data.model, plus(now.models.get(r.data.model), r.data.usage));
      return calls.length === 0 ? { ...now, models } : { ...now, models, inputs: withInputs(now.inputs, calls.map((c) => [c.call_id, c.input])) };
    }
    case "hitl_approval_request": {
      const { request_id, call_id, input, preview } = r.data;
      if (!call_id) return now;
      const previews = preview ? new Map(now.previews).set(call_id, preview) : now.previews;
      return { ...now, previews, requests: new Map(now.requests).set(request_id, call_id), inputs: withInputs(now.inputs, [[call_id, input]]) };
    }
    case "tool_started":
      return r.data.child_id ? { ...now, children: new Map(now.children).set(r.data.call_id, r.data.child_id) } : now;
    case "turn_started":
      return now.rewound ? { ...now, rewound: undefined } : now;
    case "rewound":
      return { ...now, rewound: { ...r.data, message_id: r.message_id } };
    case "checkpoint_failed":
      return { ...now, unkept: [...now.unkept, { message_id: r.message_id, timestamp: r.timestamp, back: Boolean(r.data.rewind_id), why: r.data.error.message }] };
    case "checkpoint_restored": // which files went back is told after the move
      return now.rewound?.rewind_id === r.data.rewind_id ? { ...now, rewound: { ...now.rewound, files: r.data.files, kept: r.data.kept ?? [] } } : now;
    case "plan_generated":
      return { ...now, todos: r.data.todos };
    case "plan_modified":
      return { ...now, todos: r.data.updated_todos };
    case "todo_started": {
      const { call_id, task, todo_id } = r.data;
      if (!call_id) return now;
      const todo = now.todos.find((t) => t.id === todo_id);
      return { ...now, tasks: new Map(now.tasks).set(call_id, task), inputs: withInputs(now.inputs, [[call_id, todo?.input]]) };
    }
    case "complete":
    case "failed":
      return { ...now, ends: [...now.ends, { message_id: r.message_id, turn_id: r.data.turn_id, timestamp: r.timestamp, data: r.data }] };
  }
  return now;
}

function withInputs(inputs: ReadonlyMap<string, unknown>, more: [string, unknown][]): ReadonlyMap<string, unknown> {
  const next = new Map(inputs);
  for (const [id, input] of more) if (input !== undefined) next.set(id, input);
  return next;
}

function plus(a: Usage | undefined, b: Usage): Usage {
  return {
    input_tokens: (a?.input_tokens ?? 0) + b.input_tokens,
    output_tokens: (a?.output_tokens ?? 0) + b.output_tokens,
    cost_usd: (a?.cost_usd ?? 0) + b.cost_usd,
  };
}
