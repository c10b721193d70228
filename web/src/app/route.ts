/** Where in the page one is. The address always tells, so that a reload comes back to the same place. */
import { useEffect, useMemo, useSyncExternalStore } from "react";

export type Route =
  | { at: "home" }
  /** A message may be named that is to be shown. */
  | { at: "session"; id: string; message?: string }
  | { at: "settings" };

const MOVED = "parley:moved";

export function parseRoute(path: string): Route {
  const session = /^\/s\/([^/#]+)\/?(?:#(msg_\d+))?$/.exec(path);
  if (session) return { at: "session", id: decodeURIComponent(session[1]!), ...(session[2] ? { message: session[2] } : {}) };
  return path === "/settings" ? { at: "settings" } : { at: "home" };
}

export function pathOf(route: Route): string {
  if (route.at === "session") return "/s/" + encodeURIComponent(route.id) + (route.message ? "#" + route.message : "");
  return route.at === "settings" ? "/settings" : "/";
}

const here = () => location.pathname + location.hash;

export function go(route: Route): void {
  const path = pathOf(route);
  if (path !== here()) history.pushState(null, "", path);
  dispatchEvent(new Event(MOVED));
}

export function useRoute(): Route {
  const path = useSyncExternalStore(subscribe, here);
  return useMemo(() => parseRoute(path), [path]);
}

/** Tells which message of a session the address names: at first, and each time somebody goes there, also to the same one again. */
export function useSought(id: string, seek: (message: string) => void): void {
  useEffect(() => {
    const look = () => {
      const route = parseRoute(here());
      if (route.at === "session" && route.id === id && route.message) seek(route.message);
    };
    look();
    return subscribe(look);
  }, [id, seek]);
}

function subscribe(tell: () => void): () => void {
  const events = ["popstate", "hashchange", MOVED] as const;
  for (const e of events) addEventListener(e, tell);
  return () => {
    for (const e of events) removeEventListener(e, tell);
  };
}
