import type { FrameOf } from "../frames.js";
import type { Say, SessionState } from "../types.gen.js";
import type { Text } from "./view.js";

/** The next piece of a text, whatever signal brought it. */
interface Piece {
  open_id: string;
  index: number;
  from_index?: number | undefined;
  text: string;
  complete: boolean;
  say: Say;
  agent_id: string | undefined;
  call_id?: string | undefined;
}

/** Reads the piece in a signal; undefined if there is none. */
export function pieceOf(frame: FrameOf<"agent_response" | "agent_thinking" | "tool_progress">): Piece | undefined {
  if (frame.type === "tool_progress") {
    const { open_id, index = 0, from_index, text = "", status, call_id } = frame.data;
    if (!open_id) return undefined;
    return { open_id, index, from_index, text, complete: status !== "running", say: "command_output", agent_id: frame.agent_id, call_id };
  }
  const { open_id, index, from_index, delta, is_complete } = frame.data;
  const say = frame.type === "agent_thinking" ? "reasoning" : "text";
  return { open_id, index, from_index, text: delta, complete: is_complete, say, agent_id: frame.agent_id };
}

/**
 * Adds a piece. One that is here already, or lies beyond a gap, changes
 * nothing: the finished message makes up for it. A joined piece replaces all.
 */
export function grow(texts: readonly Text[], piece: Piece): readonly Text[] {
  const i = texts.findIndex((t) => t.open_id === piece.open_id);
  const old = texts[i];
  const next = old?.next ?? 0;
  const joined = piece.from_index === 0;
  if (joined ? piece.index < next - 1 : piece.index !== next && piece.from_index !== next) return texts;
  const grown: Text = {
    open_id: piece.open_id,
    agent_id: piece.agent_id ?? old?.agent_id,
    say: piece.say === "text" ? (old?.say ?? "text") : piece.say,
    text: joined || !old ? piece.text : old.text + piece.text,
    next: piece.index + 1,
    complete: piece.complete,
    call_id: piece.call_id,
  };
  return i < 0 ? [...texts, grown] : texts.map((t) => (t === old ? grown : t));
}

/**
 * Takes the texts as a session's state lists them. One that it does not list
 * was finished: if its message is still to come, it stays until then.
 */
export function restore(texts: readonly Text[], session: SessionState, awaited: boolean): readonly Text[] {
  const listed = session.open_messages.map((m): Text => {
    const old = texts.find((t) => t.open_id === m.open_id);
    return { open_id: m.open_id, agent_id: m.agent_id, say: m.say, text: m.text, next: m.next_index, complete: false, call_id: old?.call_id };
  });
  if (!awaited) return listed.length === 0 && texts.length === 0 ? texts : listed;
  const leaving = texts.filter((t) => !listed.some((l) => l.open_id === t.open_id)).map((t) => ({ ...t, leaving: true }));
  return [...leaving, ...listed];
}

/** Takes away a text whose message has come. */
export function finish(texts: readonly Text[], openID: string | undefined): readonly Text[] {
  return openID && texts.some((t) => t.open_id === openID) ? texts.filter((t) => t.open_id !== openID) : texts;
}

/** Takes away what was kept for messages that did not come. */
export function sweep(texts: readonly Text[]): readonly Text[] {
  return texts.some((t) => t.leaving) ? texts.filter((t) => !t.leaving) : texts;
}
