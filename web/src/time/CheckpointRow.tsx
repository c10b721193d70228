import type { CheckpointItem, FileDiffs } from "@parley/client";
import { useEffect, useState } from "react";
import { useOpened } from "../app/context";
import { useDesk } from "../app/desk";
import { usePrefs } from "../app/prefs";
import { IconButton } from "../ui/Button";
import { moment } from "../ui/format";
import { useWords } from "../words";
import { changesOf } from "./changes";
import { nameOf, reasonOf } from "./checkpoints";
import { Files } from "./Files";
import { Refused } from "./Refused";

/** One kept state: when, after what, how many files, what it lacks. Opened, it shows what its step changed. */
export function CheckpointRow({ item, first }: { item: CheckpointItem; first: boolean }) {
  const w = useWords();
  const { language } = usePrefs();
  const desk = useDesk();
  const { session } = useOpened();
  const some = item.files_changed > 0;
  const [open, setOpen] = useState(first && some);
  const [diffs, setDiffs] = useState<FileDiffs>();
  const [refused, setRefused] = useState<unknown>();
  useEffect(() => {
    if (open && !diffs) changesOf(session, item).then(setDiffs, setRefused);
  }, [session, item, open, diffs]);
  const missing = item.not_captured ?? [];
  const name = (
    <>
      <span>{reasonOf(item, w)}</span>{" "}
      <span className="help">{some && `${w.filesChanged(item.files_changed)} · `}<time dateTime={item.created_at}>{moment(item.created_at, language)}</time></span>
    </>
  );
  return (
    <li className={item.hidden ? "step step-left" : "step"}>
      <div className="step-head">
        {some ? <button type="button" className="step-name" aria-expanded={open} onClick={() => setOpen(!open)}>{name}</button> : <span className="step-name">{name}</span>}
        <IconButton icon="compare" label={w.compare} onClick={() => desk.open({ of: "compare", from: item.id })} />
        <IconButton icon="undo" label={w.goBack} onClick={() => desk.open({ of: "back", to: item.message_id, include: true, how: "files", words: nameOf(item, w, moment(item.created_at, language)) })} />
      </div>
      {(item.hidden || item.incomplete || missing.length > 0) && (
        <div className="step-marks">
          {item.hidden && <span className="badge">{w.leftBehind}</span>}
          {item.incomplete && <span className="badge badge-wait" title={w.incompleteHelp}>{w.incomplete}</span>}
          {missing.length > 0 && (
            <details className="missing">
              <summary className="badge badge-wait">{w.notCaptured(missing.length)}</summary>
              <p className="help">{w.notCapturedHelp}</p>
              <ul>{missing.map((path) => <li key={path} className="mono">{path}</li>)}</ul>
            </details>
          )}
        </div>
      )}
      {open && refused !== undefined && <Refused error={refused} />}
      {open && diffs && <Files files={diffs.items} names={w.fileChange} />}
      {open && diffs?.more && <p className="help">{w.moreFiles}</p>}
    </li>
  );
}
