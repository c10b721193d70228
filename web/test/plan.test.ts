import type { Todo } from "@parley/client";
import { expect, test } from "vitest";
import { add, changesOf, connect, disconnect, raise, remove } from "../src/plan/edit";

const todo = (id: string, depends_on: string[] = [], more: Partial<Todo> = {}): Todo => ({ id, task: "do " + id, status: "pending", priority: 5, depends_on, ...more });
const plan = [todo("a"), todo("b", ["a"]), todo("c", ["b"])];

test("connecting makes one wait for the other, and never a circle", () => {
  expect(connect(plan, "a", "c")[2]!.depends_on).toEqual(["b", "a"]);
  expect(connect(plan, "c", "a")).toBe(plan);
  expect(connect(plan, "a", "a")).toBe(plan);
  expect(disconnect(plan, "b", "c")[2]!.depends_on).toEqual([]);
});

test("what waited for a removed todo waits for what that waited for", () => {
  expect(remove(plan, "b").map((t) => [t.id, t.depends_on])).toEqual([["a", []], ["c", ["a"]]]);
});

test("what has begun is left alone", () => {
  const running = [todo("a", [], { status: "in_progress" }), todo("b")];
  expect(remove(running, "a")).toBe(running);
  expect(connect(running, "b", "a")).toEqual(running);
});

test("the changes are those that were made, and no others", () => {
  expect(changesOf(plan, plan)).toEqual([]);
  const edited = add(raise(remove(plan, "b").map((t) => (t.id === "a" ? { ...t, task: "other" } : t)), "c"), { task: "new", tool: "run_command", input: { command: "ls" } });
  expect(changesOf(plan, edited)).toEqual([
    { action: "update", todo_id: "c", depends_on: ["a"], priority: 6 },
    { action: "update", todo_id: "a", task: "other" },
    { action: "add", todo_id: "todo_003", task: "new", tool: "run_command", input: { command: "ls" }, depends_on: [], priority: 5, requires_approval: undefined },
    { action: "remove", todo_id: "b" },
  ]);
});
