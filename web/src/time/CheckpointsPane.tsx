import type { Snapshot } from "@parley/client";
import { useSyncExternalStore } from "react";
import { useOpened, useSnapshot } from "../app/context";
import { usePrefs } from "../app/prefs";
import { Button } from "../ui/Button";
import { clock } from "../ui/format";
import { Icon } from "../ui/Icon";
import { useWords } from "../words";
import { CheckpointRow } from "./CheckpointRow";
import { distinct } from "./checkpoints";
import { useCheckpoints } from "./list";

const selectNewest = (s: Snapshot) => s.view.checkpoints.at(-1)?.id ?? s.view.session?.checkpoint;
const selectMoves = (s: Snapshot) => s.view.inner.path.map((span) => span.join("-")).join();

/** The kept states of the files, the newest first: what each step of the agent changed, and ways to compare and to go back. */
export function CheckpointsPane() {
  const w = useWords();
  const { session } = useOpened();
  const newest = useSnapshot(selectNewest);
  const moves = useSnapshot(selectMoves);
  const { items, more, loadMore } = useCheckpoints(session, `${newest} ${moves}`);
  if (!items) return <p className="help pane-empty"><span className="spinner" aria-hidden="true" /></p>;
  return (
    <>
      <Unkept />
      {items.length === 0 && <p className="help pane-empty">{w.noCheckpoints}</p>}
      <ol className="steps" aria-label={w.checkpoints}>{distinct(items).map((c, i) => <CheckpointRow key={c.id} item={c} first={i === 0} />)}</ol>
      {more && <Button look="quiet" onClick={loadMore}>{w.older}</Button>}
    </>
  );
}

/** Where the files could not be kept, or could not go back. */
function Unkept() {
  const w = useWords();
  const { language } = usePrefs();
  const { trace } = useOpened();
  const { unkept } = useSyncExternalStore(trace.subscribe, trace.getSnapshot);
  if (unkept.length === 0) return null;
  return (
    <ul className="unkept">
      {unkept.map((u) => <li key={u.message_id}><Icon name="warn" size={16} /> <span>{clock(u.timestamp, language)} · {u.back ? w.notBack(u.why) : w.unkept(u.why)}</span></li>)}
    </ul>
  );
}
