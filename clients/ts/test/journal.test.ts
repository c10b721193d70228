import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { emptyView, fold } from "../src/index.js";
import { checkFold, joined } from "./server/check.js";
import type { Recording } from "./server/conversation.js";

function load(name: string): Recording {
  return JSON.parse(readFileSync(new URL(`../testdata/${name}.json`, import.meta.url), "utf8")) as Recording;
}

describe.each(["reviews", "approvals"])("the recorded session %s", (name) => {
  const recording = load(name);

  test("folds to what the server said", () => {
    expect(checkFold(recording)).toBe(recording.states.length);
  });

  test("folds to the same for whoever joins in the middle", () => {
    for (const state of recording.states) checkFold(recording, joined(state));
  });

  test("each record once, however often it comes", () => {
    const once = recording.records.reduce(fold, emptyView());
    const twice = recording.records.flatMap((r) => [r, r]).reduce(fold, emptyView());
    expect(twice).toEqual(once);
    expect(fold(once, recording.records[3]!)).toBe(once);
  });
});
