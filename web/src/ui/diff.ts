/** Reads unified diffs. */
export interface DiffLine {
  kind: "same" | "added" | "removed" | "hunk";
  text: string;
  before?: number;
  after?: number;
}

export interface FilePatch {
  path: string;
  lines: DiffLine[];
  added: number;
  removed: number;
}

/** Says whether a text is a diff, and not prose that someone wrote. */
export function isPatch(text: string | undefined): text is string {
  return text !== undefined && /^(?:diff --git |--- \S)/m.test(text) && /^@@ /m.test(text);
}

/** Reads a patch. A hunk says how many lines it has, so that no line of it is taken for the head of the next file. */
export function parsePatch(text: string): FilePatch[] {
  const files: FilePatch[] = [];
  let old = "";
  let before = 0, after = 0; // the numbers of the next lines
  let oldLeft = 0, newLeft = 0; // of the hunk
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const file = files.at(-1);
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (file && oldLeft + newLeft > 0) {
      if (line.startsWith("+")) {
        file.lines.push({ kind: "added", text: line.slice(1), after: after++ });
        file.added++;
        newLeft--;
      } else if (line.startsWith("-")) {
        file.lines.push({ kind: "removed", text: line.slice(1), before: before++ });
        file.removed++;
        oldLeft--;
      } else if (!line.startsWith("\\")) {
        file.lines.push({ kind: "same", text: line.slice(1), before: before++, after: after++ });
        oldLeft--;
        newLeft--;
      }
    } else if (hunk && file) {
      before = Number(hunk[1]);
      after = Number(hunk[3]);
      oldLeft = Number(hunk[2] ?? 1);
      newLeft = Number(hunk[4] ?? 1);
      file.lines.push({ kind: "hunk", text: line });
    } else if (line.startsWith("--- ")) {
      old = nameOf(line.slice(4));
    } else if (line.startsWith("+++ ")) {
      const name = nameOf(line.slice(4));
      files.push({ path: name === "/dev/null" ? old : name, lines: [], added: 0, removed: 0 });
    }
  }
  return files;
}

function nameOf(given: string): string {
  return given.split("\t")[0]!.replace(/^[ab]\//, "");
}
