import type { FileChange, FileDiff } from "@parley/client";
import { Diff } from "../ui/Diff";
import { useWords } from "../words";
import type { KeptFile } from "./checkpoints";

interface FilesProps {
  files: readonly FileChange[];
  /** What was done to them, to look at line by line. */
  diffs?: readonly FileDiff[] | undefined;
  open?: boolean;
}

/** Files and what happens to them. */
export function Files({ files, diffs, open = false }: FilesProps) {
  const w = useWords();
  return (
    <ul className="files">
      {files.map((f) => {
        const patches = (diffs ?? []).filter((d) => d.path === f.path && !d.binary && d.patch);
        const line = <><span className={`what what-${f.change}`}>{w.fileChange[f.change] ?? f.change}</span> <span className="mono">{f.path}</span></>;
        return (
          <li key={f.path}>
            {patches.length === 0 ? line : <details open={open}><summary>{line}</summary>{patches.map((d, i) => <Diff key={i} patch={d.patch} />)}</details>}
          </li>
        );
      })}
    </ul>
  );
}

/** Files that are left as they are. */
export function Kept({ kept }: { kept: readonly KeptFile[] | undefined }) {
  const w = useWords();
  if (!kept?.length) return null;
  return (
    <>
      <p className="help">{w.keptFiles}</p>
      <ul className="files">{kept.map((k) => <li key={k.path}><span className="mono">{k.path}</span> <span className="help">{k.reason}</span></li>)}</ul>
    </>
  );
}
