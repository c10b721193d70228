import type { FileDiff } from "@parley/client";
import { expect, test } from "vitest";
import { backwards } from "../src/time/foresee";

const step = (path: string, before: string | undefined, after: string | undefined, more: Partial<FileDiff> = {}): FileDiff => ({
  path, change: "modified", patch: "", ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }), ...more,
});

/** The lines that come back and those that go, of each change that is told. */
const told = (steps: FileDiff[][], path: string) => backwards(steps).get(path)?.patches?.map((p) => p.lines.filter((l) => l.kind === "added" || l.kind === "removed").map((l) => (l.kind === "added" ? "+" : "-") + l.text));

test("what a step did is told the other way round", () => {
  expect(told([[step("a", "old\n", "new\n")]], "a")).toEqual([["-new", "+old"]]);
  expect(told([[step("a", undefined, "made\n")]], "a")).toEqual([["-made"]]);
  expect(told([[step("a", "gone\n", undefined)]], "a")).toEqual([["+gone"]]);
});

test("steps that go on from each other are one, and so are steps that ran beside each other", () => {
  expect(told([[step("a", "2\n", "3\n")], [step("b", "x\n", "y\n")], [step("a", "1\n", "2\n")]], "a")).toEqual([["-3", "+1"]]);
  expect(told([[step("a", "1\n", "3\n")], [step("a", "1\n", "2\n")]], "a")).toEqual([["-3", "+1"]]);
  expect(told([[step("a", "2\n", "1\n")], [step("a", "1\n", "2\n")]], "a")).toEqual([]);
});

test("what a person wrote between two steps keeps them apart", () => {
  expect(told([[step("a", "mine\n", "3\n")], [step("a", "1\n", "2\n")]], "a")).toEqual([["-3", "+mine"], ["-2", "+1"]]);
});

test("a renamed file is one that goes and one that comes back", () => {
  const steps = [[step("new", "text\n", "text\n", { change: "renamed", old_path: "old" })]];
  expect(told(steps, "new")).toEqual([["-text"]]);
  expect(told(steps, "old")).toEqual([["+text"]]);
});

test("what is no text, or too much of it, is named and not told in lines", () => {
  expect(backwards([[step("a", undefined, undefined, { binary: true })]]).get("a")).toEqual({ binary: true });
  expect(backwards([[step("a", "1", "2")], [step("a", undefined, undefined, { too_large: true })]]).get("a")).toEqual({ too_large: true });
});
