/** Makes the rows of a conversation: messages, tool calls and the ends of turns, in the order in which they happened. */
import type { Call, HitlResolved, Text, UIMessage, View } from "@parley/client";
import { sequence } from "@parley/client";
import { onPath } from "../app/path";
import type { End, Traced } from "./trace";

export type Row =
  | { kind: "user"; key: string; message: UIMessage }
  | { kind: "say"; key: string; message: UIMessage }
  | { kind: "thought"; key: string; text: string; live: boolean }
  | { kind: "call"; key: string; call: Call; input: unknown; task: string | undefined; preview: string | undefined; child: string | undefined }
  | { kind: "ask"; key: string; message: UIMessage; resolved: HitlResolved | undefined; open: boolean }
  | { kind: "output"; key: string; message: UIMessage }
  | { kind: "error"; key: string; message: UIMessage }
  | { kind: "note"; key: string; message: UIMessage }
  | { kind: "end"; key: string; end: End }
  | { kind: "live"; key: string; text: Text };

interface Placed {
  at: number;
  row: Row;
}

/** The rows of what is finished. */
export function rowsOf(view: View, traced: Traced): Row[] {
  const placed: Placed[] = [];
  const calls = [...traced.past, ...view.calls];
  const asked = askedBy(view, calls, traced);
  const printing = new Set(calls.map((c) => `${c.agent_id}/${c.turn_id}`));
  for (const message of view.messages) {
    if (message.request_id && asked.has(message.request_id)) continue; // the call's card shows it
    if (message.say === "command_output" && printing.has(`${message.agent_id}/${message.turn_id}`)) continue;
    for (const row of rowsOfMessage(view, message)) placed.push({ at: sequence(message.message_id)!, row });
  }
  const seen = new Set<string>();
  for (const call of calls) {
    if (seen.has(call.call_id) || !shows(call) || !onPath(view, call.message_id)) continue;
    seen.add(call.call_id);
    const row: Row = {
      kind: "call", key: call.call_id, call,
      input: call.input ?? traced.inputs.get(call.call_id),
      task: traced.tasks.get(call.call_id),
      preview: call.preview ?? traced.previews.get(call.call_id),
      child: traced.children.get(call.call_id),
    };
    placed.push({ at: sequence(call.message_id)!, row });
  }
  for (const end of traced.ends) {
    if (!onPath(view, end.message_id)) continue;
    placed.push({ at: sequence(end.message_id)!, row: { kind: "end", key: end.message_id, end } });
  }
  const oldest = sequence(view.messages[0]?.message_id) ?? 0;
  return placed.filter((p) => p.at >= oldest).sort((a, b) => a.at - b.at).map((p) => p.row);
}

/** Where a message is among the rows: its own one, or the last before it, which is that of its call. */
export function placeOf(rows: readonly Row[], message: string): number {
  const wanted = sequence(message) ?? 0;
  return rows.findLastIndex((row) => {
    const at = recordOf(row);
    return at !== undefined && at <= wanted;
  });
}

function recordOf(row: Row): number | undefined {
  if ("message" in row) return sequence(row.message.message_id);
  if (row.kind === "call") return sequence(row.call.message_id);
  return row.kind === "end" ? sequence(row.end.message_id) : undefined;
}

/** The texts being written, after all that is finished. What tools print is in their cards. */
export function liveRows(texts: readonly Text[]): Row[] {
  return texts.flatMap((text): Row[] => {
    if (text.call_id || text.say === "command_output") return [];
    if (text.say === "reasoning") return [{ kind: "thought", key: text.open_id, text: text.text, live: !text.complete }];
    return [{ kind: "live", key: text.open_id, text }];
  });
}

/** What a running call has printed so far. */
export function printed(texts: readonly Text[], call: Call): string | undefined {
  const own = texts.find((t) => t.call_id === call.call_id || (t.say === "command_output" && t.open_id === "open_" + call.message_id.slice(4)));
  return own?.text;
}

/** The core's own tools are told by what they do: a plan, a question, a list. */
function shows(call: Call): boolean {
  return !["propose_plan", "ask_user", "record_intent", "update_todos"].includes(call.tool);
}

/** Requests whose call has a card already. */
function askedBy(view: View, calls: readonly Call[], traced: Traced): Set<string> {
  const started = new Set(calls.map((c) => c.call_id));
  const ids = new Set<string>();
  for (const [request, call] of traced.requests) if (started.has(call)) ids.add(request);
  for (const q of view.session?.hitl_requests ?? []) ids.add(q.request_id); // asked at the foot of the conversation
  return ids;
}

function rowsOfMessage(view: View, message: UIMessage): Row[] {
  const key = message.open_id ?? message.message_id;
  if (message.role === "user") return [{ kind: "user", key, message }];
  if (message.type === "ask") {
    const id = message.request_id;
    const open = view.session?.hitl_requests.some((q) => q.request_id === id) ?? false;
    return [{ kind: "ask", key, message, resolved: id ? view.resolved[id] : undefined, open }];
  }
  switch (message.say) {
    case "text":
    case "completion_result":
    case "image": {
      const said: Row = { kind: "say", key, message };
      return message.reasoning ? [{ kind: "thought", key: key + "-thought", text: message.reasoning, live: false }, said] : [said];
    }
    case "reasoning":
      return [{ kind: "thought", key, text: message.text ?? "", live: false }];
    case "command_output":
      return [{ kind: "output", key, message }];
    case "error":
    case "diff_error":
    case "rooignore_error":
    case "condense_context_error":
      return [{ kind: "error", key, message }];
    case "user_feedback":
      return [{ kind: "user", key, message }];
    case "api_req_started":
    case "api_req_finished":
    case "api_req_deleted":
    case "checkpoint_saved":
      return [];
  }
  return message.text || message.contextCondense || message.contextTruncation ? [{ kind: "note", key, message }] : [];
}
