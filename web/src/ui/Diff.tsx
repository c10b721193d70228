import { useMemo } from "react";
import { useWords } from "../words";
import { parsePatch } from "./diff";
import type { FilePatch } from "./diff";

/** A change of files, line by line. */
export function Diff({ patch }: { patch: string }) {
  const files = useMemo(() => parsePatch(patch), [patch]);
  return <div className="diffs">{files.map((f, i) => <FileDiff key={i} file={f} />)}</div>;
}

function FileDiff({ file }: { file: FilePatch }) {
  const w = useWords();
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
            {file.lines.map((line, i) => (
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
    </figure>
  );
}
