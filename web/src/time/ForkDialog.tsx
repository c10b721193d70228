import { useState } from "react";
import { useOpened } from "../app/context";
import { go } from "../app/route";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Field } from "../ui/Field";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";

/** Makes a session of the beginning of this one. */
export function ForkDialog({ at, onClose }: { at?: string | undefined; onClose: () => void }) {
  const w = useWords();
  const { session } = useOpened();
  const old = session.getSnapshot().view.session?.title ?? "";
  const [title, setTitle] = useState(w.forkName(old || w.untitled));
  const fork = () => {
    session.api.fork({ ...(at ? { at } : {}), title: title.trim() }).then((s) => {
      onClose();
      toast(w.forked);
      go({ at: "session", id: s.session_id });
    }, complain);
  };
  return (
    <Dialog title={at ? w.forkHere : w.fork} description={w.forkText} onClose={onClose}
      foot={<><Button onClick={onClose}>{w.cancel}</Button><Button look="main" icon="fork" type="submit" form="fork">{w.fork}</Button></>}>
      <form id="fork" onSubmit={(e) => { e.preventDefault(); fork(); }}>
        <Field label={w.title}>{(id) => <input id={id} value={title} maxLength={200} onChange={(e) => setTitle(e.target.value)} />}</Field>
      </form>
    </Dialog>
  );
}
