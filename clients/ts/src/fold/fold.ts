import { isRecord } from "../frames.js";
import type { FrameOf } from "../frames.js";
import { messageID, sequence } from "../ids.js";
import type { RecordFrame, RecordType, ServerFrame } from "../types.gen.js";
import * as calls from "./calls.js";
import { blankSession, ledger } from "./ledger.js";
import * as messages from "./messages.js";
import { forget, hear, rewind } from "./path.js";
import { plan } from "./plan.js";
import { queue } from "./queue.js";
import { requests } from "./requests.js";
import type { Core, Table } from "./table.js";
import * as texts from "./texts.js";
import { conclude, turnOf, turns } from "./turn.js";
import type { View } from "./view.js";

/**
 * Folds one frame into a view. Frames come in the order of the server; a record
 * that was folded before changes nothing, and so does a type that is not known.
 */
export function fold(view: View, frame: ServerFrame): View {
  if (isRecord(frame)) return foldRecord(view, frame);
  switch (frame.type) {
    case "session_state":
      return foldState(view, frame);
    case "agent_response":
    case "agent_thinking":
      return foldPiece(view, frame);
    case "tool_progress": {
      const grown = foldPiece(view, frame);
      return set(grown, "calls", calls.progress(grown.calls, frame.data));
    }
    case "connection_status":
      return { ...view, provider: frame.data };
    case "error":
      return { ...view, error: frame.data };
  }
  return view;
}

/** Takes the session as the server describes it, in place of what was folded. */
function foldState(view: View, { data: session }: FrameOf<"session_state">): View {
  const last = sequence(session.last_message_id) ?? 0;
  const fresh = session.resync || view.cursor === undefined ? forget(view, last) : view;
  const awaited = !session.resync && fresh.cursor! < last;
  const turn = turnOf(session);
  return {
    ...fresh,
    session,
    turn: turn?.id || undefined,
    texts: texts.restore(fresh.texts, session, awaited),
    inner: { ...fresh.inner, through: last, turn },
  };
}

function foldPiece(view: View, frame: FrameOf<"agent_response" | "agent_thinking" | "tool_progress">): View {
  const piece = texts.pieceOf(frame);
  return piece ? set(view, "texts", texts.grow(view.texts, piece)) : view;
}

function foldRecord(view: View, r: RecordFrame): View {
  const seq = sequence(r.message_id)!;
  if (view.cursor !== undefined && seq <= view.cursor) return view;
  let next: View = { ...foldTranscript(view, r, seq), cursor: seq };
  if (seq > next.inner.through) next = foldCore(next, r);
  return seq >= next.inner.through ? set(next, "texts", texts.sweep(next.texts)) : next;
}

/** What a record adds to what can be read, whether or not the session's state has it already. */
function foldTranscript(view: View, r: RecordFrame, seq: number): View {
  if (r.type === "rewound") return rewind(view, r);
  const next = hear(view, seq);
  switch (r.type) {
    case "message":
      return {
        ...next,
        messages: messages.put(next.messages, messages.messageOf(r), r.data.action),
        texts: texts.finish(next.texts, r.data.open_id),
      };
    case "tool_started":
      return { ...next, calls: calls.begin(next.calls, r) };
    case "tool_completed":
      return set(next, "calls", calls.end(next.calls, r));
    case "checkpoint_saved":
      return { ...next, checkpoints: [...next.checkpoints, { ...r.data, message_id: r.message_id, created_at: r.timestamp }] };
    case "hitl_resolved":
      return {
        ...next,
        messages: messages.answer(next.messages, r.data.request_id),
        resolved: { ...next.resolved, [r.data.request_id]: r.data },
      };
    case "turn_started":
      return set(next, "outcome", undefined);
    case "complete":
    case "failed":
      return { ...next, outcome: r.data };
  }
  return next;
}

const tables: readonly Table[] = [ledger, turns, queue, requests, plan];

/** Does to the session what the server's own fold does. A move of the head is left to the state that follows it. */
function foldCore(view: View, r: RecordFrame): View {
  const { turn } = view.inner;
  let core: Core = { session: view.session ?? blankSession(r.session_id), turn };
  for (const table of tables) {
    const change = table[r.type] as ((core: Core, r: FrameOf<RecordType>) => Core) | undefined;
    if (change) core = change(core, r as FrameOf<RecordType>);
  }
  core = conclude(core);
  const session = { ...core.session, last_message_id: r.message_id, updated_at: r.timestamp };
  if (session.open_messages.length > 0) session.open_messages = []; // the view's texts are newer
  return { ...view, session, turn: core.turn?.id || undefined, inner: { ...view.inner, turn: core.turn, through: sequence(r.message_id)! } };
}

function set<K extends keyof View>(view: View, key: K, value: View[K]): View {
  return view[key] === value ? view : { ...view, [key]: value };
}

/** The cursor to resume from, of a view. */
export function cursorOf(view: View): string | undefined {
  return view.cursor === undefined ? undefined : messageID(view.cursor);
}
