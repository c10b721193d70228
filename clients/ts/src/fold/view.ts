import { sequence } from "../ids.js";
import type { CheckpointSaved, Complete, Failed, HitlResolved, Message, ProtocolError, Role, Say, SessionState, ToolClass, TurnError } from "../types.gen.js";
import type { Spans } from "./spans.js";
import type { Turn } from "./turn.js";

/**
 * A session as a person sees it: the fold of what came from the server. Views
 * never change; a new one shares with the old whatever stayed as it was, so
 * that `===` tells what has to be drawn again.
 */
export interface View {
  /** The session as the server would describe it now; undefined before anything came. */
  readonly session: SessionState | undefined;
  /** The id of the turn that runs, waits or is paused, once it is known. */
  readonly turn: string | undefined;
  /** The visible messages that are here, oldest first. */
  readonly messages: readonly UIMessage[];
  /** The texts being written now. The finished message takes their place. */
  readonly texts: readonly Text[];
  /** The tool calls that are here and visible, oldest first. */
  readonly calls: readonly Call[];
  readonly checkpoints: readonly Checkpoint[];
  /** How requests were answered, by their ids. Open ones are in the session. */
  readonly resolved: { readonly [requestID: string]: HitlResolved };
  /** How the last turn ended, if its end came as a record and no other has begun. */
  readonly outcome: Complete | Failed | undefined;
  /** Whether the model provider answers, if the server has said so. */
  readonly provider: { status: string; provider: string; message?: string } | undefined;
  /** The last error that no command of this client gave. */
  readonly error: ProtocolError | undefined;
  /** Runs of visible records whose messages are not here: to be loaded by REST. */
  readonly missing: Spans;
  /** The number of the last record; undefined before the session's state. */
  readonly cursor: number | undefined;
  /** What the fold itself needs; not for display. */
  readonly inner: Inner;
}

export interface Inner {
  /** The work that is going on. */
  readonly turn: Turn | undefined;
  /** Records up to here are in the session's state already: they are for the transcript only. */
  readonly through: number;
  /** Visible records, as far as is known. */
  readonly path: Spans;
  /** Records whose messages are here, if they have any… */
  readonly known: Spans;
  /** …and those of them that came as records, hidden ones too. */
  readonly heard: Spans;
  /** What a rewind has hidden, for it can come back. */
  readonly shelf: { readonly messages: readonly UIMessage[]; readonly calls: readonly Call[] };
}

/** One message of the conversation: an ask or a say. */
export interface UIMessage extends Message {
  /** The record that brought the message first. */
  message_id: string;
  request_id?: string | undefined;
  turn_id?: string | undefined;
  role?: Role | undefined;
  agent_id?: string | undefined;
  /** The text that it finishes, to keep its place on the screen. */
  open_id?: string | undefined;
}

/** A text being written. */
export interface Text {
  readonly open_id: string;
  readonly agent_id: string | undefined;
  /** `reasoning` for a thought, `command_output` for what a tool prints. */
  readonly say: Say;
  readonly text: string;
  /** The number of the piece that comes next. */
  readonly next: number;
  /** Nothing more will be added; the message follows. */
  readonly complete: boolean;
  /** The tool call that prints it. */
  readonly call_id?: string | undefined;
  /** The server does not list it any more: its message is on the way. */
  readonly leaving?: boolean;
}

/** A tool call. */
export interface Call {
  readonly call_id: string;
  readonly message_id: string;
  readonly tool: string;
  readonly class: ToolClass;
  readonly input: unknown;
  readonly preview: string | undefined;
  readonly agent_id: string | undefined;
  readonly turn_id: string;
  readonly todo_id: string | undefined;
  readonly attempt: number;
  readonly status: "running" | "done" | "failed" | "interrupted";
  /** What the running tool says about itself. */
  readonly progress?: { text: string | undefined; percentage: number | undefined } | undefined;
  readonly output?: string | undefined;
  readonly output_blob?: { hash: string; size: number } | undefined;
  readonly summary?: unknown;
  readonly error?: TurnError | undefined;
  readonly duration_ms?: number | undefined;
}

/** A state of the workspace that was kept. */
export interface Checkpoint extends CheckpointSaved {
  message_id: string;
  created_at: string;
}

/**
 * The view before anything came. With the cursor that the connection resumes
 * from, records up to it count as missing, and later ones are awaited.
 */
export function emptyView(after?: string): View {
  const cursor = sequence(after);
  const path: Spans = cursor ? [[1, cursor]] : [];
  return {
    session: undefined,
    turn: undefined,
    messages: [],
    texts: [],
    calls: [],
    checkpoints: [],
    resolved: {},
    outcome: undefined,
    provider: undefined,
    error: undefined,
    missing: path,
    cursor,
    inner: { turn: undefined, through: 0, path, known: [], heard: [], shelf: { messages: [], calls: [] } },
  };
}
