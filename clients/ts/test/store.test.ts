import { expect, test } from "vitest";
import { Store, fold, immediately } from "../src/index.js";
import { delta, foldAll, state } from "./frames.js";

test("subscribers are told once for all that changed in between", () => {
  const scheduled: (() => void)[] = [];
  const store = new Store(0, (run) => (scheduled.push(run), () => {}));
  const seen: number[] = [];
  store.subscribe(() => seen.push(store.getSnapshot()));
  for (let i = 0; i < 3; i++) store.update((n) => n + 1);
  expect([store.value, store.getSnapshot(), scheduled.length]).toEqual([3, 0, 1]);
  scheduled[0]!();
  expect(seen).toEqual([3]);
  store.update((n) => n + 1);
  expect(scheduled.length).toBe(2);
});

test("nothing changed, nobody is told", () => {
  const store = new Store(1, immediately);
  let told = 0;
  const off = store.subscribe(() => told++);
  store.update((n) => n);
  expect(told).toBe(0);
  store.update((n) => n + 1);
  off();
  store.update((n) => n + 1);
  expect(told).toBe(1);
});

test("20,000 pieces in one frame are one notification and no copy of the conversation", () => {
  const scheduled: (() => void)[] = [];
  const first = foldAll([state(0)]);
  const store = new Store(first, (run) => (scheduled.push(run), () => {}));
  let told = 0;
  store.subscribe(() => told++);
  for (let i = 0; i < 20_000; i++) store.update((view) => fold(view, delta(i, "word ")));
  scheduled.forEach((run) => run());
  expect(told).toBe(1);
  expect(store.getSnapshot().texts[0]!.text).toHaveLength(100_000);
  expect(store.getSnapshot().messages).toBe(first.messages);
});
