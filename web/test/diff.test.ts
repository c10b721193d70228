import { expect, test } from "vitest";
import { isPatch, parsePatch } from "../src/ui/diff";

const patch = `diff --git a/notes.txt b/notes.txt
--- a/notes.txt
+++ b/notes.txt
@@ -1,3 +1,3 @@
 milk
-bread
+-- rye
 tea
--- /dev/null
+++ b/new file.txt
@@ -0,0 +1 @@
+hello
`;

test("a patch of two files is read with its line numbers", () => {
  const [notes, fresh] = parsePatch(patch);
  expect([notes!.path, notes!.added, notes!.removed]).toEqual(["notes.txt", 1, 1]);
  expect(notes!.lines.map((l) => [l.kind, l.before, l.after])).toEqual([
    ["hunk", undefined, undefined], ["same", 1, 1], ["removed", 2, undefined], ["added", undefined, 2], ["same", 3, 3],
  ]);
  expect(fresh).toMatchObject({ path: "new file.txt", added: 1, removed: 0 });
});

test("a deleted file has the name that it had", () => {
  expect(parsePatch("--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n")[0]).toMatchObject({ path: "old.txt", removed: 1 });
});

test("prose is no patch", () => {
  expect(isPatch(patch)).toBe(true);
  expect(isPatch("I removed a line:\n--- and added one")).toBe(false);
  expect(isPatch(undefined)).toBe(false);
});
