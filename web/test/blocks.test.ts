import { expect, test } from "vitest";
import { blocksOf } from "../src/talk/blocks";

test("a text is cut at blank lines", () => {
  expect(blocksOf("# A\n\none\ntwo\n\nthree")).toEqual(["# A\n", "one\ntwo\n", "three"]);
});

test("code, lists and what is indented stay whole", () => {
  expect(blocksOf("```go\na\n\nb\n```\n\nend")).toEqual(["```go\na\n\nb\n```\n", "end"]);
  expect(blocksOf("- a\n\n- b\n\n  more\n\nend")).toEqual(["- a\n\n- b\n\n  more\n", "end"]);
  expect(blocksOf("1. a\n\n2. b")).toEqual(["1. a\n\n2. b"]);
});

test("code that is still being written is one block", () => {
  expect(blocksOf("text\n\n````\na\n\n```\n\nb")).toEqual(["text\n", "````\na\n\n```\n\nb"]);
});

test("all blocks but the last stay the same while a text grows, and together they are the text", () => {
  const text = "# A\n\nfirst *one*\n\n```\ncode\n\nmore\n```\n\n- x\n- y\n\nlast";
  let before: string[] = [];
  for (let n = 1; n <= text.length; n++) {
    const now = blocksOf(text.slice(0, n));
    expect(now.join("\n")).toBe(text.slice(0, n));
    expect(now.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1));
    before = now;
  }
});
