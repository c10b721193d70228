import { expect, test } from "vitest";
import { FROM_START, immediately } from "../src/index.js";
import type { Session } from "../src/index.js";
import { folder, script, start, until } from "./server/server.js";

const QUICK = { initialDelay: 20, maxDelay: 100, maxRetries: Infinity };

/** Whatever was told to a client, in order. */
function told(session: Session): string[] {
  const ids: string[] = [];
  session.on("*", (frame) => {
    if ("message_id" in frame) ids.push(frame.message_id);
  });
  return ids;
}

// The plug is pulled while text is being written. Whoever watches sees every
// record once, keeps the text that was there, and what was said meanwhile acts.
test("a server that is killed and comes back", async () => {
  const model = await script(`
turns:
  - text: "${"a word, and another, ".repeat(40)}"
    split: words
    delay: 10ms
    repeat: forever
`);
  const args = ["--model", model];
  const server = await start({ args });
  const session = server.client({ reconnect: QUICK }).session("crash", { after: FROM_START, create: true, scheduler: immediately });
  const ids = told(session);
  session.connect();
  await session.say("Write a lot.");
  const { view } = await until(session, ({ view }) => (view.texts[0]?.text.length ?? 0) > 200);
  const before = view.texts[0]!;
  await server.kill();
  await until(session, (s) => s.connection === "reconnecting");
  expect(session.getSnapshot().view.texts[0]!.text.startsWith(before.text)).toBe(true); // it stays on the screen
  const sent = session.say({ content: "And this.", when: "queue" });
  await start({ args, data: server.data, listen: server.listen });
  await until(session, (s) => s.connection === "active");
  expect((await sent).message_id).toMatch(/^msg_/);
  await until(session, ({ view }) => view.messages.some((m) => m.open_id !== undefined && m.text!.length > 500));
  await until(session, ({ view }) => view.session?.queue.length === 0);
  await session.cancel();

  const records = (await session.api.events({ limit: 1000 })).items;
  expect(ids).toEqual(records.map((r) => r.message_id));
  expect(records.filter((r) => r.type === "message_queued")).toHaveLength(1);
  const { view: after } = session.getSnapshot();
  const { items } = await session.api.uiMessages({ limit: 500 });
  expect(after.messages).toEqual(items.map((m) => expect.objectContaining(m)));
  expect(after.session).toEqual(await session.api.state());
  expect(after.texts).toEqual([]);
  session.disconnect();
});

test("another window takes over, and the first stays away", async () => {
  const server = await start({ args: ["--model", "offline"] });
  const open = () => server.client({ reconnect: QUICK }).session("mine", { clientID: "window", create: true, scheduler: immediately });
  const [first, second] = [open(), open()];
  first.connect();
  await until(first, (s) => s.connection === "active");
  second.connect();
  const { error } = await until(first, (s) => s.connection === "failed");
  expect(error).toMatchObject({ name: "ClosedError", code: 4501 });
  await second.update({ title: "taken" });
  expect(second.getSnapshot()).toMatchObject({ connection: "active", view: { session: { title: "taken" } } });
  second.disconnect();
});

test("a session that is deleted", async () => {
  const server = await start({ args: ["--model", "offline"] });
  const session = server.client({ reconnect: QUICK }).session("gone", { create: true, scheduler: immediately });
  session.connect();
  await until(session, (s) => s.connection === "active");
  await session.api.delete();
  expect((await until(session, (s) => s.connection === "failed")).error).toMatchObject({ code: 4502 });
});

test("a refused token is replaced by a good one, on a connection and in a call", async () => {
  const server = await start({ args: ["--model", "offline"], data: await folder() });
  const tokens = () => {
    const given = ["wrong-".repeat(8), server.token];
    return { given, token: async () => given.shift() ?? "no more" };
  };
  const live = tokens();
  const session = server.client({ token: live.token }).session("t", { create: true, scheduler: immediately });
  session.connect();
  await until(session, (s) => s.connection === "active");
  expect(live.given).toEqual([]);
  session.disconnect();

  const called = tokens();
  expect((await server.client({ token: called.token }).api.session("t").state()).session_id).toBe("t");
  expect(called.given).toEqual([]);
  await expect(server.client({ token: "wrong-".repeat(8) }).api.sessions()).rejects.toMatchObject({ status: 401, aboutAuth: true });
});
