import type { Snapshot, UIMessage } from "@parley/client";
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Virtuoso } from "react-virtuoso";
import type { VirtuosoHandle } from "react-virtuoso";
import { useOpened, useSnapshot } from "../app/context";
import { IconButton } from "../ui/Button";
import { complain } from "../ui/toasts";
import { useWords } from "../words";
import { Older, RowIn, Top, useFirstIndex } from "./list";
import { Past } from "./Past";
import { liveRows, rowsOf } from "./rows";
import type { Row } from "./rows";
import { useSeek } from "./seek";
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
    () => rowsOf(session.getSnapshot().view, traced), // which is made of the parts that are named here
    [session, traced, messages, calls, resolved, requests],
  );
  return useMemo(() => {
    const live = liveRows(texts);
    return live.length > 0 ? [...finished, ...live] : finished;
  }, [finished, texts]);
}

export function Conversation({ empty, onEdit }: { empty: boolean; onEdit: (m: UIMessage) => void }) {
  const w = useWords();
  const { session, trace } = useOpened();
  const rows = useRows();
  const first = useFirstIndex(rows);
  const missing = useSnapshot(selectMissing);
  const list = useRef<VirtuosoHandle>(null);
  const [atBottom, setAtBottom] = useState(true);
  const stick = useStick();
  const loading = useRef(false);

  const loadOlder = useCallback(() => {
    if (loading.current || session.getSnapshot().view.missing.length === 0) return;
    loading.current = true;
    trace.loadOlder().catch(complain).finally(() => (loading.current = false));
  }, [session, trace]);

  const bottom = useCallback(() => {
    stick.on.current = true;
    list.current?.scrollToIndex({ index: "LAST", align: "end" });
  }, [stick]);
  const show = useCallback((index: number) => {
    stick.on.current = false;
    list.current?.scrollToIndex({ index, align: "center" });
  }, [stick]);
  const { found, past, leave } = useSeek(rows, show);
  const newest = useCallback(() => {
    leave();
    bottom();
  }, [leave, bottom]);
  useEffect(() => session.connection.watch(() => {
    if (session.connection.sending.some((s) => s.frame.type === "user_message")) newest();
  }), [session, newest]);

  if (past) return <Past key={past.time} at={past.at} sought={past.sought} onEdit={onEdit} onLeave={newest} />;
  if (empty) return <div className="talk-empty"><p>{w.emptyTalk}</p></div>;
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
        itemContent={(_, row) => <RowIn row={row} found={row.key === found} onEdit={onEdit} />}
        startReached={loadOlder}
        scrollerRef={stick.watch}
        followOutput={() => (stick.on.current ? "auto" : false)}
        atBottomThreshold={80}
        atBottomStateChange={setAtBottom}
        totalListHeightChanged={() => stick.on.current && bottom()}
        increaseViewportBy={600}
        components={{ Header: missing.length > 0 ? Older : Top, Footer: Working }}
      />
      {!atBottom && <IconButton className="to-bottom" icon="down" label={w.toBottom} onClick={bottom} />}
    </div>
  );
}

const BY_HAND = ["wheel", "touchmove", "pointerdown", "keydown"] as const;
const BY_HAND_MS = 1000;

/**
 * Whether the newest row is to stay in sight. It does until somebody scrolls up,
 * however fast the text grows, and again once they are back at the end.
 */
function useStick(): { on: React.RefObject<boolean>; watch: (scroller: HTMLElement | Window | null) => void } {
  const on = useRef(true);
  const stop = useRef<() => void>(undefined);
  return useMemo(() => ({
    on,
    watch: (scroller) => {
      stop.current?.();
      if (!(scroller instanceof HTMLElement)) return;
      let top = scroller.scrollTop;
      let moved = -Infinity; // when a person last moved something: a list that shrinks scrolls by itself, too
      const move = () => (moved = performance.now());
      const look = () => {
        const end = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < 80;
        if (end) on.current = true;
        else if (scroller.scrollTop < top && performance.now() - moved < BY_HAND_MS) on.current = false;
        top = scroller.scrollTop;
      };
      scroller.addEventListener("scroll", look, { passive: true });
      for (const by of BY_HAND) scroller.addEventListener(by, move, { passive: true });
      stop.current = () => {
        scroller.removeEventListener("scroll", look);
        for (const by of BY_HAND) scroller.removeEventListener(by, move);
      };
    },
  }), []);
}
