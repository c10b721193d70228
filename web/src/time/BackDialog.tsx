import type { Rewinding } from "@parley/client";
import { useEffect, useState } from "react";
import { useOpened } from "../app/context";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Choice } from "../ui/Field";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";
import { goBack, linesBack, lookBack, waysTo } from "./back";
import type { How, Place } from "./back";
import { keeps } from "./checkpoints";
import type { Past } from "./checkpoints";
import type { Foreseen } from "./foresee";
import { Effects } from "./Effects";
import { Went } from "./Went";

interface BackDialogProps {
  to: string;
  include?: boolean;
  /** What is there, to recognise the place by. */
  words?: string;
  how?: How;
  onClose: () => void;
}

/** Shows what going back will do, does it, and offers to undo it. */
export function BackDialog({ to, include = false, words, how: wanted = "both", onClose }: BackDialogProps) {
  const w = useWords();
  const { session } = useOpened();
  const [how, setHow] = useState<How>(wanted);
  const { past, lines, preview, ways } = usePreview({ to, include }, how, setHow);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<Rewinding>();
  const undo = (id: string | undefined) => void session.undo(id).then(() => toast(w.undone), complain);
  const go = () => {
    setBusy(true);
    goBack(session, { to, include }, how, past?.at?.id, false).then(
      (went) => {
        if (went.kept?.length) {
          setDone(went);
          return;
        }
        onClose();
        toast(w.wentBack(went.messages_hidden, went.files?.length ?? 0), { action: { label: w.undo, run: () => undo(went.rewind_id) } });
      },
      (error: unknown) => {
        complain(error);
        setBusy(false);
      },
    );
  };
  if (done) return <Went done={done} onUndo={() => { onClose(); undo(done.rewind_id); }} onClose={onClose} />;
  return (
    <Dialog title={w.goBackTitle} description={w.goBackText} wide onClose={onClose}
      foot={<><Button onClick={onClose}>{w.cancel}</Button><Button look="main" icon="undo" disabled={busy || !preview || (how === "files" && !(preview.files?.length > 0))} onClick={go}>{w.goBack}</Button></>}>
      {words && <><p className="help">{include ? w.rightAfter : w.rightBefore}</p><blockquote className="quote">{words}</blockquote></>}
      {keeps(session) && <Choice label={w.whatGoesBack} value={how} options={ways.map((value) => ({ value, label: w.hows[value] }))} onChange={setHow} />}
      {preview ? <Effects preview={preview} how={how} lines={lines} /> : <p className="help" role="status"><span className="spinner" aria-hidden="true" /> {w.lookingBack}</p>}
    </Dialog>
  );
}

/** Looks at what would happen, again for each way of going back. */
function usePreview(place: Place, how: How, setHow: (how: How) => void) {
  const { session } = useOpened();
  const { to, include } = place;
  const [past, setPast] = useState<Past>();
  const [lines, setLines] = useState<Foreseen>();
  const [preview, setPreview] = useState<Rewinding>();
  useEffect(() => {
    let gone = false;
    lookBack(session, { to, include }).then((p) => {
      if (gone) return;
      setPast(p);
      linesBack(session, p).then((l) => !gone && setLines(l), () => {}); // the names of files are told without it
    }, complain);
    return () => {
      gone = true;
    };
  }, [session, to, include]);
  const ways: readonly How[] = past ? waysTo(session, place, past) : ["both", "conversation", "files"];
  const possible = ways.includes(how);
  const kept = how === "files" ? past?.at?.id : undefined;
  useEffect(() => {
    if (!possible) setHow("both");
    if (!possible || (how === "files" && !kept)) return; // it is not known yet to which state
    let gone = false;
    setPreview(undefined);
    goBack(session, { to, include }, how, kept, true).then((p) => !gone && setPreview(p), (error: unknown) => {
      if (gone) return;
      if (how === "both") setHow("conversation"); // there are no files to go back, here or at all
      else complain(error);
    });
    return () => {
      gone = true;
    };
  }, [session, to, include, how, kept, possible, setHow]);
  return { past, lines, preview, ways };
}
