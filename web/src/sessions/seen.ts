/** Which sessions have changed since somebody looked at them here. */
import { useSyncExternalStore } from "react";

const KEY = "parley.seen";
const MOST = 500;

type Seen = { readonly [session: string]: string };

function read(): Seen {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Seen;
  } catch {
    return {};
  }
}

let seen = read();
const listeners = new Set<() => void>();

/** Notes how far one has read in a session. */
export function see(session: string, updatedAt: string): void {
  if (!updatedAt || (seen[session] ?? "") >= updatedAt) return;
  const { [session]: _, ...rest } = seen;
  seen = Object.fromEntries([...Object.entries(rest).slice(-MOST), [session, updatedAt]]);
  try {
    localStorage.setItem(KEY, JSON.stringify(seen));
  } catch {
    // Then everything counts as read once it was opened in this page.
  }
  for (const tell of [...listeners]) tell();
}

export function useSeen(): Seen {
  return useSyncExternalStore(subscribe, () => seen);
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}
