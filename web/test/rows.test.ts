import { emptyView, fold } from "@parley/client";
import type { RecordFrame, RecordPayloads, RecordType, ServerFrame, UIMessage, View } from "@parley/client";
import { expect, test } from "vitest";
import { liveRows, placeOf, printed, rowsOf } from "../src/talk/rows";
import { whereIs } from "../src/talk/seek";
import { rowsIn } from "../src/talk/stretch";
import { NOTHING, trace } from "../src/talk/trace";
import type { Traced } from "../src/talk/trace";

/** A session as the page has it: records go to the view and to the trace. */
class Told {
  view: View = fold(emptyView("msg_0000000000"), { type: "session_state", session_id: "s", timestamp: "", data: state } as unknown as ServerFrame);
  traced: Traced = NOTHING;
  seq = 0;
  records: RecordFrame[] = [];

  tell<T extends RecordType>(type: T, data: Partial<RecordPayloads[T]>, agent_id = "main"): this {
    const message_id = "msg_" + String(++this.seq).padStart(10, "0");
    const record = { type, message_id, session_id: "s", timestamp: "2026-02-06T10:00:00Z", agent_id, data } as unknown as RecordFrame;
    this.records.push(record);
    this.view = fold(this.view, record);
    this.traced = trace(this.traced, record);
    return this;
  }

  said(text: string, more: Partial<UIMessage> & { role?: "user" | "assistant" } = {}): this {
    const { role = "assistant", ...message } = more;
    return this.tell("message", { action: "created", role, turn_id: "turn_1", request_id: more.request_id, open_id: more.open_id, message: { ts: this.seq, type: "say", say: "text", text, ...message } });
  }

  get kinds(): string[] {
    return rowsOf(this.view, this.traced).map((r) => r.kind);
  }
}

const state = {
  session_id: "s", status: "idle", task_state: "idle", plan: null, todos: [], hitl_pending: null, hitl_requests: [], last_message_id: "msg_0000000000", open_messages: [], agents: [], monitors: [],
  windows: [], queue: [], usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 }, context: { tokens: 0, window: 0 },
};

const call = { call_id: "call_1", turn_id: "turn_1", tool: "run_command", class: "execute", effect: "effect", attempt: 1 } as const;
const asks = { call_id: "call_1", tool: "run_command", input: { command: "ls" }, approval: "ask" } as const;

test("a call is one card: its question, what it was called with and what it printed are in it", () => {
  const told = new Told()
    .said("list", { role: "user" })
    .tell("model_completed", { model: "m", usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 }, tool_calls: [asks] })
    .tell("hitl_approval_request", { request_id: "hitl_1", call_id: "call_1", input: { command: "ls" }, preview: "p" })
    .said("ls", { type: "ask", say: undefined, ask: "command", request_id: "hitl_1" });
  expect(told.kinds).toEqual(["user"]); // an open question is asked at the foot
  told.tell("hitl_resolved", { request_id: "hitl_1", action: "approve", by: "local" }).tell("tool_started", call)
    .said("a.txt", { say: "command_output" }).tell("tool_completed", { ...call, ok: true, output: "a.txt", duration_ms: 5 });
  const rows = rowsOf(told.view, told.traced);
  expect(rows.map((r) => r.kind)).toEqual(["user", "call"]);
  expect(rows[1]).toMatchObject({ input: { command: "ls" }, preview: "p", call: { status: "done", output: "a.txt" } });
});

test("a todo's call has the todo's task and input", () => {
  const told = new Told().said("go", { role: "user" })
    .tell("plan_generated", { plan_id: "p", version: 1, status: "approved", todos: [{ id: "t1", task: "Look", tool: "run_command", input: { command: "ls" }, status: "pending", priority: 1, depends_on: [] }] })
    .tell("todo_started", { todo_id: "t1", task: "Look", call_id: "call_1" }).tell("tool_started", { ...call, todo_id: "t1" });
  expect(rowsOf(told.view, told.traced)[1]).toMatchObject({ kind: "call", task: "Look", input: { command: "ls" } });
});

test("a finished text takes the place of the one being written", () => {
  const told = new Told().said("hi", { role: "user" });
  const live = fold(told.view, { type: "agent_response", session_id: "s", timestamp: "", data: { open_id: "open_1", index: 0, delta: "Hel", is_complete: false } } as ServerFrame);
  expect(liveRows(live.texts).map((r) => r.key)).toEqual(["open_1"]);
  told.view = live;
  told.said("Hello", { open_id: "open_1" });
  expect(liveRows(told.view.texts)).toEqual([]);
  expect(rowsOf(told.view, told.traced).at(-1)).toMatchObject({ kind: "say", key: "open_1" });
});

test("what a rewind hides is gone, calls and ends of turns too, and comes back when it is undone", () => {
  const told = new Told().said("one", { role: "user" }).tell("tool_started", call).tell("tool_completed", { ...call, ok: true, duration_ms: 1 })
    .tell("complete", { status: "success", turn_id: "turn_1" });
  const before = told.kinds;
  expect(before).toEqual(["user", "call", "end"]);
  told.tell("rewound", { rewind_id: "r1", head: "msg_0000000000", hidden: [[1, 4]], shown: [] });
  expect(told.kinds).toEqual([]);
  expect(told.traced.rewound?.rewind_id).toBe("r1");
  told.tell("rewound", { rewind_id: "r2", head: "msg_0000000004", hidden: [], shown: [[1, 4]], undoes: "r1" });
  expect(told.kinds).toEqual(before);
});

test("a message that is looked for is at its own row, or at that of the call it belongs to", () => {
  const told = new Told().said("one", { role: "user" }).tell("tool_started", call).said("a.txt", { say: "command_output" })
    .tell("tool_completed", { ...call, ok: true, duration_ms: 1 }).said("done").tell("complete", { status: "success", turn_id: "turn_1" });
  const rows = rowsOf(told.view, told.traced);
  expect(rows.map((r) => r.kind)).toEqual(["user", "call", "say", "end"]);
  expect(["msg_0000000001", "msg_0000000003", "msg_0000000005"].map((id) => placeOf(rows, id))).toEqual([0, 1, 2]);
});

test("a message is here, older, still to come, or left by going back", () => {
  const told = new Told().said("one", { role: "user" }).said("two");
  expect(whereIs(told.view, "msg_0000000002")).toBe("here");
  told.tell("rewound", { rewind_id: "r1", head: "msg_0000000001", hidden: [[2, 2]], shown: [] });
  expect(whereIs(told.view, "msg_0000000002")).toBe("hidden");
  const later = fold(emptyView("msg_0000000005"), { type: "session_state", session_id: "s", timestamp: "", data: { ...state, last_message_id: "msg_0000000009" } } as unknown as ServerFrame);
  expect(whereIs(later, "msg_0000000002")).toBe("older");
  expect(whereIs(later, "msg_0000000008")).toBe("coming");
});

test("files that went back are told after the move; a record that nobody knows changes nothing", () => {
  const told = new Told().said("one", { role: "user" }).tell("rewound", { rewind_id: "r1", head: "msg_0000000001", hidden: [], shown: [] });
  told.tell("checkpoint_restored", { rewind_id: "r1", files: [{ path: "a", change: "modified" }], kept: [{ path: "b", reason: "edited" }] });
  expect(told.traced.rewound).toMatchObject({ files: [{ path: "a" }], kept: [{ path: "b" }] });
  const { kinds, traced } = told;
  told.tell("of_a_newer_server" as RecordType, {});
  expect(told.kinds).toEqual(kinds);
  expect(told.traced).toBe(traced);
});

test("what a running call prints is found by the call", () => {
  const told = new Told().said("x", { role: "user" }).tell("tool_started", call);
  const view = fold(told.view, { type: "tool_progress", session_id: "s", timestamp: "", data: { call_id: "call_1", tool: "run_command", status: "running", text: "abc", open_id: "open_0000000002", index: 0 } } as ServerFrame);
  expect(printed(view.texts, view.calls[0]!)).toBe("abc");
  expect(liveRows(view.texts)).toEqual([]);
});

test("a stretch of the journal has the rows that the session has there, and none that were left", () => {
  const told = new Told().said("one", { role: "user" }).said("two").said("three", { role: "user" }).tell("tool_started", call).tell("tool_completed", { call_id: "call_1", ok: true }).said("left");
  told.tell("rewound", { rewind_id: "rew_7", head: "msg_0000000005", hidden: [[6, 6]], shown: [] }).said("four");
  const all = rowsOf(told.view, told.traced);
  expect(all.map((r) => r.kind)).toEqual(["user", "say", "user", "call", "say"]);
  expect(rowsIn({ from: 1, to: 8, records: told.records }, told.view).map((r) => r.key)).toEqual(all.map((r) => r.key));
  expect(rowsIn({ from: 3, to: 6, records: told.records.slice(2, 6) }, told.view).map((r) => r.kind)).toEqual(["user", "call"]);
});
