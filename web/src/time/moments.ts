/** The moments of a session that one may want to go back to. */
import type { Checkpoint, UIMessage } from "@parley/client";
import { sequence } from "@parley/client";
import { distinct } from "./checkpoints";

export type Moment =
  | { kind: "said"; id: string; at: number; time: number; words: string }
  | { kind: "kept"; id: string; at: number; time: number; checkpoint: Checkpoint };

/** What people said and which states of the files were kept, the newest first. */
export function momentsOf(messages: readonly UIMessage[], checkpoints: readonly Checkpoint[]): Moment[] {
  const said = messages.filter((m) => m.role === "user").map((m): Moment => ({ kind: "said", id: m.message_id, at: sequence(m.message_id)!, time: m.ts, words: m.text ?? "" }));
  const kept = distinct(checkpoints).map((c): Moment => ({ kind: "kept", id: c.id, at: sequence(c.message_id)!, time: Date.parse(c.created_at), checkpoint: c }));
  return [...said, ...kept].sort((a, b) => b.at - a.at);
}
