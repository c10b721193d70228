/** Compares two texts line by line, as a unified diff shows it. */
import type { DiffLine, FilePatch } from "./diff";

/** Lines around a change that show where it is. */
const AROUND = 3;

/** Texts that differ in more lines than these are told as one block: the rest would take too long to find out. */
const MOST = 1000;

/** What turns one text into another; null is a file that is not there. */
export function patchOf(path: string, before: string | null, after: string | null): FilePatch {
  const all = compare(linesOf(before), linesOf(after));
  const count = (kind: DiffLine["kind"]) => all.filter((l) => l.kind === kind).length;
  return { path, lines: hunks(all), added: count("added"), removed: count("removed") };
}

function linesOf(text: string | null): string[] {
  if (!text) return [];
  return text.replace(/\n$/, "").split("\n");
}

/** Every line of both, with what becomes of it. What is the same at both ends is not searched. */
function compare(a: readonly string[], b: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const keeps = common(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const lines: DiffLine[] = [];
  const same = (n: number, m: number) => lines.push({ kind: "same", text: a[n]!, before: n + 1, after: m + 1 });
  for (let i = 0; i < head; i++) same(i, i);
  let n = head, m = head;
  for (const [x, y] of [...keeps, [a.length - tail - head, b.length - tail - head] as const]) {
    while (n < x + head) lines.push({ kind: "removed", text: a[n]!, before: ++n });
    while (m < y + head) lines.push({ kind: "added", text: b[m]!, after: ++m });
    if (n < a.length - tail && m < b.length - tail) same(n++, m++);
  }
  for (; n < a.length; n++, m++) same(n, m);
  return lines;
}

/** How far each diagonal has come after d changes: diagonal k is at k + d + 1. */
type Reach = Int32Array;

/** The lines that stay, as places in both: the longest such row, found by the furthest reaching paths (Myers, 1986). */
function common(a: readonly string[], b: readonly string[]): [number, number][] {
  if (a.length === 0 || b.length === 0) return [];
  const reaches: Reach[] = [];
  for (let d = 0; d <= Math.min(MOST, a.length + b.length); d++) {
    const last = reaches.at(-1);
    const reach: Reach = new Int32Array(2 * d + 3);
    reaches.push(reach);
    for (let k = -d; k <= d; k += 2) {
      let x = last ? (down(last, k, d) ? last[k + 1 + d]! : last[k - 1 + d]! + 1) : 0;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[k + d + 1] = x;
      if (x >= a.length && x - k >= b.length) return backwards(reaches, a.length, b.length);
    }
  }
  return [];
}

/** Says whether the path to a diagonal comes from above: by a line that is added. The reach is that of d - 1 changes. */
function down(last: Reach, k: number, d: number): boolean {
  return k === -d || (k !== d && last[k - 1 + d]! < last[k + 1 + d]!);
}

/** Follows the paths back from the end and gathers what stayed. */
function backwards(reaches: readonly Reach[], n: number, m: number): [number, number][] {
  const kept: [number, number][] = [];
  let x = n, y = m;
  for (let d = reaches.length - 1; d >= 0; d--) {
    const last = reaches[d - 1];
    const k = x - y;
    const from = last ? (down(last, k, d) ? k + 1 : k - 1) : 0;
    const startX = last ? last[from + d]! : 0;
    const startY = startX - from;
    const stepX = last && from === k - 1 ? startX + 1 : startX;
    while (x > stepX && y > stepX - k) kept.push([--x, --y]);
    x = startX;
    y = startY;
  }
  return kept.reverse();
}

/** Leaves out what is far from any change. */
function hunks(all: readonly DiffLine[]): DiffLine[] {
  const near = new Uint8Array(all.length);
  all.forEach((l, i) => l.kind !== "same" && near.fill(1, Math.max(0, i - AROUND), i + AROUND + 1));
  const out: DiffLine[] = [];
  for (let i = 0; i < all.length; i++) {
    if (!near[i]) continue;
    if (i === 0 || !near[i - 1]) {
      let end = i;
      while (end < all.length && near[end]) end++;
      out.push({ kind: "hunk", text: header(all.slice(i, end)) });
    }
    out.push(all[i]!);
  }
  return out;
}

function header(lines: readonly DiffLine[]): string {
  const side = (numbers: (number | undefined)[]) => {
    const given = numbers.filter((n) => n !== undefined);
    return `${given[0] ?? 0},${given.length}`;
  };
  return `@@ -${side(lines.map((l) => l.before))} +${side(lines.map((l) => l.after))} @@`;
}
