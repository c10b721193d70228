import { expect, onTestFinished, test, vi } from "vitest";
import { ClosedError, DisconnectedError, GaveUpError, MalformedError, ServerError } from "../src/index.js";
import type { Connection, ConnectionState } from "../src/index.js";
import { Handlers } from "../src/handlers.js";
import { RECONNECT, delay, readURL } from "../src/options.js";
import { said, state } from "./frames.js";
import { peer, reached } from "./peer.js";

/** Every state that a connection goes through. */
function states(connection: Connection): ConnectionState[] {
  const seen: ConnectionState[] = [];
  connection.watch(() => {
    if (seen.at(-1) !== connection.state) seen.push(connection.state);
  });
  return seen;
}

test("from connecting to active, and leaving", async () => {
  const server = await peer();
  const connection = server.client().connection("s", { clientID: "me", create: true });
  const seen = states(connection);
  connection.connect();
  const line = await server.line();
  expect(Object.fromEntries(line.query)).toEqual({ client_id: "me", create: "true" });
  line.send(state(3));
  await reached(connection, "active");
  expect(connection.cursor).toBe("msg_0000000003");
  connection.disconnect();
  expect(await line.closed).toBe(1000);
  expect(seen).toEqual(["connecting", "connected", "active", "disconnected"]);
});

test("it resumes after the last record, and each record is told once", async () => {
  const server = await peer();
  const connection = server.client().connection("s", { after: "msg_0000000000" });
  const seen = states(connection);
  const got: (string | undefined)[] = [];
  connection.on("message", (r) => got.push(r.data.message.text));
  connection.connect();
  const first = await server.line();
  expect(first.query.get("resume_from")).toBe("msg_0000000000");
  [state(2), said(1, "one"), said(2, "two")].forEach(first.send);
  await new Promise<void>((heard) => connection.on("message", (r) => r.data.message.text === "two" && heard()));
  first.cut();
  const second = await server.line();
  expect(second.query.get("resume_from")).toBe("msg_0000000002");
  [state(3), said(2, "two"), said(3, "three"), said(4, "four")].forEach(second.send);
  await new Promise<void>((heard) => connection.on("message", (r) => r.data.message.text === "four" && heard()));
  expect(got).toEqual(["one", "two", "three", "four"]);
  expect(seen).toEqual(["connecting", "connected", "active", "reconnecting", "connected", "active"]);
  connection.disconnect();
});

test("a cursor that the server does not know gives way to the server's", async () => {
  const server = await peer();
  const connection = server.client().connection("s", { after: "msg_0000000099" });
  connection.connect();
  const first = await server.line();
  first.send(state(5, { resync: true }));
  await reached(connection, "active");
  first.cut();
  expect((await server.line()).query.get("resume_from")).toBe("msg_0000000005");
  connection.disconnect();
});

test("a command is sent again until it is answered, under the same id", async () => {
  const server = await peer();
  const connection = server.client().connection("s");
  connection.connect();
  const sent = connection.send("user_message", { content: "hello" });
  expect(connection.sending).toHaveLength(1);
  const first = await server.line();
  first.send(state(0));
  const command = await first.next();
  expect(command).toMatchObject({ type: "user_message", session_id: "s", data: { content: "hello" } });
  first.cut();
  const second = await server.line();
  second.send(state(0));
  expect(await second.next()).toEqual(command);
  second.send({ type: "ack", session_id: "s", timestamp: "", data: { in_reply_to: command.message_id, ok: true, message_id: "msg_0000000001" } });
  expect(await sent).toMatchObject({ ok: true, message_id: "msg_0000000001" });
  expect(connection.sending).toEqual([]);
  connection.disconnect();
});

test("a refused command is rejected, and its error is not told twice", async () => {
  const server = await peer();
  const connection = server.client().connection("s");
  const errors: string[] = [];
  connection.on("error", (s) => errors.push(s.data.message));
  connection.connect();
  const line = await server.line();
  line.send(state(0));
  const sent = connection.send("control_pause", {});
  const { message_id } = await line.next();
  const error = { code: 3003, name: "WS_SESSION_INVALID_STATE", message: "nothing runs", recoverable: false, in_reply_to: message_id };
  line.send({ type: "ack", session_id: "s", timestamp: "", data: { in_reply_to: message_id, ok: false, error } });
  line.send({ type: "error", session_id: "s", timestamp: "", data: error });
  line.send({ type: "error", session_id: "s", timestamp: "", data: { ...error, in_reply_to: undefined, message: "of nobody" } });
  await expect(sent).rejects.toMatchObject({ code: 3003, message: "nothing runs" });
  await expect.poll(() => errors).toEqual(["of nobody"]);
  connection.disconnect();
});

test("a server that stops in between: the command waits for the next one", async () => {
  const server = await peer();
  const connection = server.client().connection("s");
  connection.connect();
  const first = await server.line();
  first.send(state(0));
  const sent = connection.send("control_cancel", {});
  const { message_id } = await first.next();
  const error = { code: 1001, name: "WS_CONNECTION_FAILED", message: "stopping", recoverable: true };
  first.send({ type: "ack", session_id: "s", timestamp: "", data: { in_reply_to: message_id, ok: false, error } });
  const second = await server.line();
  second.send(state(0));
  expect((await second.next()).message_id).toBe(message_id);
  second.send({ type: "ack", session_id: "s", timestamp: "", data: { in_reply_to: message_id, ok: true } });
  expect(await sent).toMatchObject({ ok: true });
  connection.disconnect();
});

test("handlers hear their type, until they are taken away, and one that throws harms nobody", () => {
  const handlers = new Handlers();
  const heard: string[] = [];
  const later: (() => void)[] = [];
  vi.spyOn(globalThis, "queueMicrotask").mockImplementation((run) => void later.push(run));
  onTestFinished(() => void vi.restoreAllMocks());
  handlers.on("message", () => {
    throw new Error("mine");
  });
  const off = handlers.on("message", (r) => heard.push(r.data.message.text!));
  handlers.on("*", (frame) => heard.push(frame.type));
  handlers.tell(said(1, "one"));
  off();
  handlers.tell(state(1));
  handlers.tell(said(2, "two"));
  expect(heard).toEqual(["message", "one", "session_state", "message"]);
  expect(later).toHaveLength(2);
  expect(later[0]).toThrow("mine"); // where whoever runs the program sees it
});

test("heartbeats are answered", async () => {
  const server = await peer();
  const connection = server.client().connection("s");
  connection.connect();
  const line = await server.line();
  line.send(state(0));
  line.send({ type: "ping", session_id: "s", timestamp: "" });
  expect(await line.next()).toEqual({ type: "pong" });
  connection.disconnect();
});

test.each([1011, 1013, 4000, 4002, 4003, 4242])("%i: it comes back", async (code) => {
  const server = await peer();
  const connection = server.client().connection("s");
  connection.connect();
  (await server.line()).close(code);
  (await server.line()).send(state(0));
  await reached(connection, "active");
  connection.disconnect();
});

test.each([1007, 1009, 4500, 4501, 4502, 4503, 4999])("%i: it stays away", async (code) => {
  const server = await peer();
  const connection = server.client({ token: "fixed" }).connection("s");
  connection.connect();
  const line = await server.line();
  line.send(state(0));
  await reached(connection, "active");
  const sent = connection.send("control_cancel", {});
  line.close(code, "because");
  await expect(sent).rejects.toMatchObject({ code });
  expect(connection.state).toBe("failed");
  expect(connection.error).toBeInstanceOf(ClosedError);
  await expect(connection.send("control_cancel", {})).rejects.toMatchObject({ code });
  expect(server.count()).toBe(1);
});

test("the server says why before it closes", async () => {
  const server = await peer();
  const connection = server.client().connection("s");
  connection.connect();
  const line = await server.line();
  line.send({ type: "error", session_id: "s", timestamp: "", data: { code: 3001, name: "WS_SESSION_NOT_FOUND", message: "there is no session", recoverable: false } });
  line.close(4503);
  await reached(connection, "failed");
  expect(connection.error!.message).toContain("there is no session");
});

test("it gives up after the last retry, and connect() begins anew", async () => {
  const server = await peer();
  const connection = server.client({ reconnect: { maxRetries: 2, initialDelay: 1 } }).connection("s");
  connection.connect();
  for (let i = 0; i < 3; i++) (await server.line()).cut();
  await reached(connection, "failed");
  expect(connection.error).toBeInstanceOf(GaveUpError);
  connection.connect();
  (await server.line()).send(state(0));
  await reached(connection, "active");
  connection.disconnect();
});

test("delays grow up to a bound", () => {
  const delays = [0, 1, 2, 3, 4, 5, 6].map((n) => delay(RECONNECT, n, () => 0));
  expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(delay(RECONNECT, 0, () => 1)).toBe(1100);
});

test("on 4500 it asks once for another token", async () => {
  const server = await peer();
  let asked = 0;
  const connection = server.client({ token: async () => `token-${++asked}` }).connection("s");
  connection.connect();
  const first = await server.line();
  expect(await first.next()).toEqual({ type: "auth", data: { token: "token-1" } });
  first.close(4500);
  const second = await server.line();
  expect(await second.next()).toMatchObject({ data: { token: "token-2" } });
  second.close(4500);
  await reached(connection, "failed");
  expect([asked, server.count()]).toEqual([2, 2]);
});

/** A server that has let the client in, and has just been given a command under a token that has expired since. */
async function expired() {
  const server = await peer();
  const asked: string[] = [];
  const connection = server.client({ token: () => `token-${asked.push("")}` }).connection("s");
  connection.connect();
  const line = await server.line();
  await line.next();
  line.send(state(0));
  const sent = connection.send("control_cancel", {});
  const { message_id } = await line.next();
  const error = { code: 2003, name: "WS_TOKEN_EXPIRED", message: "expired", recoverable: true };
  const refuse = () => line.send({ type: "ack", session_id: "s", timestamp: "", data: { in_reply_to: message_id, ok: false, error } });
  return { server, connection, sent, message_id, refuse, asked };
}

test("a token that has expired is replaced, and the command that met it sent again", async () => {
  const { server, connection, sent, message_id, refuse, asked } = await expired();
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000);
  onTestFinished(() => void vi.restoreAllMocks());
  refuse();
  const next = await server.line();
  expect(await next.next()).toMatchObject({ type: "auth", data: { token: "token-2" } });
  next.send(state(0));
  expect((await next.next()).message_id).toBe(message_id);
  next.send({ type: "ack", session_id: "s", timestamp: "", data: { in_reply_to: message_id, ok: true } });
  expect(await sent).toMatchObject({ ok: true });
  expect(asked).toHaveLength(2);
  connection.disconnect();
});

test("a token that was good a moment ago is not replaced: the next would not live longer", async () => {
  const { connection, sent, refuse, asked } = await expired();
  refuse();
  await expect(sent).rejects.toBeInstanceOf(ServerError);
  expect(connection.state).toBe("failed");
  expect(asked).toHaveLength(1);
});

test("frames that cannot be read: once more, then not", async () => {
  const server = await peer();
  const connection = server.client().connection("s");
  connection.connect();
  for (let i = 0; i < 2; i++) {
    const line = await server.line();
    line.send(state(7));
    line.send("{]");
  }
  await reached(connection, "failed");
  expect(connection.error).toBeInstanceOf(MalformedError);
});

test("a server that says nothing is left", async () => {
  const server = await peer();
  const connection = server.client({ connectTimeoutMs: 20, idleTimeoutMs: 20, reconnect: { maxRetries: Infinity, initialDelay: 1 } }).connection("s");
  connection.connect();
  await server.line(); // no state comes
  (await server.line()).send(state(0)); // and then silence
  (await server.line()).send(state(0));
  connection.disconnect();
});

test("without a connection there is nothing to send to", async () => {
  const server = await peer();
  const connection = server.client().connection("s");
  await expect(connection.send("control_cancel", {})).rejects.toBeInstanceOf(DisconnectedError);
  connection.connect();
  const sent = connection.send("control_cancel", {});
  connection.disconnect();
  await expect(sent).rejects.toBeInstanceOf(DisconnectedError);
  const stopped = AbortSignal.abort(new Error("changed my mind"));
  await expect(connection.send("control_cancel", {}, { signal: stopped })).rejects.toThrow("changed my mind");
});

test("a command that the server would refuse for its size is not sent", async () => {
  const server = await peer();
  const connection = server.client({ maxFrameBytes: 400 }).connection("s");
  connection.connect();
  await expect(connection.send("user_message", { content: "글".repeat(200) })).rejects.toMatchObject({ code: 1005 });
  connection.disconnect();
});

test("addresses", () => {
  expect(readURL("ws://host:1/below?token=t")).toMatchObject({ base: { href: "http://host:1/below/" }, token: "t" });
  expect(readURL(undefined).base.href).toBe("http://127.0.0.1:7717/");
  expect(() => readURL("ftp://host")).toThrow("must begin with http");
});
