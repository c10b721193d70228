import type { FileDiff, Snapshot } from "@parley/client";
import { useEffect, useState } from "react";
import { useClient, useOpened, useSnapshot } from "../app/context";
import { useDesk } from "../app/desk";
import { usePrefs } from "../app/prefs";
import { IconButton } from "../ui/Button";
import { clock } from "../ui/format";
import { complain } from "../ui/toasts";
import { useWords } from "../words";
import { diffOf, stepsOf } from "./checkpoints";
import type { Step } from "./checkpoints";
import { Files } from "./Files";

const selectNewest = (s: Snapshot) => s.view.checkpoints.at(-1)?.id ?? s.view.session?.checkpoint;
const selectMoves = (s: Snapshot) => s.view.inner.path.length;

/** What the agent has changed in the files, step by step, the newest first. */
export function ChangesPane() {
  const w = useWords();
  const { session } = useOpened();
  const newest = useSnapshot(selectNewest);
  const moves = useSnapshot(selectMoves);
  const [steps, setSteps] = useState<readonly Step[]>();
  useEffect(() => {
    let gone = false;
    stepsOf(session).then((s) => !gone && setSteps(s), (error: unknown) => { complain(error); setSteps([]); });
    return () => {
      gone = true;
    };
  }, [session, newest, moves]);
  if (!steps) return <p className="help pane-empty"><span className="spinner" aria-hidden="true" /></p>;
  if (steps.length === 0) return <p className="help pane-empty">{w.noCheckpoints}</p>;
  return <ol className="steps">{steps.map((s, i) => <StepRow key={s.id} step={s} first={i === 0} />)}</ol>;
}

function StepRow({ step, first }: { step: Step; first: boolean }) {
  const w = useWords();
  const { language } = usePrefs();
  const client = useClient();
  const desk = useDesk();
  const { session } = useOpened();
  const [open, setOpen] = useState(first);
  const [diffs, setDiffs] = useState<readonly FileDiff[]>();
  useEffect(() => {
    if (open && !diffs) diffOf(client, session, step.id).then(setDiffs, complain);
  }, [client, session, step.id, open, diffs]);
  return (
    <li className="step">
      <div className="step-head">
        <button type="button" className="step-name" aria-expanded={open} onClick={() => setOpen(!open)}>
          {w.tools[step.reason] ?? step.reason} <span className="help">{w.filesChanged(step.files_changed)} · {clock(step.created_at, language)}{step.incomplete ? ` · ${w.incomplete}` : ""}</span>
        </button>
        <IconButton icon="undo" label={w.restoreFiles} onClick={() => desk.open({ of: "restore", checkpoint: step.id })} />
      </div>
      {open && diffs && <Files files={diffs} diffs={diffs} open />}
    </li>
  );
}
