import type { FileDiff, Rewinding } from "@parley/client";
import { useEffect, useState } from "react";
import { useClient, useOpened } from "../app/context";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Switch } from "../ui/Field";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";
import { Files, Kept } from "./Files";
import { changesSince } from "./checkpoints";
import type { KeptFile } from "./checkpoints";

/** So many files are shown with their lines at once. */
const FEW = 3;

interface RewindDialogProps {
  to: string;
  include?: boolean;
  words?: string;
  onClose: () => void;
}

/** Shows what going back would take back, does it, and offers to undo it. */
export function RewindDialog({ to, include = false, words, onClose }: RewindDialogProps) {
  const w = useWords();
  const client = useClient();
  const { session } = useOpened();
  const [files, setFiles] = useState(true);
  const [preview, setPreview] = useState<Rewinding & { kept?: KeptFile[] }>();
  const [diffs, setDiffs] = useState<readonly FileDiff[]>();
  const [busy, setBusy] = useState(false);
  const where = { to, ...(include ? { include_target: true } : {}) };
  useEffect(() => {
    let gone = false;
    session.rewind({ ...where, files, preview: true }).then((p) => !gone && setPreview(p), (error: unknown) => {
      if (gone) return;
      if (files) setFiles(false); // no files to take back, here or at all
      else complain(error);
    });
    changesSince(client, session, to).then((d) => !gone && setDiffs(d), () => {});
    return () => {
      gone = true;
    };
  }, [client, session, to, include, files]);
  const go = () => {
    setBusy(true);
    session.rewind({ ...where, ...(files ? { files: true } : {}) }).then(
      (done) => {
        onClose();
        toast(w.wentBack(done.messages_hidden), { action: { label: w.undo, run: () => void session.undo(done.rewind_id).then(() => toast(w.undone), complain) } });
      },
      (error: unknown) => {
        complain(error);
        setBusy(false);
      },
    );
  };
  return (
    <Dialog title={include ? w.switchTitle : w.rewindTitle} description={w.rewindText} wide onClose={onClose}
      foot={<><Button onClick={onClose}>{w.cancel}</Button><Button look="main" icon="undo" disabled={busy || !preview} onClick={go}>{include ? w.goThere : w.goBack}</Button></>}>
      {words && <blockquote className="quote">{words}</blockquote>}
      {preview ? (
        <>
          <ul className="effects">
            {preview.messages_hidden > 0 && <li>{w.hides(preview.messages_hidden)}</li>}
            {preview.messages_shown > 0 && <li>{w.shows(preview.messages_shown)}</li>}
            {preview.todos_changed > 0 && <li>{w.todosBack(preview.todos_changed)}</li>}
            <li>{w.thenIs(w.status[preview.status])}</li>
          </ul>
          {(preview.files?.length > 0 || !files) && (
            <Switch label={w.filesToo} help={w.filesTooHelp} checked={files} onChange={setFiles} />
          )}
          {files && preview.files?.length > 0 && <Files key={diffs ? "lines" : "names"} files={preview.files} diffs={diffs} open={preview.files.length <= FEW} />}
          {files && <Kept kept={preview.kept} />}
          {files && !(preview.files?.length > 0) && <p className="help">{w.noFilesChange}</p>}
        </>
      ) : (
        <p className="help"><span className="spinner" aria-hidden="true" /> {w.lookingBack}</p>
      )}
    </Dialog>
  );
}
