import type { Rewinding } from "@parley/client";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { useWords } from "../words";
import { Kept } from "./Kept";

/** What came of going back, where not every file went along. */
export function Went({ done, onUndo, onClose }: { done: Rewinding; onUndo: () => void; onClose: () => void }) {
  const w = useWords();
  return (
    <Dialog title={w.wentBack(done.messages_hidden, done.files?.length ?? 0)} wide onClose={onClose}
      foot={<><Button icon="undo" onClick={onUndo}>{w.undo}</Button><Button look="main" onClick={onClose}>{w.close}</Button></>}>
      <Kept kept={done.kept} />
    </Dialog>
  );
}
