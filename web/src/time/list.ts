/** The list of kept states, page by page. */
import type { CheckpointItem, Session } from "@parley/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { complain } from "../ui/toasts";
import { keeps } from "./checkpoints";

export interface Checkpoints {
  /** Undefined before the first answer. */
  items: readonly CheckpointItem[] | undefined;
  more: boolean;
  loadMore: () => void;
}

const PAGE = 50;

/** Asks again when `mark` changes: then something was kept, or hidden. */
export function useCheckpoints(session: Session, mark: string): Checkpoints {
  const [items, setItems] = useState<readonly CheckpointItem[]>();
  const [cursor, setCursor] = useState<string>();
  const pages = useRef(1);
  useEffect(() => {
    let gone = false;
    read(session, pages.current).then(
      (list) => {
        if (gone) return;
        setItems(list.items);
        setCursor(list.cursor);
      },
      (error: unknown) => {
        if (gone) return;
        complain(error);
        setItems((now) => now ?? []);
      },
    );
    return () => {
      gone = true;
    };
  }, [session, mark]);
  const loadMore = useCallback(() => {
    if (!cursor) return;
    pages.current++;
    session.api.checkpoints({ limit: PAGE, cursor }).then((page) => {
      setItems((now) => [...(now ?? []), ...page.items]);
      setCursor(page.next_cursor);
    }, complain);
  }, [session, cursor]);
  return { items, more: cursor !== undefined, loadMore };
}

async function read(session: Session, pages: number): Promise<{ items: CheckpointItem[]; cursor: string | undefined }> {
  const items: CheckpointItem[] = [];
  let cursor: string | undefined;
  for (let page = 0; keeps(session) && page < pages; page++) {
    const next = await session.api.checkpoints({ limit: PAGE, ...(cursor ? { cursor } : {}) });
    items.push(...next.items);
    cursor = next.next_cursor;
    if (!cursor) break;
  }
  return { items, cursor };
}
