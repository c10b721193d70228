import type { Snapshot } from "@parley/client";
import { useMemo } from "react";
import { useOpened, useSnapshot } from "../app/context";
import { useDesk } from "../app/desk";
import { onPath } from "../app/path";
import { usePrefs } from "../app/prefs";
import { Button, IconButton } from "../ui/Button";
import { clock } from "../ui/format";
import { Icon } from "../ui/Icon";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";
import { Branches } from "./Branches";
import { nameOf, reasonOf } from "./checkpoints";
import { momentsOf } from "./moments";
import type { Moment } from "./moments";

const selectMessages = (s: Snapshot) => s.view.messages;
const selectCheckpoints = (s: Snapshot) => s.view.checkpoints;
const selectMissing = (s: Snapshot) => s.view.missing.length > 0;

/** The past: moments to go back to, and other ways that the session has gone. */
export function TimePane() {
  const w = useWords();
  const { session, trace } = useOpened();
  const messages = useSnapshot(selectMessages);
  const checkpoints = useSnapshot(selectCheckpoints);
  const missing = useSnapshot(selectMissing);
  const moments = useMemo(
    () => momentsOf(messages, checkpoints.filter((c) => onPath(session.getSnapshot().view, c.message_id))),
    [session, messages, checkpoints],
  );
  const undo = () => void session.undo().then(() => toast(w.undone), complain);
  return (
    <div className="time">
      <div className="buttons">
        <Button icon="undo" onClick={undo}>{w.undoBack}</Button>
      </div>
      <ol className="rail" aria-label={w.timeRail}>
        <li className="moment moment-now"><span className="moment-dot" aria-hidden="true" /><span>{w.now}</span></li>
        {moments.map((m) => <MomentRow key={m.id} moment={m} />)}
        {missing && <li className="moment"><span className="moment-dot" aria-hidden="true" /><Button look="quiet" onClick={() => trace.loadOlder().catch(complain)}>{w.older}</Button></li>}
      </ol>
      {moments.length === 0 && <p className="help pane-empty">{w.noMoments}</p>}
      <Branches />
    </div>
  );
}

function MomentRow({ moment }: { moment: Moment }) {
  const w = useWords();
  const { language } = usePrefs();
  const desk = useDesk();
  const told = clock(moment.time, language);
  const time = <time className="moment-time">{told}</time>;
  if (moment.kind === "kept") {
    const { checkpoint } = moment;
    return (
      <li className="moment moment-kept">
        <span className="moment-dot" aria-hidden="true" />
        <span className="moment-words"><Icon name="files" size={14} /> {checkpoint.files_changed > 0 ? w.filesKept(checkpoint.files_changed) : reasonOf(checkpoint, w)}{checkpoint.incomplete ? ` · ${w.incomplete}` : ""}</span>
        {time}
        <IconButton icon="undo" label={w.goBack} onClick={() => desk.open({ of: "back", to: checkpoint.message_id, include: true, how: "files", words: nameOf(checkpoint, w, told) })} />
      </li>
    );
  }
  return (
    <li className="moment">
      <span className="moment-dot" aria-hidden="true" />
      <span className="moment-words" title={moment.words}>{moment.words}</span>
      {time}
      <span className="moment-acts">
        <IconButton icon="undo" label={w.goBack} onClick={() => desk.open({ of: "back", to: moment.id, words: moment.words })} />
        <IconButton icon="fork" label={w.forkHere} onClick={() => desk.open({ of: "fork", at: moment.id })} />
      </span>
    </li>
  );
}
