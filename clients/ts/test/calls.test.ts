import { expect, test } from "vitest";
import { fold } from "../src/index.js";
import type { FrameOf, ToolCompleted, ToolProgress } from "../src/index.js";
import { answerOf } from "../src/answers.js";
import { foldAll, record, state } from "./frames.js";

const started = (seq: number, attempt: number) =>
  record(seq, "tool_started", { turn_id: "turn_1", call_id: "call_1", tool: "run_command", input: { command: "make" }, effect: "effect", class: "execute", attempt });

const completed = (seq: number, more: Partial<ToolCompleted>) =>
  record(seq, "tool_completed", { call_id: "call_1", tool: "run_command", ok: true, duration_ms: 5, ...more });

const progress = (more: Partial<ToolProgress>): FrameOf<"tool_progress"> => ({
  type: "tool_progress", session_id: "s", timestamp: "", data: { call_id: "call_1", tool: "run_command", status: "running", ...more },
});

test("a call from its start to its end", () => {
  const running = foldAll([state(0), started(1, 1), progress({ text: "compiling", progress_percentage: 40 })]);
  expect(running.calls).toMatchObject([{ call_id: "call_1", status: "running", progress: { text: "compiling", percentage: 40 } }]);
  const done = fold(running, completed(2, { output: "ok" }));
  expect(done.calls).toMatchObject([{ status: "done", output: "ok", duration_ms: 5, progress: undefined }]);
  expect(fold(done, progress({ text: "late" })).calls).toEqual(done.calls);
});

test("a call that was interrupted runs again in its own place", () => {
  const interrupted = foldAll([state(0), started(1, 1), completed(2, { ok: false, retry: true })]);
  expect(interrupted.calls).toMatchObject([{ status: "interrupted", attempt: 1 }]);
  const failed = foldAll([started(3, 2), completed(4, { ok: false, error: { code: "EXIT", message: "2", recoverable: true } })], interrupted);
  expect(failed.calls).toMatchObject([{ status: "failed", attempt: 2, error: { code: "EXIT" } }]);
});

test("pieces of what a tool prints leave its call as it is", () => {
  const view = foldAll([state(0), started(1, 1)]);
  expect(fold(view, progress({ open_id: "open_2", index: 0, text: "x" })).calls).toBe(view.calls);
});

test("an answer takes the command of its request", () => {
  const asked = { request_id: "hitl_1", created_at: "" };
  expect(answerOf("hitl_1", { action: "skip" }, { ...asked, type: "hitl_approval_request", todo_id: "todo_4" })).toEqual({
    type: "hitl_approval_response", data: { request_id: "hitl_1", todo_id: "todo_4", action: "skip" },
  });
  expect(answerOf("hitl_1", { value: 3 }, { ...asked, type: "hitl_input_request" }).type).toBe("hitl_input_response");
  expect(answerOf("hitl_1", { type: "plan", action: "approve" }, undefined)).toEqual({
    type: "hitl_plan_response", data: { request_id: "hitl_1", action: "approve" },
  });
  expect(() => answerOf("hitl_1", { action: "approve" }, undefined)).toThrow("is not open");
});
