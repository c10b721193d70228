import type { FrameOf } from "../frames.js";
import type { OpenRequest } from "../types.gen.js";
import { put } from "./table.js";
import type { Core, Table } from "./table.js";

/** The records that ask a person for something. */
export type RequestType = "hitl_plan_review" | "hitl_approval_request" | "hitl_input_request" | "hitl_clarification";

/** What people are asked and have not answered, oldest first. */
export const requests: Table = {
  hitl_plan_review: open,
  hitl_approval_request: open,
  hitl_input_request: open,
  hitl_clarification: open,
  hitl_resolved: (core, r) => keep(core, core.session.hitl_requests.filter((q) => q.request_id !== r.data.request_id)),
  message: (core, r) => (r.data.request_id ? asked(core, r) : core),
  forked: (core) => keep(core, []),
  complete: (core) => keep(core, []),
  failed: (core) => keep(core, []),
};

function open(core: Core, r: FrameOf<RequestType>): Core {
  const request: OpenRequest = { ...r.data, type: r.type, agent_id: r.agent_id, created_at: r.timestamp };
  return keep(core, [...core.session.hitl_requests, request]);
}

/** Learns which message asks. */
function asked(core: Core, { data: { request_id, message } }: FrameOf<"message">): Core {
  if (!core.session.hitl_requests.some((q) => q.request_id === request_id)) return core;
  return keep(core, core.session.hitl_requests.map((q) => (q.request_id === request_id ? { ...q, ask: message.ask, ts: message.ts } : q)));
}

function keep(core: Core, hitl_requests: OpenRequest[]): Core {
  if (hitl_requests.length === 0 && core.session.hitl_requests.length === 0) return core;
  return put(core, { hitl_requests, hitl_pending: hitl_requests[0] ?? null });
}
