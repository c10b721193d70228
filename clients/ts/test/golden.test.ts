import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { RECORD_TYPES, emptyView, fold, isRecord, parse } from "../src/index.js";
import type { FrameOf, ServerFrame } from "../src/index.js";

const GOLDEN = new URL("../../../protocol/testdata/golden/", import.meta.url);

function files(family: "record" | "signal"): string[] {
  return readdirSync(new URL(family + "/", GOLDEN)).map((name) => name.replace(/\.json$/, ""));
}

/** A frame as the server would send it: a record is stored without its session. */
function golden<T extends ServerFrame["type"]>(family: "record" | "signal", type: T): FrameOf<T> {
  const stored = JSON.parse(readFileSync(new URL(`${family}/${type}.json`, GOLDEN), "utf8")) as object;
  return parse(JSON.stringify({ session_id: "sess_abc123", ...stored })) as FrameOf<T>;
}

test("every record has a golden file", () => {
  expect(files("record").sort()).toEqual([...RECORD_TYPES].sort());
});

describe.each(["record", "signal"] as const)("each %s", (family) => {
  test.each(files(family))("%s folds, alone and into a running session", (type) => {
    const frame = golden(family, type as ServerFrame["type"]);
    expect(isRecord(frame)).toBe(family === "record");
    const running = fold(emptyView(), golden("signal", "session_state"));
    const frozen = deepFreeze(running);
    const later = family === "record" ? { ...frame, message_id: "msg_0000000043" } : frame;
    expect(fold(emptyView(), frame)).toBeDefined();
    const view = fold(frozen, later as ServerFrame);
    if (family === "record") expect(view.cursor).toBe(43);
    if (family === "record" && type !== "rewound") expect(view.session!.last_message_id).toBe("msg_0000000043");
  });
});

test("a type and fields that are not known pass", () => {
  const frame = parse('{"type":"from_the_future","session_id":"s","message_id":"msg_0000000001","timestamp":"","data":{"x":1}}');
  expect(fold(emptyView(), frame).cursor).toBe(1);
  expect(fold(emptyView(), parse('{"type":"whisper","session_id":"s","timestamp":"","data":{}}'))).toEqual(emptyView());
});

test.each(["", "[]", "null", '{"session_id":"s"}', '{"type":"message","data":{}}', '{"type":"message","message_id":"msg_0000000000"}'])("%j is no frame", (text) => {
  expect(() => parse(text)).toThrow("the server sent");
});

test("the state of a session is taken as it is", () => {
  const state = golden("signal", "session_state");
  const view = fold(emptyView(), { ...state, data: { ...state.data, resync: false } });
  expect(view.session).toEqual({ ...state.data, resync: false });
  expect(view.texts).toMatchObject([{ open_id: "open_0000000040", say: "text", text: "라네즈 리뷰", next: 3 }]);
  expect(view.missing).toEqual([[1, 42]]);
  expect(view.cursor).toBe(42);
});

/** Folding must not change what it is given. */
function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
