import { emptyView, fold, messageID } from "../src/index.js";
import type { Delta, FrameOf, MessageRecord, RecordPayloads, RecordType, ServerFrame, SessionState, View } from "../src/index.js";
import { blankSession } from "../src/fold/ledger.js";

const AT = "2026-02-06T10:00:00.000Z";

/** Makes records with rising numbers. */
export function journal(): <T extends RecordType>(type: T, data: RecordPayloads[T]) => FrameOf<T> {
  let last = 0;
  return (type, data) => record(++last, type, data);
}

export function record<T extends RecordType>(seq: number, type: T, data: RecordPayloads[T]): FrameOf<T> {
  return { type, session_id: "s", message_id: messageID(seq), timestamp: AT, agent_id: "main-monitor-0", data } as unknown as FrameOf<T>;
}

export function said(seq: number, text: string, more: Partial<MessageRecord> = {}): FrameOf<"message"> {
  return record(seq, "message", { action: "created", message: { ts: 1000 + seq, type: "say", say: "text", text }, ...more });
}

export function state(last: number, more: Partial<SessionState> = {}): FrameOf<"session_state"> {
  return { type: "session_state", session_id: "s", timestamp: AT, data: { ...blankSession("s"), last_message_id: messageID(last), ...more } };
}

export function delta(index: number, text: string, more: Partial<Delta> = {}): FrameOf<"agent_response"> {
  return { type: "agent_response", session_id: "s", timestamp: AT, data: { open_id: "open_1", index, delta: text, is_complete: false, ...more } };
}

export function foldAll(frames: readonly ServerFrame[], from: View = emptyView()): View {
  return frames.reduce(fold, from);
}

/** The texts of the visible messages. */
export function words(view: View): (string | undefined)[] {
  return view.messages.map((m) => m.text);
}
