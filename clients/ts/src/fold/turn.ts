import type { FrameOf } from "../frames.js";
import type { Approval, SessionState, Status, TaskState } from "../types.gen.js";
import { put } from "./table.js";
import type { Core, Table } from "./table.js";

/** The work on one input: by the main agent, and by one agent for each todo that runs. */
export interface Turn {
  /** Empty if the client joined in the middle and has not been told. */
  readonly id: string;
  readonly resting: boolean;
  readonly loops: readonly Loop[]; // the first one is the main agent's
}

/** One agent at work. It tells only whether anything can go on without a person. */
interface Loop {
  readonly agent: string;
  readonly todo: string | undefined;
  readonly tools: readonly Tool[];
}

interface Tool {
  readonly id: string;
  readonly status: "asking" | "ready" | "running" | "unknown" | "done";
  readonly request?: string;
}

/** What runs, and the session's status that follows from it. */
export const turns: Table = {
  turn_started: (core, r) => start(core, { id: r.data.turn_id, resting: false, loops: [loop(r.data.agent_id)] }),
  hitl_paused: (core) => rest(core, true),
  resumed: (core) => rest(core, false),
  forked: (core) => (core.turn ? start(core, { ...core.turn, resting: true, loops: core.turn.loops.slice(0, 1) }) : put(core, { status: "idle" })),
  layer_start: (core, r) => put(core, { current_layer: r.data.layer }),
  layer_complete: (core) => put(core, { current_layer: undefined }),
  complete: (core) => end(core, "completed"),
  failed: (core, r) => end(core, r.data.status),

  todo_started: (core, r) => addTask(core, r),
  todo_completed: (core, r) => endTask(core, r.data.todo_id),
  todo_failed: (core, r) => endTask(core, r.data.todo_id),
  todo_skipped: (core, r) => endTask(core, r.data.todo_id),

  model_started: (core, r) => at(core, r.agent_id, (l) => ({ ...l, tools: [] })),
  model_completed: (core, r) =>
    at(core, r.agent_id, (l) => {
      const asked = r.data.error ? [] : (r.data.tool_calls ?? []);
      return { ...l, tools: [...l.tools, ...asked.map((c) => toolOf(c.call_id, c.approval))] };
    }),
  tool_started: (core, r) => tool(core, r.agent_id, r.data.call_id, (t) => ({ ...t, status: "running" })),
  tool_completed: (core, r) => tool(core, r.agent_id, r.data.call_id, (t) => ({ ...t, status: r.data.retry ? "ready" : "done" })),
  hitl_input_request: (core, r) =>
    tool(core, r.agent_id, r.data.call_id, (t) => (t.status === "running" ? { ...t, status: "unknown" } : t)),
  hitl_approval_request: (core, r) => tool(core, r.agent_id, r.data.call_id, (t) => ({ ...t, request: r.data.request_id })),
  hitl_resolved: (core, r) => (r.data.action === "approve" ? approve(core, r.data.request_id) : core),
};

const loop = (agent: string, todo?: string, tools: readonly Tool[] = []): Loop => ({ agent, todo, tools });

const toolOf = (id: string, approval: Approval | undefined): Tool => ({ id, status: approval === "auto" ? "ready" : "asking" });

function start(core: Core, turn: Turn): Core {
  return { ...core, turn };
}

function rest(core: Core, resting: boolean): Core {
  return core.turn ? { ...core, turn: { ...core.turn, resting } } : core;
}

function end(core: Core, status: Status): Core {
  return { session: { ...core.session, status, current_layer: undefined }, turn: undefined };
}

function addTask(core: Core, r: FrameOf<"todo_started">): Core {
  if (!core.turn) return core;
  const { call_id = "", approval, todo_id } = r.data;
  const task = loop(r.agent_id ?? "", todo_id, [{ id: call_id, status: approval === "ask" ? "asking" : "ready" }]);
  return start(core, { ...core.turn, loops: [...core.turn.loops, task] });
}

function endTask(core: Core, todo: string): Core {
  if (!core.turn) return core;
  return start(core, { ...core.turn, loops: core.turn.loops.filter((l) => l.todo !== todo) });
}

/** Changes the loop of an agent. */
function at(core: Core, agent: string | undefined, change: (l: Loop) => Loop): Core {
  if (!core.turn?.loops.some((l) => l.agent === agent)) return core;
  return start(core, { ...core.turn, loops: core.turn.loops.map((l) => (l.agent === agent ? change(l) : l)) });
}

/** Changes a tool call; one that is not known stands for whatever ran when the client joined. */
function tool(core: Core, agent: string | undefined, id: string | undefined, change: (t: Tool) => Tool): Core {
  return at(core, agent, (l) => {
    const known = l.tools.some((t) => t.id === id) ? id : SOMETHING;
    return { ...l, tools: l.tools.map((t) => (t.id === known ? change(t) : t)) };
  });
}

function approve(core: Core, request: string): Core {
  if (!core.turn) return core;
  const loops = core.turn.loops.map((l) => ({
    ...l,
    tools: l.tools.map((t): Tool => (t.status === "asking" && t.request === request ? { ...t, status: "ready" } : t)),
  }));
  return start(core, { ...core.turn, loops });
}

/** Says whether something of a turn that does not rest can go on without a person. */
function works(turn: Turn, session: SessionState): boolean {
  return turn.loops.some((l) => {
    if (l.tools.some((t) => t.status === "running" || t.status === "ready")) return true;
    if (l.todo !== undefined || l.tools.some((t) => t.status !== "done")) return false;
    return !session.hitl_requests.some((q) => q.agent_id === l.agent && !q.call_id);
  });
}

const TASK_STATES: { readonly [S in Status]?: TaskState } = { executing: "active", waiting: "interactive", paused: "resumable" };

/** Draws the conclusions: status, task state, and what the main agent does. */
export function conclude(core: Core): Core {
  const status = statusOf(core);
  const active = core.turn ? "active" : "idle";
  const [main, ...others] = core.session.agents;
  const agents = main && main.status !== active ? [{ ...main, status: active }, ...others] : core.session.agents;
  return put(core, { status, task_state: TASK_STATES[status] ?? "idle", agents });
}

function statusOf({ turn, session }: Core): Status {
  if (!turn) return session.status;
  if (turn.resting) return "paused";
  return session.hitl_requests.length > 0 && !works(turn, session) ? "waiting" : "executing";
}

const SOMETHING = "*";

/** Guesses the work that a session's state speaks of; what it leaves open, later records tell. */
export function turnOf(session: SessionState): Turn | undefined {
  const { status, plan, todos, hitl_requests: asked, agents } = session;
  if (status !== "executing" && status !== "waiting" && status !== "paused") return undefined;
  const main = plan?.agent_id ?? agents[0]?.agent_id ?? "";
  const toolsOf = (agent: string | undefined): Tool[] =>
    asked.flatMap((q): Tool[] => {
      if (!q.call_id || q.agent_id !== agent) return [];
      const approval = q.type === "hitl_approval_request" ? { request: q.request_id } : {}; // a yes to another request starts no call
      return [{ id: q.call_id, status: "asking", ...approval }];
    });
  const tasks = todos.flatMap((t) => {
    if (t.status !== "in_progress") return [];
    const tools = toolsOf(t.agent_id);
    return [loop(t.agent_id ?? "", t.id, tools.length > 0 ? tools : [{ id: SOMETHING, status: "running" }])];
  });
  const own = toolsOf(main);
  if (own.length === 0 && tasks.length > 0) own.push({ id: plan?.id ?? "", status: "asking" }); // the plan's own call waits for its end
  const turn: Turn = { id: plan?.turn_id ?? asked[0]?.turn_id ?? "", resting: status === "paused", loops: [loop(main, undefined, own), ...tasks] };
  if (status !== "executing" || asked.length === 0 || works(turn, session)) return turn;
  const [first, ...others] = turn.loops;
  return { ...turn, loops: [{ ...first!, tools: [...own, { id: SOMETHING, status: "running" }] }, ...others] };
}
