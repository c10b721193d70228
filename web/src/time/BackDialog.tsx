import type { Rewinding } from "@parley/client";
import { useState } from "react";
import { useOpened } from "../app/context";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Choice } from "../ui/Field";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";
import { goBack } from "./back";
import type { How } from "./back";
import { keeps } from "./checkpoints";
import { Effects } from "./Effects";
import { usePreview } from "./preview";
import { Refused } from "./Refused";
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
  const { past, lines, preview, ways, filesRefused, refused } = usePreview({ to, include }, how, setHow);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<Rewinding>();
  const [failed, setFailed] = useState<unknown>();
  const undo = (id: string | undefined) => void session.undo(id).then(() => toast(w.undone), complain);
  const go = () => {
    setBusy(true);
    setFailed(undefined);
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
        setFailed(error);
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
      {refused === undefined && filesRefused !== undefined && <Refused error={filesRefused} title={w.filesCannot} />}
      {refused !== undefined && <Refused error={refused} />}
      {failed !== undefined && <Refused error={failed} />}
      {preview && <Effects preview={preview} how={how} lines={lines} />}
      {!preview && refused === undefined && (how === "conversation" || filesRefused === undefined) && <p className="help" role="status"><span className="spinner" aria-hidden="true" /> {w.lookingBack}</p>}
    </Dialog>
  );
}
