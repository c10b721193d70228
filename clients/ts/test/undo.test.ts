import { expect, test } from "vitest";
import { immediately } from "../src/index.js";
import type { Session } from "../src/index.js";
import { script, start, until } from "./server/server.js";

/** Expects a view to be what the server says: the session, and every visible message. */
async function agrees(session: Session): Promise<void> {
  const state = await session.api.state();
  const { view } = await until(session, ({ view }) => view.session?.last_message_id === state.last_message_id && view.missing.length === 0);
  expect(view.session).toEqual(state);
  expect(view.messages.map((m) => m.text)).toEqual((await session.api.uiMessages({ limit: 500 })).items.map((m) => m.text));
}

test("a rewind, and its undoing, for one who was there and one who came later", async () => {
  const server = await start({ args: ["--model", await script('turns:\n  - {text: "Answer {{.answer}}.", repeat: forever}\n')] });
  const client = server.client();
  const open = () => client.session("back", { create: true, scheduler: immediately });
  const there = open();
  there.connect();
  for (let i = 1; i <= 3; i++) {
    await there.say(`Question ${i}`);
    await until(there, ({ view }) => view.session?.status === "completed");
  }
  await agrees(there);
  const all = there.getSnapshot().view.messages;
  const second = all.find((m) => m.text === "Question 2")!;

  const preview = await there.rewind({ to: second.message_id, preview: true });
  expect(preview).toMatchObject({ messages_hidden: all.length - all.indexOf(second), status: "idle" });
  await agrees(there);
  expect((await there.rewind({ to: second.message_id })).messages_hidden).toBe(preview.messages_hidden);
  await agrees(there);
  expect(there.getSnapshot().view.messages).toEqual(all.slice(0, all.indexOf(second)));
  const later = open();
  later.connect();
  await until(later, (s) => s.connection === "active");
  await agrees(later);

  await there.undo();
  await agrees(there);
  await agrees(later);
  expect(there.getSnapshot().view.messages).toEqual(all);
  there.disconnect();
  later.disconnect();
});
