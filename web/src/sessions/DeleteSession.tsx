import { useClient } from "../app/context";
import { go } from "../app/route";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";
import { LISTED } from "./list";

/** Deleting is the one thing that cannot be undone, so it asks. */
export function DeleteSession({ id, title, onClose }: { id: string; title: string; onClose: () => void }) {
  const w = useWords();
  const client = useClient();
  const remove = () => {
    client.api.session(id).delete().then(() => {
      onClose();
      toast(w.deleted(title));
      dispatchEvent(new Event(LISTED));
      if (location.pathname.endsWith("/" + encodeURIComponent(id))) go({ at: "home" });
    }, complain);
  };
  return (
    <Dialog title={w.deleteTitle(title)} description={w.deleteText} onClose={onClose}
      foot={<><Button onClick={onClose}>{w.cancel}</Button><Button look="danger" icon="trash" onClick={remove}>{w.delete}</Button></>} />
  );
}
