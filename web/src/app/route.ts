/** Where in the page one is. The address always tells, so that a reload comes back to the same place. */
import { useMemo, useSyncExternalStore } from "react";

export type Route = { at: "home" } | { at: "session"; id: string } | { at: "settings" };

const MOVED = "parley:moved";

export function parseRoute(path: string): Route {
  const session = /^\/s\/([^/]+)\/?$/.exec(path);
  if (session) return { at: "session", id: decodeURIComponent(session[1]!) };
  return path === "/settings" ? { at: "settings" } : { at: "home" };
}

export function pathOf(route: Route): string {
  if (route.at === "session") return "/s/" + encodeURIComponent(route.id);
  return route.at === "settings" ? "/settings" : "/";
}

export function go(route: Route): void {
  const path = pathOf(route);
  if (path !== location.pathname) history.pushState(null, "", path);
  dispatchEvent(new Event(MOVED));
}

export function useRoute(): Route {
  const path = useSyncExternalStore(subscribe, () => location.pathname);
  return useMemo(() => parseRoute(path), [path]);
}

function subscribe(tell: () => void): () => void {
  addEventListener("popstate", tell);
  addEventListener(MOVED, tell);
  return () => {
    removeEventListener("popstate", tell);
    removeEventListener(MOVED, tell);
  };
}
