import type { FrameOf } from "../frames.js";
import { sequence } from "../ids.js";
import type { UIMessage } from "./view.js";

/** The message in a record. */
export function messageOf(r: FrameOf<"message">): UIMessage {
  const { message, request_id, turn_id, role, open_id } = r.data;
  return { ...message, message_id: r.message_id, request_id, turn_id, role, agent_id: r.agent_id, open_id };
}

/**
 * Puts in a message, or a new version of one in the place of the old: the same
 * ts is the same message. A version of one that is not here is left out: what
 * is loaded later is the newest.
 */
export function put(messages: readonly UIMessage[], m: UIMessage, action: "created" | "updated"): readonly UIMessage[] {
  if (action === "created") return insert(messages, [m]);
  const i = messages.findLastIndex((old) => old.ts === m.ts);
  if (i >= 0) return messages.map((old, at) => (at === i ? { ...m, message_id: old.message_id, open_id: m.open_id ?? old.open_id } : old));
  const last = messages.at(-1);
  return !last || m.ts > last.ts ? insert(messages, [m]) : messages;
}

/** Marks the message that asked as answered, however its request ended. */
export function answer(messages: readonly UIMessage[], request: string): readonly UIMessage[] {
  const i = messages.findLastIndex((m) => m.request_id === request);
  return i < 0 ? messages : messages.map((m, at) => (at === i ? { ...m, isAnswered: true } : m));
}

/** Puts messages in at their places; those that are here already stay as they are. */
export function insert(messages: readonly UIMessage[], more: readonly UIMessage[]): readonly UIMessage[] {
  const here = new Set(more.length > 1 ? messages.map((m) => m.message_id) : []);
  const fresh = more.filter((m) => !here.has(m.message_id));
  const last = messages.at(-1);
  const only = fresh.length === 1 ? fresh[0]! : undefined;
  if (fresh.length === 0) return messages;
  if (only && (!last || only.message_id > last.message_id)) return [...messages, only];
  if (only && messages.some((m) => m.message_id === only.message_id)) return messages;
  return [...messages, ...fresh].sort(bySequence);
}

function bySequence(a: UIMessage, b: UIMessage): number {
  return sequence(a.message_id)! - sequence(b.message_id)!;
}
