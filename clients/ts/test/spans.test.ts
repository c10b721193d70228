import { expect, test } from "vitest";
import { add, contains, remove, without } from "../src/fold/spans.js";
import type { Span, Spans } from "../src/fold/spans.js";

/** The same, the slow way. */
function numbers(spans: Spans): number[] {
  return Array.from({ length: 24 }, (_, n) => n).filter((n) => contains(spans, n));
}

test("adding and removing runs is adding and removing their numbers", () => {
  let seed = 1;
  const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
  let spans: Spans = [];
  let set = new Set<number>();
  for (let i = 0; i < 3000; i++) {
    const from = random(20);
    const run: Span = [from, from + random(4)];
    const members = Array.from({ length: run[1] - run[0] + 1 }, (_, k) => run[0] + k);
    if (random(2) === 0) {
      spans = add(spans, run);
      set = new Set([...set, ...members]);
    } else {
      spans = remove(spans, run);
      set = new Set([...set].filter((n) => !members.includes(n)));
    }
    expect(numbers(spans)).toEqual([...set].sort((a, b) => a - b));
    spans.forEach((s, k) => expect(k === 0 || s[0] > spans[k - 1]![1] + 1).toBe(true)); // no two touch
  }
});

test("without", () => {
  expect(without([[1, 10]], [[2, 3], [5, 20]])).toEqual([[1, 1], [4, 4]]);
  expect(add([[1, 2]], [5, 4])).toEqual([[1, 2]]);
});
