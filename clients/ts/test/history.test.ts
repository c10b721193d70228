import { expect, test } from "vitest";
import { immediately } from "../src/index.js";
import type { Session } from "../src/index.js";
import { script, start, until } from "./server/server.js";

const talk = `
turns:
  - text: "Answer {{.answer}}."
    repeat: forever
`;

/** Says something and waits for the end of the turn. */
async function say(session: Session, words: string): Promise<void> {
  await session.say(words);
  await until(session, ({ view }) => view.session?.status === "completed");
}

const texts = (session: Session) => session.getSnapshot().view.messages.map((m) => m.text);

test("the past is loaded a page at a time, and joins what comes", async () => {
  const server = await start({ args: ["--model", await script(talk)] });
  const client = server.client();
  const writer = client.session("long", { create: true, scheduler: immediately });
  writer.connect();
  for (let i = 1; i <= 6; i++) await say(writer, `Question ${i}`);

  const reader = client.session("long", { history: 5, scheduler: immediately });
  reader.connect();
  await until(reader, ({ view }) => view.messages.length === 5);
  const all = (await reader.api.uiMessages({ limit: 500 })).items.map((m) => m.text);
  expect(texts(reader)).toEqual(all.slice(-5));
  await say(writer, "Question 7");
  await until(reader, ({ view }) => view.session?.last_message_id === writer.getSnapshot().view.session!.last_message_id);
  while (reader.getSnapshot().view.missing.length > 0) expect(await reader.loadOlder()).toBeGreaterThan(0);
  expect(await reader.loadOlder()).toBe(0);
  const now = (await reader.api.uiMessages({ limit: 500 })).items;
  expect(texts(reader)).toEqual(now.map((m) => m.text));
  expect(now.length).toBeGreaterThan(all.length);
  writer.disconnect();
  reader.disconnect();
});

test("with history 0 nothing of the past is loaded until it is asked for", async () => {
  const server = await start({ args: ["--model", await script(talk)] });
  const client = server.client();
  const writer = client.session("long", { create: true, scheduler: immediately });
  writer.connect();
  await say(writer, "Question");
  const reader = client.session("long", { history: 0, scheduler: immediately });
  reader.connect();
  const { view } = await until(reader, (s) => s.connection === "active");
  expect(view.messages).toEqual([]);
  expect(view.missing).toHaveLength(1);
  await reader.loadOlder();
  expect(texts(reader)).toEqual(texts(writer));
  writer.disconnect();
  reader.disconnect();
});
