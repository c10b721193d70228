import { useState } from "react";
import { Patch } from "../ui/Diff";
import type { FilePatch } from "../ui/diff";
import { parsePatch } from "../ui/diff";
import { Button } from "../ui/Button";
import { useWords } from "../words";

export interface ShownFile {
  path: string;
  change: string;
  old_path?: string | undefined;
  binary?: boolean | undefined;
  too_large?: boolean | undefined;
  /** What happens to its lines: as a text to be read when somebody looks, or as it is. */
  patch?: string | undefined;
  patches?: readonly FilePatch[] | undefined;
}

/** So few files, and so few lines of them, show at once. */
const FEW = 3;
const SHORT = 20_000;
/** So many are listed before somebody asks for all. */
const MANY = 50;

/** Files and what happens to them. Lines are put together when a file is opened, so that a large change costs nothing before. */
export function Files({ files, names }: { files: readonly ShownFile[]; names: { readonly [change: string]: string } }) {
  const w = useWords();
  const [all, setAll] = useState(false);
  const shown = all ? files : files.slice(0, MANY);
  const few = files.length <= FEW && files.reduce((n, f) => n + (f.patch?.length ?? 0), 0) < SHORT;
  return (
    <>
      <ul className="files">{shown.map((f) => <FileRow key={f.path} file={f} name={names[f.change] ?? f.change} open={few} />)}</ul>
      {shown.length < files.length && <Button look="quiet" onClick={() => setAll(true)}>{w.allFiles(files.length)}</Button>}
    </>
  );
}

function FileRow({ file, name, open: first }: { file: ShownFile; name: string; open: boolean }) {
  const w = useWords();
  const [open, setOpen] = useState(first);
  const marks = [file.old_path && w.wasNamed(file.old_path), file.binary && w.notText, file.too_large && w.tooLarge].filter(Boolean).join(" · ");
  const line = <><span className={`what what-${file.change}`}>{name}</span> <span className="mono">{file.path}</span>{marks && <span className="help"> · {marks}</span>}</>;
  if (!file.patch && !file.patches?.length) return <li>{line}</li>;
  return (
    <li>
      <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>{line}</summary>
        {open && <Lines file={file} />}
      </details>
    </li>
  );
}

function Lines({ file }: { file: ShownFile }) {
  const patches = file.patches ?? parsePatch(file.patch!);
  return <div className="diffs">{patches.map((p, i) => <Patch key={i} file={p} />)}</div>;
}
