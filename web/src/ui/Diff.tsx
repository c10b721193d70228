import { useMemo, useState } from "react";
import { useWords } from "../words";
import { Button } from "./Button";
import { parsePatch } from "./diff";
import type { FilePatch } from "./diff";

/** A change of files, line by line. */
export function Diff({ patch }: { patch: string }) {
  const files = useMemo(() => parsePatch(patch), [patch]);
  return <div className="diffs">{files.map((f, i) => <Patch key={i} file={f} />)}</div>;
}

/** So many lines are drawn at first, and with each asking. */
const FIRST = 300;
const MORE = 2000;

/** What happens to one file. Of a long change the beginning shows, and more when asked for. */
export function Patch({ file }: { file: FilePatch }) {
  const w = useWords();
  const [most, setMost] = useState(FIRST);
  const left = file.lines.length - most;
  return (
    <figure className="diff">
      <figcaption>
        <span className="mono">{file.path}</span>
        <span className="diff-sum">
          <span className="plus" aria-label={w.linesAdded(file.added)}>+{file.added}</span>{" "}
          <span className="minus" aria-label={w.linesRemoved(file.removed)}>−{file.removed}</span>
        </span>
      </figcaption>
      <div className="diff-scroll" tabIndex={0}>
        <table role="presentation">
          <tbody>
            {file.lines.slice(0, most).map((line, i) => (
              <tr key={i} className={"diff-" + line.kind}>
                <td className="diff-number">{line.before ?? ""}</td>
                <td className="diff-number">{line.after ?? ""}</td>
                <td className="diff-mark" aria-hidden="true">{line.kind === "added" ? "+" : line.kind === "removed" ? "−" : ""}</td>
                <td className="diff-text">{line.text || " "}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 && <Button look="quiet" onClick={() => setMost(most + MORE)}>{w.moreLines(left)}</Button>}
    </figure>
  );
}
