import { expect, test } from "vitest";
import { patchOf } from "../src/ui/compare";
import type { FilePatch } from "../src/ui/diff";

const told = (p: FilePatch) => p.lines.map((l) => ({ same: " ", added: "+", removed: "-", hunk: "" })[l.kind] + l.text);

/** Does to the lines of a text what a patch says, with the numbers that it gives. */
function applied(text: string[], patch: FilePatch): string[] {
  const out = [...text];
  for (const l of patch.lines.filter((l) => l.kind === "removed").reverse()) {
    expect(out[l.before! - 1]).toBe(l.text);
    out.splice(l.before! - 1, 1);
  }
  for (const l of patch.lines) if (l.kind === "added") out.splice(l.after! - 1, 0, l.text);
  return out;
}

test("a changed line stands between its neighbours", () => {
  const patch = patchOf("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
  expect(told(patch)).toEqual(["@@ -2,7 +2,7 @@", " 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"]);
  expect([patch.added, patch.removed]).toEqual([1, 1]);
});

test("a file that comes and a file that goes", () => {
  expect(told(patchOf("a", null, "x\ny\n"))).toEqual(["@@ -0,0 +1,2 @@", "+x", "+y"]);
  expect(told(patchOf("a", "x\n", null))).toEqual(["@@ -1,1 +0,0 @@", "-x"]);
  expect(patchOf("a", "x\n", "x\n").lines).toEqual([]);
});

test("changes that are far from each other are told apart", () => {
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
  const patch = patchOf("a", lines.join("\n"), lines.toSpliced(35, 1).toSpliced(2, 0, "new").join("\n"));
  expect(patch.lines.filter((l) => l.kind === "hunk").map((l) => l.text)).toEqual(["@@ -1,5 +1,6 @@", "@@ -33,7 +34,6 @@"]);
});

test("what a patch says makes the one text of the other, with no line too many", () => {
  let seed = 7;
  const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
  for (let round = 0; round < 300; round++) {
    const a = Array.from({ length: random(30) }, () => "abcdef"[random(6)]!);
    const b = [...a];
    const edits = random(8);
    for (let i = 0; i < edits; i++) random(2) ? b.splice(random(b.length + 1), 0, "xyz"[random(3)]!) : b.splice(random(b.length + 1), 1);
    const patch = patchOf("a", a.join("\n"), b.join("\n"));
    expect(applied(a, patch)).toEqual(b);
    expect(patch.added + patch.removed).toBeLessThanOrEqual(edits);
  }
});

test("texts without a line in common are told whole, however long", () => {
  const a = Array.from({ length: 5000 }, (_, i) => `a${i}`).join("\n");
  const b = Array.from({ length: 5000 }, (_, i) => `b${i}`).join("\n");
  expect(patchOf("a", a, b)).toMatchObject({ added: 5000, removed: 5000 });
});
