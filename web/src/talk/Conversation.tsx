import type { Snapshot, UIMessage } from "@parley/client";
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Virtuoso } from "react-virtuoso";
import type { VirtuosoHandle } from "react-virtuoso";
import { useOpened, useSnapshot } from "../app/context";
import { IconButton } from "../ui/Button";
import { complain } from "../ui/toasts";
import { useWords } from "../words";
import { liveRows, rowsOf } from "./rows";
import type { Row } from "./rows";
import { RowView } from "./RowView";
import { Working } from "./Working";

const selectTexts = (s: Snapshot) => s.view.texts;
const selectMessages = (s: Snapshot) => s.view.messages;
const selectCalls = (s: Snapshot) => s.view.calls;
const selectResolved = (s: Snapshot) => s.view.resolved;
const selectRequests = (s: Snapshot) => s.view.session?.hitl_requests;
const selectMissing = (s: Snapshot) => s.view.missing;

/** The rows that are here. What is finished is put together again only when it changed, not with every piece of a text. */
function useRows(): Row[] {
  const { session, trace } = useOpened();
  const traced = useSyncExternalStore(trace.subscribe, trace.getSnapshot);
  const messages = useSnapshot(selectMessages);
  const calls = useSnapshot(selectCalls);
  const resolved = useSnapshot(selectResolved);
  const requests = useSnapshot(selectRequests);
  const texts = useSnapshot(selectTexts);
  const finished = useMemo(
    () => rowsOf(session.getSnapshot().view, traced),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the parts of the view that rows are made of
    [session, traced, messages, calls, resolved, requests],
  );
  return useMemo(() => {
    const live = liveRows(texts);
    return live.length > 0 ? [...finished, ...live] : finished;
  }, [finished, texts]);
}

/** Where the list's numbers begin, far enough from zero for all that may be loaded before it. */
const START = 1_000_000_000;

/** Keeps the place of what is on the screen while older rows are put in above. */
function useFirstIndex(rows: readonly Row[]): number {
  const anchor = useRef<{ key: string; index: number }>(undefined);
  return useMemo(() => {
    const at = anchor.current ? rows.findIndex((r) => r.key === anchor.current!.key) : -1;
    if (at >= 0) return anchor.current!.index - at;
    if (rows[0]) anchor.current = { key: rows[0].key, index: START };
    return START;
  }, [rows]);
}

export function Conversation({ onEdit }: { onEdit: (m: UIMessage) => void }) {
  const w = useWords();
  const { session, trace } = useOpened();
  const rows = useRows();
  const first = useFirstIndex(rows);
  const missing = useSnapshot(selectMissing);
  const list = useRef<VirtuosoHandle>(null);
  const [atBottom, setAtBottom] = useState(true);
  const loading = useRef(false);

  const loadOlder = useCallback(() => {
    if (loading.current || session.getSnapshot().view.missing.length === 0) return;
    loading.current = true;
    trace.loadOlder().catch(complain).finally(() => (loading.current = false));
  }, [session, trace]);

  const bottom = useCallback(() => list.current?.scrollToIndex({ index: "LAST", align: "end" }), []);
  useEffect(() => session.connection.watch(() => {
    if (session.connection.sending.some((s) => s.frame.type === "user_message")) bottom();
  }), [session, bottom]);

  return (
    <div className="conversation">
      <Virtuoso
        ref={list}
        className="rows"
        role="log"
        aria-label={w.conversation}
        tabIndex={0}
        data={rows}
        firstItemIndex={first}
        initialTopMostItemIndex={{ index: "LAST", align: "end" }}
        computeItemKey={(_, row) => row.key}
        itemContent={(_, row) => <div className="row"><RowView row={row} onEdit={onEdit} /></div>}
        startReached={loadOlder}
        followOutput={(at) => (at ? "auto" : false)}
        atBottomThreshold={80}
        atBottomStateChange={setAtBottom}
        totalListHeightChanged={() => atBottom && list.current?.autoscrollToBottom()}
        increaseViewportBy={600}
        components={{ Header: missing.length > 0 ? Older : Top, Footer: Working }}
      />
      {!atBottom && <IconButton className="to-bottom" icon="down" label={w.toBottom} onClick={bottom} />}
    </div>
  );
}

function Older() {
  return <div className="older"><span className="spinner" aria-hidden="true" /></div>;
}

function Top() {
  return <div className="top" />;
}
