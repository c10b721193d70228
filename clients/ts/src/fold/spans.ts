/** A run of sequence numbers, both ends included. */
export type Span = readonly [from: number, to: number];

/** Runs in rising order that do not touch each other. */
export type Spans = readonly Span[];

/** Adds a run. Adding the number that follows the last one, which is the usual case, is cheap. */
export function add(spans: Spans, [from, to]: Span): Spans {
  if (to < from) return spans;
  const last = spans.at(-1);
  if (!last || from > last[1] + 1) return [...spans, [from, to]];
  if (from >= last[0]) return to <= last[1] ? spans : [...spans.slice(0, -1), [last[0], to]];
  const apart = spans.filter((s) => s[1] < from - 1 || s[0] > to + 1);
  for (const s of spans) {
    if (apart.includes(s)) continue;
    from = Math.min(from, s[0]);
    to = Math.max(to, s[1]);
  }
  return [...apart, [from, to] as const].sort((a, b) => a[0] - b[0]);
}

/** Takes a run out. */
export function remove(spans: Spans, [from, to]: Span): Spans {
  if (to < from || !spans.some((s) => s[0] <= to && s[1] >= from)) return spans;
  return spans.flatMap((s): Span[] => {
    if (s[1] < from || s[0] > to) return [s];
    const rest: Span[] = [];
    if (s[0] < from) rest.push([s[0], from - 1]);
    if (s[1] > to) rest.push([to + 1, s[1]]);
    return rest;
  });
}

/** What is in a and not in b. */
export function without(a: Spans, b: Spans): Spans {
  return b.reduce(remove, a);
}

export function contains(spans: Spans, n: number): boolean {
  return spans.some(([from, to]) => n >= from && n <= to);
}
