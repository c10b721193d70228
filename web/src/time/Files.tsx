import type { FileChange, FileDiff } from "@parley/client";
import { Diff } from "../ui/Diff";
import { useWords } from "../words";

/** Files and what happens to them, each with its lines where they are known. */
export function Files({ files, diffs }: { files: readonly FileChange[]; diffs?: readonly FileDiff[] | undefined }) {
  const w = useWords();
  return (
    <ul className="files">
      {files.map((f) => {
        const diff = diffs?.find((d) => d.path === f.path);
        const line = <><span className={`change change-${f.change}`}>{w.fileChange[f.change] ?? f.change}</span> <span className="mono">{f.path}</span></>;
        return (
          <li key={f.path}>
            {diff && !diff.binary && diff.patch ? <details><summary>{line}</summary><Diff patch={diff.patch} /></details> : line}
          </li>
        );
      })}
    </ul>
  );
}
