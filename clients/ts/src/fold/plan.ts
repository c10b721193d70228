import type { FrameOf } from "../frames.js";
import type { PlanState, Todo } from "../types.gen.js";
import { mermaid } from "./mermaid.js";
import { put } from "./table.js";
import type { Core, Table } from "./table.js";

/** The plan of the turn and its todos. */
export const plan: Table = {
  turn_started: (core) => (core.session.plan ? put(core, { plan: null, todos: [] }) : core),
  plan_generated: (core, r) => put(core, { plan: planOf(r), todos: r.data.todos }),
  plan_modified: (core, r) =>
    change(core, {
      version: r.data.new_version,
      total_todos: r.data.updated_todos.length,
      mermaid_diagram: mermaid(r.data.updated_todos),
      ...(r.data.summary ? { summary: r.data.summary } : {}),
    }, r.data.updated_todos),
  plan_approved: (core) => change(core, { status: "approved" }),
  plan_rejected: (core) => change(core, { status: "rejected" }),
  execution_progress: (core, r) => (r.data.status ? change(core, { status: r.data.status }) : core),
  forked: rest,
  complete: end,
  failed: end,

  todo_started: (core, r) =>
    todo(core, r.data.todo_id, {
      status: "in_progress",
      agent_id: r.data.agent_id,
      started_at: r.timestamp,
      ended_at: undefined,
      retry_at: undefined,
      error: undefined,
    }),
  todo_progress: (core, r) =>
    todo(core, r.data.todo_id, {
      progress_percentage: r.data.progress_percentage || undefined,
      current_step: r.data.current_step,
      items_processed: r.data.items_processed,
      items_total: r.data.items_total,
    }),
  todo_completed: (core, r) =>
    todo(core, r.data.todo_id, {
      status: r.data.status,
      result_summary: r.data.result_summary,
      result_id: r.data.result_id,
      ended_at: r.timestamp,
      progress_percentage: 100,
    }),
  todo_failed: (core, r) =>
    todo(core, r.data.todo_id, {
      status: r.data.status,
      error: r.data.error,
      retry_count: r.data.retry_count || undefined,
      retry_at: r.data.retry_at,
      ended_at: r.timestamp,
    }),
  todo_skipped: (core, r) => todo(core, r.data.todo_id, { status: r.data.status, ended_at: r.timestamp, retry_at: undefined }),
};

function planOf(r: FrameOf<"plan_generated">): PlanState {
  const { plan_id, status, version, todos, summary, estimated_duration_sec, estimated_cost_usd, mermaid_diagram, turn_id } = r.data;
  return {
    id: plan_id, status, version, total_todos: todos.length, summary,
    estimated_duration_sec, estimated_cost_usd, mermaid_diagram, turn_id, agent_id: r.agent_id,
  };
}

function change(core: Core, with_: Partial<PlanState>, todos = core.session.todos): Core {
  const { plan } = core.session;
  return plan ? put(core, { plan: { ...plan, ...with_ }, todos }) : core;
}

function todo(core: Core, id: string, with_: Partial<Todo>): Core {
  if (!core.session.todos.some((t) => t.id === id)) return core;
  return put(core, { todos: core.session.todos.map((t) => (t.id === id ? { ...t, ...with_ } : t)) });
}

/** What was being worked on has not begun, in a copy. */
function rest(core: Core): Core {
  const again: Partial<Todo> = { status: "pending", agent_id: undefined, started_at: undefined, progress_percentage: undefined, current_step: undefined };
  return change(core, {}, core.session.todos.map((t) => (t.status === "in_progress" ? { ...t, ...again } : t)));
}

/** With its turn ends what has not been done. */
function end(core: Core): Core {
  const { plan, todos } = core.session;
  if (!plan) return core;
  const open = plan.status === "approved" || plan.status === "pending_approval";
  const left = todos.some((t) => t.status === "in_progress" || t.status === "pending");
  if (!open && !left) return core;
  return change(core, open ? { status: "cancelled" } : {}, todos.map((t) =>
    t.status === "in_progress" || t.status === "pending" ? { ...t, status: "cancelled" } : t,
  ));
}
