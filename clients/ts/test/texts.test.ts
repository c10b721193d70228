import { expect, test } from "vitest";
import { fold } from "../src/index.js";
import { delta, foldAll, said, state, words } from "./frames.js";

const open = (text: string, next_index: number) => ({ open_messages: [{ open_id: "open_1", agent_id: "a", say: "text" as const, text, next_index }] });

test("pieces are joined, and replaced by the finished message", () => {
  const writing = foldAll([state(0), delta(0, "Hel"), delta(1, "lo "), delta(2, "wrld", { is_complete: true })]);
  expect(writing.texts).toMatchObject([{ text: "Hello wrld", next: 3, complete: true }]);
  expect(writing.messages).toEqual([]);
  const done = fold(writing, said(1, "Hello world", { open_id: "open_1" }));
  expect(done.texts).toEqual([]);
  expect(done.messages).toMatchObject([{ text: "Hello world", open_id: "open_1", message_id: "msg_0000000001" }]);
});

test("a piece that is known, or lies beyond a gap, changes nothing", () => {
  const view = foldAll([state(0), delta(0, "a"), delta(1, "b")]);
  expect(fold(view, delta(1, "b"))).toBe(view);
  expect(fold(view, delta(3, "d"))).toBe(view);
  expect(fold(foldAll([state(0)]), delta(5, "x")).texts).toEqual([]);
});

test("a joined piece replaces what is there, unless that is newer", () => {
  const view = foldAll([state(0), delta(0, "a"), delta(4, "abcde", { from_index: 0 }), delta(5, "f")]);
  expect(view.texts).toMatchObject([{ text: "abcdef", next: 6 }]);
  expect(fold(view, delta(3, "abcd", { from_index: 0 }))).toBe(view);
  expect(foldAll([delta(-1, "", { from_index: 0 }), delta(0, "a")], foldAll([state(0)])).texts).toMatchObject([{ text: "a" }]);
});

test("a fresh state brings the texts anew", () => {
  const view = foldAll([state(0), delta(0, "a"), state(0, open("abc", 3)), delta(3, "d")]);
  expect(view.texts).toMatchObject([{ text: "abcd", say: "text" }]);
  expect(foldAll([state(0)], view).texts).toEqual([]);
});

test("a text that was finished while we were away stays until its message comes", () => {
  const back = foldAll([state(0), delta(0, "half"), state(2)]);
  expect(back.texts).toMatchObject([{ text: "half", leaving: true }]);
  expect(foldAll([said(1, "whole", { open_id: "open_1" }), said(2, "next")], back).texts).toEqual([]);
  expect(foldAll([said(1, "another"), said(2, "next")], back).texts).toEqual([]);
});

test("while text is written, what was said stays the same object", () => {
  const before = foldAll([state(0), said(1, "hi"), delta(0, "a")]);
  const after = fold(before, delta(1, "b"));
  expect(after.messages).toBe(before.messages);
  expect(after.session).toBe(before.session);
  expect(after.inner).toBe(before.inner);
});

test("what a tool prints is a text, and how far it is belongs to the call", () => {
  const progress = { call_id: "call_1", tool: "run_command", status: "running" };
  const view = foldAll([
    state(0),
    { type: "tool_progress", session_id: "s", timestamp: "", data: { ...progress, open_id: "open_2", index: 0, text: "line\n" } },
  ]);
  expect(view.texts).toMatchObject([{ open_id: "open_2", say: "command_output", text: "line\n", call_id: "call_1" }]);
  expect(words(view)).toEqual([]);
});

test("a new version of a message takes the place of the old one", () => {
  const updated = (seq: number, ts: number, text: string) =>
    said(seq, text, { action: "updated", message: { ts, type: "say", say: "text", text } });
  const view = foldAll([state(0), said(1, "one"), said(2, "two"), updated(3, 1001, "one, better"), updated(4, 5, "of one that is not here")]);
  expect(words(view)).toEqual(["one, better", "two"]);
  expect(view.messages[0]!.message_id).toBe("msg_0000000001");
});
