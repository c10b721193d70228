/** The list of sessions, kept fresh. */
import type { Client, SessionSummary, Status } from "@parley/client";
import { useCallback, useEffect, useRef, useState } from "react";

/** A session in the list, with what newer servers tell beside. */
export interface Item extends SessionSummary {
  workspace?: string;
  pinned?: boolean;
  summary?: string;
}

export interface Filter {
  q: string;
  status: Status | "";
}

export interface Listing {
  items: readonly Item[];
  more: boolean;
  /** Undefined before the first answer. */
  loaded: boolean;
  error: Error | undefined;
  refresh: () => void;
  loadMore: () => void;
}

/** Told when a session was made or deleted here. */
export const LISTED = "parley:listed";

const PAGE = 50;
const EVERY_MS = 4000;

/** Asks again every few seconds while somebody looks, and at once when told to. */
export function useSessions(client: Client, filter: Filter, paused = false): Listing {
  const [items, setItems] = useState<readonly Item[]>([]);
  const [more, setMore] = useState(false);
  const [loaded, setLoaded] = useState(false);
  const [error, setError] = useState<Error>();
  const pages = useRef(1);
  const asked = useRef(0);
  const { q, status } = filter;

  const refresh = useCallback(() => {
    const mine = ++asked.current;
    const limit = Math.min(200, PAGE * pages.current);
    client.api.sessions({ limit, ...(q ? { q } : {}), ...(status ? { status } : {}) }).then(
      (page) => {
        if (mine !== asked.current) return;
        setItems((now) => merged(now, page.items as Item[]));
        setMore(page.next_cursor !== undefined && limit < 200);
        setLoaded(true);
        setError(undefined);
      },
      (e: Error) => mine === asked.current && setError(e),
    );
  }, [client, q, status]);

  useEffect(() => {
    pages.current = 1;
    refresh();
    if (paused) return;
    const timer = setInterval(() => !document.hidden && refresh(), EVERY_MS);
    const back = () => !document.hidden && refresh();
    document.addEventListener("visibilitychange", back);
    addEventListener(LISTED, refresh);
    return () => {
      clearInterval(timer);
      removeEventListener(LISTED, refresh);
      document.removeEventListener("visibilitychange", back);
    };
  }, [refresh, paused]);

  const loadMore = useCallback(() => {
    pages.current++;
    refresh();
  }, [refresh]);
  return { items, more, loaded, error, refresh, loadMore };
}

/** Keeps items that have not changed, so that they are not drawn again. */
export function merged(now: readonly Item[], next: readonly Item[]): readonly Item[] {
  const old = new Map(now.map((i) => [i.session_id, i]));
  const items = next.map((i) => {
    const o = old.get(i.session_id);
    return o && o.updated_at === i.updated_at && o.status === i.status && o.title === i.title && o.pinned === i.pinned ? o : i;
  });
  return items.length === now.length && items.every((i, at) => i === now[at]) ? now : items;
}
