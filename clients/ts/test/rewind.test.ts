import { expect, test } from "vitest";
import { emptyView, fold } from "../src/index.js";
import type { FrameOf, View } from "../src/index.js";
import { addPage } from "../src/fold/path.js";
import { delta, foldAll, record, said, state, words } from "./frames.js";

type Runs = [number, number][];

function rewound(seq: number, head: number, hidden: Runs, shown: Runs = []): FrameOf<"rewound"> {
  return record(seq, "rewound", { rewind_id: "rew_" + seq, head: "msg_" + String(head).padStart(10, "0"), hidden, shown });
}

const five = [1, 2, 3, 4, 5].map((n) => said(n, "m" + n));

test("what a rewind hides goes away, and comes back when it is undone", () => {
  const full = foldAll([state(0), ...five]);
  const back = foldAll([rewound(6, 2, [[3, 5]]), state(6)], full);
  expect(words(back)).toEqual(["m1", "m2"]);
  const on = foldAll([said(7, "m7")], back);
  expect(words(on)).toEqual(["m1", "m2", "m7"]);
  const undone = foldAll([rewound(8, 5, [[7, 7]], [[3, 5]]), state(8)], on);
  expect(words(undone)).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  expect(undone.missing).toEqual([]);
  expect(undone.messages[0]).toBe(full.messages[0]);
});

test("the fresh state replaces what was folded, and texts stop", () => {
  const view = foldAll([state(0), ...five, delta(0, "half a"), rewound(6, 2, [[3, 5]])]);
  expect(view.texts).toEqual([]);
  expect(fold(view, state(6, { status: "paused", title: "as it was" })).session).toMatchObject({ status: "paused", title: "as it was" });
});

test("what comes back and was never here is missing, until it is loaded", () => {
  const joined = fold(emptyView(), state(6)); // 3 to 5 are hidden, which nobody has told
  expect(joined.missing).toEqual([[1, 6]]);
  const paged = addPage(joined, { items: [page(1), page(2)], covers: [1, 6] });
  expect(words(paged)).toEqual(["m1", "m2"]);
  expect(paged.missing).toEqual([]);
  const undone = foldAll([rewound(7, 5, [], [[3, 5]]), state(7)], paged);
  expect(words(undone)).toEqual(["m1", "m2"]);
  expect(undone.missing).toEqual([[3, 5]]);
  const loaded = addPage(undone, { items: [page(2), page(3), page(4), page(5)], covers: [2, 5] });
  expect(words(loaded)).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  expect(loaded.missing).toEqual([]);
});

test("a page that comes after its messages were hidden does not bring them back", () => {
  const joined = foldAll([state(5), rewound(6, 2, [[3, 5]]), state(6)]);
  expect(words(addPage(joined, { items: [page(2), page(3)], covers: [1, 5] }))).toEqual(["m2"]);
});

test("a cursor that the server does not know: everything is forgotten", () => {
  const full = foldAll([state(0), ...five]);
  const again = fold(full, state(3, { resync: true }));
  expect(words(again)).toEqual([]);
  expect(again.cursor).toBe(3);
  expect(again.missing).toEqual([[1, 3]]);
});

test("records that the state has already are for the transcript only", () => {
  const view = foldAll([state(2, { title: "now" }), said(1, "m1")], emptyView("msg_0000000000"));
  const titled = fold(view, record(2, "session_updated", { title: "then" }));
  expect(words(titled)).toEqual(["m1"]);
  expect(titled.session!.title).toBe("now");
  expect(fold(titled, record(3, "session_updated", { title: "later" })).session!.title).toBe("later");
});

function page(n: number): View["messages"][number] {
  return { ts: 1000 + n, type: "say", say: "text", text: "m" + n, message_id: "msg_" + String(n).padStart(10, "0") };
}
