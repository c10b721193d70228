/** What a person has chosen for this browser: kept in it, and the same in all its tabs. */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
export type Language = "en" | "ko";

export interface Prefs {
  theme: Theme;
  language: Language;
  /** Whether the browser may say that a person is needed. */
  notify: boolean;
  /** What Enter does in the composer: send, or begin a new line. */
  enterSends: boolean;
}

const KEY = "parley.prefs";

function initial(): Prefs {
  const language: Language = navigator.language.startsWith("ko") ? "ko" : "en";
  return { theme: "system", language, notify: false, enterSends: true };
}

function read(): Prefs {
  try {
    return { ...initial(), ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Prefs>) };
  } catch {
    return initial();
  }
}

let prefs = read();
const listeners = new Set<() => void>();

function changed(next: Prefs): void {
  prefs = next;
  const root = document.documentElement;
  if (prefs.theme === "system") delete root.dataset.theme;
  else root.dataset.theme = prefs.theme;
  root.lang = prefs.language;
  for (const tell of [...listeners]) tell();
}

export function setPrefs(change: Partial<Prefs>): void {
  changed({ ...prefs, ...change });
  try {
    localStorage.setItem(KEY, JSON.stringify(prefs));
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
}

export const getPrefs = (): Prefs => prefs;

export function usePrefs(): Prefs {
  return useSyncExternalStore(subscribe, getPrefs);
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** Follows what other tabs choose. Called once, when the page starts. */
export function followPrefs(): void {
  changed(prefs);
  addEventListener("storage", (e) => {
    if (e.key === KEY) changed(read());
  });
}
