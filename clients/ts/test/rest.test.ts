import { expect, test } from "vitest";
import { Client, UnreachableError } from "../src/index.js";
import { start, until } from "./server/server.js";

test("sessions, messages, search, plan and errors by REST", async () => {
  const server = await start({ args: ["--model", "offline"] });
  const { api } = server.client();
  const made = await api.create({ title: "First steps", auto_approve: ["read"] }, "make-it-once");
  expect(await api.create({ title: "First steps", auto_approve: ["read"] }, "make-it-once")).toMatchObject({ session_id: made.session_id });
  const session = api.session(made.session_id);
  const sent = await session.say({ content: "What about the zebra?" }, "say-it-once");
  expect(sent.status).toBe("accepted");
  expect(await session.say({ content: "What about the zebra?" }, "say-it-once")).toEqual(sent);
  await expect(session.say({ content: "Something else" }, "say-it-once")).rejects.toMatchObject({ code: 1003, word: "WS_INVALID_MESSAGE" });

  expect((await session.update({ title: "Second steps" })).title).toBe("Second steps");
  expect((await session.messages()).items[0]).toMatchObject({ role: "user", content: "What about the zebra?" });
  expect((await session.uiMessages()).items[0]).toMatchObject({ role: "user", text: "What about the zebra?" });
  expect((await session.events({ limit: 2 })).items.map((r) => r.type)).toEqual(["session_created", "message_accepted"]);
  expect((await session.requests()).items).toEqual([]);
  await expect(session.plan()).rejects.toMatchObject({ status: 404 });
  await expect.poll(async () => (await api.search({ q: "zebra" })).items[0]?.session_id).toBe(made.session_id);
  await api.create({ session_id: "another" });
  await expect.poll(async () => {
    const ids = [];
    for await (const s of api.all((cursor) => api.sessions({ limit: 1, cursor }))) ids.push(s.session_id);
    return ids.sort();
  }).toEqual(["another", made.session_id].sort());

  await session.delete();
  await expect(session.state()).rejects.toMatchObject({ name: "ServerError", code: 3002 });
  await expect(api.session("nobody").state()).rejects.toMatchObject({ code: 3001, status: 404, recoverable: false });
});

test("a blob by the hash that a record names", async () => {
  const server = await start({ args: ["--model", "offline"] });
  const session = server.client().session("long", { create: true });
  session.connect();
  const long = "한글 text ".repeat(10_000);
  await session.say(long);
  const { view } = await until(session, ({ view }) => view.messages.length > 0);
  const { text, text_blob } = view.messages[0]!;
  expect(long.startsWith(text!)).toBe(true);
  expect(await (await session.api.blob(text_blob!.hash)).text()).toBe(long);
  session.disconnect();
});

test("no server, or none of ours", async () => {
  await expect(new Client({ url: "http://127.0.0.1:9" }).api.sessions()).rejects.toBeInstanceOf(UnreachableError);
  const foreign = new Client({ url: "http://example.test", fetch: async () => new Response("<html>", { status: 502 }) });
  await expect(foreign.api.sessions()).rejects.toMatchObject({ code: 0, status: 502, recoverable: true });
});
