import type { ModelCompleted, SessionCreated, SessionState, SessionUpdated, Usage } from "../types.gen.js";
import { put } from "./table.js";
import type { Table } from "./table.js";

export const MAIN_MONITOR = "monitor-0";
const MAIN_AGENT = "main-" + MAIN_MONITOR;

/** A session of which nothing is known but its id. */
export function blankSession(id: string): SessionState {
  return {
    session_id: id,
    status: "idle",
    task_state: "idle",
    plan: null,
    todos: [],
    hitl_pending: null,
    hitl_requests: [],
    last_message_id: "msg_0000000000",
    open_messages: [],
    agents: [{ agent_id: MAIN_AGENT, kind: "main", monitor_id: MAIN_MONITOR, status: "idle" }],
    monitors: [{ monitor_id: MAIN_MONITOR }],
    windows: [],
    queue: [],
    usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    context: { tokens: 0, window: 0 },
    title: "",
    model: "",
    pipeline: "auto",
    mode: "",
    auto_approve: [],
    plan_review: "",
    owner: "",
    created_at: "",
    updated_at: "",
  };
}

/** What never goes back: who, what it is called, how it is set up, what it cost. */
export const ledger: Table = {
  session_created: (core, r) =>
    put(core, {
      owner: r.data.owner,
      title: r.data.title ?? "",
      workspace: r.data.workspace,
      model: r.data.model ?? "",
      pipeline: r.data.pipeline ?? "auto",
      mode: r.data.mode ?? "",
      auto_approve: r.data.auto_approve ?? [],
      plan_review: r.data.plan_review ?? "",
      settings: own({}, r.data),
      parent_id: r.data.parent_id,
      root_id: r.data.root_id,
      created_at: r.timestamp,
    }),
  session_updated: (core, r) => {
    const changed = { ...named(r.data), settings: own(core.session.settings, r.data) };
    return put(core, r.data.settings?.auto_approve === null ? { ...changed, auto_approve: [] } : changed);
  },
  forked: (core, r) =>
    put(core, {
      owner: r.data.owner,
      forked_from: r.data.from,
      title: r.data.title || core.session.title,
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      parent_id: undefined,
      root_id: undefined,
      pinned: undefined,
      keep_days: undefined,
      ...(r.data.owner === core.session.owner ? {} : { auto_approve: [], settings: bare(core.session) }),
    }),
  message: (core, r) => {
    const { action, role, message } = r.data;
    if (core.session.title || action !== "created" || role !== "user") return core;
    return put(core, { title: titleOf(message.text ?? "") });
  },
  model_completed: (core, r) => put(core, { usage: plus(core.session.usage, r.data.usage), context: filled(core.session, r.data) }),
  checkpoint_saved: (core, r) => put(core, { checkpoint: r.data.id }),
  monitor_added: (core, r) => {
    const { monitor_id } = r.data;
    if (core.session.monitors.some((m) => m.monitor_id === monitor_id)) return core;
    return put(core, { monitors: [...core.session.monitors, { monitor_id }] });
  },
  monitor_removed: (core, r) => put(core, { monitors: core.session.monitors.filter((m) => m.monitor_id !== r.data.monitor_id) }),
};

/** The settings that a session_updated names. */
function named({ title, model, pipeline, mode, auto_approve, plan_review, pinned, keep_days }: SessionUpdated): Partial<SessionState> {
  const all = { title, model, pipeline, mode, auto_approve, plan_review, pinned, keep_days };
  return set(all);
}

/** The session's own settings after a change; null, and an empty model or mode, is none. */
function own(before: SessionState["settings"], { model, mode, auto_approve, settings }: SessionCreated | SessionUpdated): SessionState["settings"] {
  const all = { ...before, ...settings, ...set({ model, mode, auto_approve }) };
  const left = Object.entries(all).filter(([key, v]) => v !== null && !(v === "" && (key === "model" || key === "mode")));
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}

/** Of a session's own settings those that a fork for somebody else keeps. */
function bare({ model, mode }: SessionState): SessionState["settings"] {
  return own({}, { model, mode });
}

/** The fields that are there. */
function set<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== undefined)) as Partial<T>;
}

function plus(a: Usage, b: Usage): Usage {
  const sum = (x = 0, y = 0) => x + y || undefined;
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_tokens: sum(a.cache_read_tokens, b.cache_read_tokens),
    cache_write_tokens: sum(a.cache_write_tokens, b.cache_write_tokens),
    cost_usd: a.cost_usd + b.cost_usd,
  };
}

/** How full the model's window is after a call. */
function filled(session: SessionState, { usage, context_window }: ModelCompleted): SessionState["context"] {
  const read = usage.input_tokens + (usage.cache_read_tokens ?? 0) + (usage.cache_write_tokens ?? 0);
  return {
    tokens: read > 0 ? read + usage.output_tokens : session.context.tokens,
    window: context_window || session.context.window,
  };
}

/** A title, of a person's first words. */
export function titleOf(text: string): string {
  const most = 60;
  const line = Array.from(text.trim().split("\n", 1)[0]!.trim());
  return line.length <= most ? line.join("") : line.slice(0, most).join("").trim() + "…";
}
