/** What the lists of rows have in common. */
import type { UIMessage } from "@parley/client";
import { useMemo, useRef } from "react";
import type { Row } from "./rows";
import { RowView } from "./RowView";

/** Where the list's numbers begin, far enough from zero for all that may be loaded before it. */
const START = 1_000_000_000;

/** Keeps the place of what is on the screen while older rows are put in above. */
export function useFirstIndex(rows: readonly Row[]): number {
  const anchor = useRef<{ key: string; index: number }>(undefined);
  return useMemo(() => {
    const at = anchor.current ? rows.findIndex((r) => r.key === anchor.current!.key) : -1;
    if (at >= 0) return anchor.current!.index - at;
    if (rows[0]) anchor.current = { key: rows[0].key, index: START };
    return START;
  }, [rows]);
}

/** A row in its list; one that was looked for is marked, and can be given the focus. */
export function RowIn({ row, found, onEdit }: { row: Row; found: boolean; onEdit: (m: UIMessage) => void }) {
  return <div className={found ? "row row-found" : "row"} tabIndex={found ? -1 : undefined}><RowView row={row} onEdit={onEdit} /></div>;
}

export function Older() {
  return <div className="older"><span className="spinner" aria-hidden="true" /></div>;
}

export function Top() {
  return <div className="top" />;
}
