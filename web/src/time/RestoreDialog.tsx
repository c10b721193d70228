import type { FileDiff, Restoring } from "@parley/client";
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

/** Takes the files back to a kept state, and the conversation with them if wanted. */
export function RestoreDialog({ checkpoint, onClose }: { checkpoint: string; onClose: () => void }) {
  const w = useWords();
  const client = useClient();
  const { session } = useOpened();
  const [conversation, setConversation] = useState(false);
  const [preview, setPreview] = useState<Restoring>();
  const [diffs, setDiffs] = useState<readonly FileDiff[]>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    let gone = false;
    session.api.restore(checkpoint, { conversation, preview: true }).then((p) => !gone && setPreview(p), complain);
    changesSince(client, session, checkpoint.replace("ckpt_", "msg_")).then((d) => !gone && setDiffs(d), () => {});
    return () => {
      gone = true;
    };
  }, [client, session, checkpoint, conversation]);
  const go = () => {
    setBusy(true);
    session.api.restore(checkpoint, { conversation }).then(
      (done) => {
        onClose();
        toast(w.restored(done.files.length), { action: { label: w.undo, run: () => void session.undo(done.rewind_id).then(() => toast(w.undone), complain) } });
      },
      (error: unknown) => {
        complain(error);
        setBusy(false);
      },
    );
  };
  return (
    <Dialog title={w.restoreFiles} description={w.restoreText} wide onClose={onClose}
      foot={<><Button onClick={onClose}>{w.cancel}</Button><Button look="main" icon="undo" disabled={busy || !preview} onClick={go}>{w.restore}</Button></>}>
      <Switch label={w.conversationToo} checked={conversation} onChange={setConversation} />
      {preview && (preview.files?.length > 0 ? <Files key={diffs ? "lines" : "names"} files={preview.files} diffs={diffs} open={preview.files.length <= 3} /> : <p className="help">{w.noFilesChange}</p>)}
      <Kept kept={preview?.kept as KeptFile[] | undefined} />
    </Dialog>
  );
}
