import { expect, test } from "vitest";
import { FROM_START, immediately } from "../src/index.js";
import type { OpenRequest, Session } from "../src/index.js";
import { checkFold } from "./server/check.js";
import { answerAll, keep, record } from "./server/conversation.js";
import { SCRIPTS, folder, script, start, until } from "./server/server.js";

test("the whole conversation of the protocol's description", async () => {
  const model = `script:${SCRIPTS}reviews.yaml`;
  const workspace = await folder();
  const server = await start({ args: ["--model", model] });
  const client = server.client();
  await client.api.create({ session_id: "reviews", pipeline: "planned", workspace });
  const session = client.session("reviews", { after: FROM_START, scheduler: immediately });
  const finish = record(session);
  session.connect();
  await session.say("리뷰 분석해줘");
  await answerAll(session);

  const recording = await finish();
  expect(checkFold(recording)).toBeGreaterThan(5);
  const { view } = session.getSnapshot();
  const { items } = await session.api.uiMessages({ limit: 500 });
  expect(recording.records.map((r) => r.message_id)).toEqual((await session.api.events({ limit: 1000 })).items.map((r) => r.message_id));
  expect(view.session).toEqual(await session.api.state());
  expect(view.outcome).toMatchObject({ status: "success" });
  expect(view.session!.todos.map((t) => t.status)).toEqual(["completed", "completed", "completed", "completed"]);
  expect(view.messages).toEqual(items.map((m) => expect.objectContaining(m)));
  expect(view.messages.at(-1)!.text).toContain("라네즈 리뷰 분석 결과입니다");
  expect(view.calls.map((c) => c.status)).toEqual(["done", "done", "done", "done"]);
  expect(Object.values(view.resolved).map((r) => r.action)).toEqual(["answer", "modify", "approve", "approve"]);
  expect(view.turn).toBeUndefined();
  expect(view.texts).toEqual([]);
  expect(view.missing).toEqual([]);
  session.disconnect();
  await keep("reviews", recording, { [model]: "script", [workspace]: "/home/mina/reviews" });
});

// Each request gets another answer; messages wait meanwhile, the work is paused
// and goes on, and in the end it is cancelled.
test("approvals, a queue, pause, and cancel", async () => {
  const model = await script(`
turns:
  - calls:
      - {name: run_command, input: {command: "echo 1"}}
      - {name: run_command, input: {command: "echo 2"}}
      - {name: run_command, input: {command: "echo 3"}}
  - text: Done with the first.
    split: words
  - calls:
      - {name: run_command, input: {command: "echo 4"}}
`);
  const server = await start({ args: ["--model", model] });
  const session = server.client().session("approvals", { after: FROM_START, create: true, scheduler: immediately });
  const finish = record(session);
  session.connect();
  await session.say("Run them.");
  const asked = async (n: number) => (await until(session, ({ view }) => view.session?.hitl_requests.length === n)).view.session!;
  const { hitl_requests: first, status } = await asked(3);
  expect(status).toBe("waiting");
  expect(session.getSnapshot().view.turn).toBe(first[0]!.turn_id);
  expect(first.map((r) => r.type)).toEqual(["hitl_approval_request", "hitl_approval_request", "hitl_approval_request"]);
  await session.say({ content: "And then the fourth.", when: "queue" });
  await session.say({ content: "Never mind this one.", when: "queue" });
  expect(session.getSnapshot().view.session!.queue.map((q) => q.content)).toEqual(["And then the fourth.", "Never mind this one."]);
  await session.send("queue_edit", { remove: [session.getSnapshot().view.session!.queue[1]!.message_id] });
  await session.update({ title: "Four commands", auto_approve: ["read"] });
  await session.pause("a break");
  expect(session.getSnapshot().view.session!.status).toBe("paused");
  await session.resume();
  await answerEach(session, first, ["approve", "skip", "reject"]);
  await until(session, ({ view }) => view.session?.queue.length === 0);
  await asked(1);
  await session.cancel("enough");

  const recording = await finish();
  expect(checkFold(recording)).toBeGreaterThan(5);
  const { view } = session.getSnapshot();
  expect(view.session).toEqual(await session.api.state());
  expect(view.session).toMatchObject({ status: "cancelled", title: "Four commands", queue: [], hitl_pending: null });
  expect(view.outcome).toMatchObject({ status: "cancelled" });
  session.disconnect();
  await keep("approvals", recording, { [model]: "script", [recording.states[0]!.workspace!]: "/home/mina/work" });
});

// A handler finds the view as its record has left it, and may answer at once.
test("answering from a handler", async () => {
  const server = await start({ args: ["--model", `script:${SCRIPTS}approvals.yaml`] });
  const session = server.client().session("at-once", { create: true });
  const answers: Promise<unknown>[] = [];
  session.on("hitl_approval_request", (r) => answers.push(session.answer(r.data.request_id, { action: "approve" })));
  session.connect();
  await session.say("Go.");
  const { view } = await until(session, ({ view }) => view.outcome !== undefined);
  await Promise.all(answers);
  expect(answers).toHaveLength(8);
  expect(view.calls.map((c) => c.status)).toEqual(Array(8).fill("done"));
  session.disconnect();
});

async function answerEach(session: Session, requests: readonly OpenRequest[], actions: readonly string[]): Promise<void> {
  for (const [i, request] of requests.entries()) await session.answer(request.request_id, { action: actions[i]! });
  await expect(session.answer(requests[0]!.request_id, { type: "approval", action: "approve" })).rejects.toMatchObject({ code: 5003 });
  await expect(session.answer(requests[0]!.request_id, { action: "approve" })).rejects.toMatchObject({ code: 5003 });
}
