import { expect, test } from "vitest";
import { mermaid } from "../src/fold/mermaid.js";
import { titleOf } from "../src/fold/ledger.js";
import type { Todo } from "../src/index.js";
import { foldAll, journal, state } from "./frames.js";

const todo = (id: string, more: Partial<Todo> = {}): Todo => ({ id, task: "do " + id, status: "pending", priority: 1, depends_on: [], ...more });

test("a todo that fails, is tried again and skipped; the turn's end cancels the rest", () => {
  const r = journal();
  const error = { code: "EXIT", message: "no", recoverable: true };
  const made = foldAll([
    state(0),
    r("turn_started", { turn_id: "turn_1", agent_id: "main-monitor-0", pipeline: "planned" }),
    r("plan_generated", { plan_id: "plan_1", version: 1, status: "pending_approval", todos: [todo("a"), todo("b", { depends_on: ["a"] })] }),
    r("plan_approved", { plan_id: "plan_1", approved_by: "mina", execution_starting: true }),
  ]);
  expect(made.session).toMatchObject({ status: "executing", plan: { id: "plan_1", status: "approved", total_todos: 2 } });
  const failing = foldAll([
    r("todo_started", { todo_id: "a", task: "do a", agent_id: "task-a", call_id: "call_1", approval: "auto" }),
    r("todo_progress", { todo_id: "a", progress_percentage: 40, current_step: "half" }),
    r("todo_failed", { todo_id: "a", task: "do a", status: "pending", error, retry_count: 1, max_retries: 2, retry_at: "2026-02-06T10:00:09.000Z" }),
  ], made);
  expect(failing.session!.todos[0]).toMatchObject({ status: "pending", error, retry_count: 1, progress_percentage: 40 });
  expect(failing.session!.todos[1]).toBe(made.session!.todos[1]);
  const over = foldAll([
    r("todo_skipped", { todo_id: "a", task: "do a", status: "skipped" }),
    r("failed", { status: "cancelled", error, turn_id: "turn_1" }),
  ], failing);
  expect(over.session!.todos.map((t) => t.status)).toEqual(["skipped", "cancelled"]);
  expect(over.session).toMatchObject({ status: "cancelled", task_state: "idle", plan: { status: "cancelled" } });
  expect(over.session!.agents[0]!.status).toBe("idle");
});

test("pictures of plans, and titles, are cut as the server cuts them", () => {
  const long = "x".repeat(59) + "한글";
  expect(mermaid([todo("a", { task: 'say "hi" & <go>; #1' }), todo("b", { task: long, depends_on: ["a"] })])).toBe(
    `graph LR\n  t1["say #quot;hi#quot; #amp; #lt;go#gt;#59; #35;1"]\n  t2["${"x".repeat(59)}한…"]\n  t1 --> t2\n`,
  );
  expect(titleOf("  first line \nsecond")).toBe("first line");
  expect(titleOf(long)).toBe("x".repeat(59) + "한…");
});

// Joined while the agent waits for an answer that no call of its own waits for:
// nothing runs, and when the turn ends nothing is asked any more.
test("a question without a call blocks its agent, and ends with its turn", () => {
  const r = journal();
  const asked = foldAll([
    state(0),
    r("turn_started", { turn_id: "turn_1", agent_id: "main-monitor-0", pipeline: "auto" }),
    r("hitl_input_request", { request_id: "hitl_1", field: "x", question: "which?", input_type: "text", required: true }),
  ]);
  expect(asked.session).toMatchObject({ status: "waiting", task_state: "interactive", hitl_pending: { request_id: "hitl_1" } });
  const over = foldAll([r("failed", { status: "failed", error: { code: "X", message: "", recoverable: false }, turn_id: "turn_1" })], asked);
  expect(over.session).toMatchObject({ status: "failed", hitl_requests: [], hitl_pending: null });
});
