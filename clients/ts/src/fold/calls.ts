import type { FrameOf } from "../frames.js";
import type { Call } from "./view.js";

/** Adds a call that starts; one that is tried again takes its own place. */
export function begin(calls: readonly Call[], r: FrameOf<"tool_started">): readonly Call[] {
  const { call_id, tool, class: kind, input, preview, turn_id, todo_id, attempt } = r.data;
  const call: Call = {
    call_id, message_id: r.message_id, tool, class: kind, input, preview,
    agent_id: r.agent_id, turn_id, todo_id, attempt, status: "running",
  };
  return calls.some((c) => c.call_id === call_id) ? calls.map((c) => (c.call_id === call_id ? call : c)) : [...calls, call];
}

/** Says what came of a call. */
export function end(calls: readonly Call[], r: FrameOf<"tool_completed">): readonly Call[] {
  const { ok, retry, output, output_blob, summary, error, duration_ms } = r.data;
  const status = retry ? "interrupted" : ok ? "done" : "failed";
  return change(calls, r.data.call_id, (c) => ({ ...c, status, output, output_blob, summary, error, duration_ms, progress: undefined }));
}

/** Shows how far a call has come. */
export function progress(calls: readonly Call[], p: FrameOf<"tool_progress">["data"]): readonly Call[] {
  if (p.open_id && p.progress_percentage === undefined) return calls; // only a piece of what it prints
  const text = p.open_id ? undefined : p.text;
  return change(calls, p.call_id, (c) => (c.status === "running" ? { ...c, progress: { text, percentage: p.progress_percentage } } : c));
}

function change(calls: readonly Call[], id: string, to: (c: Call) => Call): readonly Call[] {
  const i = calls.findLastIndex((c) => c.call_id === id);
  return i < 0 ? calls : calls.map((c, at) => (at === i ? to(c) : c));
}
