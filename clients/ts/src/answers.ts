import { ServerError } from "./errors.js";
import { ERROR_CODES } from "./types.gen.js";
import type { CommandPayloads, MessageType, OpenRequest, Remember } from "./types.gen.js";

/** What a person answers: `action` to a plan review or an approval, `value` to a question. */
export interface HitlResponse {
  /** What the request was; needed only if it is not open in the view. */
  type?: "plan" | "approval" | "input" | "clarification";
  action?: string;
  value?: unknown;
  instruction?: string;
  comment?: string;
  reason?: string;
  remember?: Remember;
}

type AnswerType = "hitl_plan_response" | "hitl_approval_response" | "hitl_input_response" | "hitl_clarification_response";

const ANSWERS: { readonly [T in MessageType]?: AnswerType } = {
  hitl_plan_review: "hitl_plan_response",
  hitl_approval_request: "hitl_approval_response",
  hitl_input_request: "hitl_input_response",
  hitl_clarification: "hitl_clarification_response",
};

/** Makes the command that answers a request. */
export function answerOf(id: string, response: HitlResponse, request: OpenRequest | undefined): { type: AnswerType; data: CommandPayloads[AnswerType] } {
  const { type: kind, ...said } = response;
  const type = request ? ANSWERS[request.type] : kind && (`hitl_${kind}_response` as const);
  if (!type) {
    throw new ServerError({
      code: ERROR_CODES.WS_HITL_REQUEST_EXPIRED,
      name: "WS_HITL_REQUEST_EXPIRED",
      message: `the request ${id} is not open: it was answered, has expired or was withdrawn`,
      recoverable: false,
    });
  }
  const where = type === "hitl_approval_response" && request?.todo_id ? { todo_id: request.todo_id } : {};
  return { type, data: { request_id: id, ...where, ...said } as CommandPayloads[AnswerType] };
}
