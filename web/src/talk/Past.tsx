import type { Snapshot, UIMessage } from "@parley/client";
import { useCallback, useMemo, useRef, useState } from "react";
import { Virtuoso } from "react-virtuoso";
import type { VirtuosoHandle } from "react-virtuoso";
import { useOpened, useSnapshot } from "../app/context";
import { IconButton } from "../ui/Button";
import { complain } from "../ui/toasts";
import { useWords } from "../words";
import { Older, RowIn, Top, useFirstIndex } from "./list";
import { placeOf } from "./rows";
import { useShown } from "./seek";
import { earlier, later, rowsIn } from "./stretch";
import type { Stretch } from "./stretch";

const selectPath = (s: Snapshot) => s.view.inner.path;
const selectCursor = (s: Snapshot) => s.view.cursor ?? 0;

/** The conversation around a place far back. One can go on from there to both sides, and from its end to now. */
export function Past({ at, sought, onEdit, onLeave }: { at: Stretch; sought: string; onEdit: (m: UIMessage) => void; onLeave: () => void }) {
  const w = useWords();
  const { session } = useOpened();
  const [stretch, setStretch] = useState(at);
  const path = useSnapshot(selectPath);
  const cursor = useSnapshot(selectCursor);
  const rows = useMemo(() => rowsIn(stretch, session.getSnapshot().view), [session, stretch, path]);
  const first = useFirstIndex(rows);
  const list = useRef<VirtuosoHandle>(null);
  const [place] = useState(() => Math.max(0, placeOf(rows, sought)));
  const found = useMemo(() => rows[placeOf(rows, sought)]?.key, [rows, sought]);
  useShown(found, rows, useCallback((index: number) => list.current?.scrollToIndex({ index, align: "center" }), []));
  const loading = useRef(false);
  const grow = (by: typeof later) => {
    if (loading.current) return;
    loading.current = true;
    by(session, stretch).then(setStretch, complain).finally(() => (loading.current = false));
  };
  const ends = stretch.to >= cursor;
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
        initialTopMostItemIndex={{ index: place, align: "center" }}
        computeItemKey={(_, row) => row.key}
        itemContent={(_, row) => <RowIn row={row} found={row.key === found} onEdit={onEdit} />}
        startReached={() => stretch.from > 1 && grow(earlier)}
        endReached={() => !ends && grow(later)}
        atBottomThreshold={80}
        atBottomStateChange={(bottom) => bottom && ends && stretch !== at && onLeave()} // here it meets what is new
        increaseViewportBy={600}
        components={{ Header: stretch.from > 1 ? Older : Top, Footer: ends ? Top : Older }}
      />
      <IconButton className="to-bottom" icon="down" label={w.toBottom} onClick={onLeave} />
    </div>
  );
}
