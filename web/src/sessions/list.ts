/** The list of sessions, kept fresh. */
import type { Client, SessionSummary, Status } from "@parley/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { Pace } from "./pace";

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

/** Asks again while somebody looks, less and less often while nothing happens, and at once when told to. */
export function useSessions(client: Client, filter: Filter): Listing {
  const [items, setItems] = useState<readonly Item[]>([]);
  const [more, setMore] = useState(false);
  const [loaded, setLoaded] = useState(false);
  const [error, setError] = useState<Error>();
  const pages = useRef(1);
  const asked = useRef(0);
  const last = useRef<readonly Item[]>([]);
  const pace = useRef<Pace>(undefined);
  const { q, status } = filter;

  const ask = useCallback(() => {
    const mine = ++asked.current;
    const limit = Math.min(200, PAGE * pages.current);
    client.api.sessions({ limit, ...(q ? { q } : {}), ...(status ? { status } : {}) }).then(
      (page) => {
        if (mine !== asked.current) return;
        const next = merged(last.current, page.items as Item[]);
        pace.current?.answered(next !== last.current, next.some((i) => i.status === "executing"));
        last.current = next;
        setItems(next);
        setMore(page.next_cursor !== undefined && limit < 200);
        setLoaded(true);
        setError(undefined);
      },
      (e: Error) => {
        if (mine !== asked.current) return;
        pace.current?.answered(false, false);
        setError(e);
      },
    );
  }, [client, q, status]);
  const refresh = useCallback(() => (pace.current ? pace.current.wake() : ask()), [ask]);

  useEffect(() => {
    const own = (pace.current = new Pace(ask));
    pages.current = 1;
    ask();
    const back = () => (document.hidden ? own.stop() : own.wake());
    document.addEventListener("visibilitychange", back);
    addEventListener("focus", back);
    addEventListener(LISTED, back);
    return () => {
      own.stop();
      pace.current = undefined;
      document.removeEventListener("visibilitychange", back);
      removeEventListener("focus", back);
      removeEventListener(LISTED, back);
    };
  }, [ask]);

  const loadMore = useCallback(() => {
    pages.current++;
    ask();
  }, [ask]);
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
