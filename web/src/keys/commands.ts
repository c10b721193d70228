/** Everything that can be done by a command, for the palette and for the keyboard. */
import type { Session } from "@parley/client";
import { setPrefs } from "../app/prefs";
import type { Desk } from "../app/desk";
import { go } from "../app/route";
import { PANES } from "../frame/panes";
import type { IconName } from "../ui/Icon";
import { complain, toast } from "../ui/toasts";
import type { Words } from "../words";

export interface Command {
  id: string;
  label: string;
  icon: IconName;
  /** The key that does it while nobody types. */
  key?: string;
  run: () => void;
}

export function commandsOf(w: Words, desk: Desk, session: Session | undefined): Command[] {
  const status = session?.getSnapshot().view.session?.status;
  const working = status === "executing" || status === "waiting";
  const always: Command[] = [
    { id: "new", label: w.newSession, icon: "plus", key: "c", run: () => desk.open({ of: "new" }) },
    { id: "search", label: w.search, icon: "search", key: "/", run: () => { desk.arrange({ do: "list", open: true }); focusOn("search"); } },
    { id: "list", label: desk.layout.list ? w.hideList : w.showList, icon: "menu", key: "[", run: () => desk.arrange({ do: "list", open: !desk.layout.list }) },
    { id: "home", label: w.home, icon: "chat", run: () => go({ at: "home" }) },
    { id: "settings", label: w.settings, icon: "gear", key: ",", run: () => go({ at: "settings" }) },
    { id: "light", label: w.themes.light, icon: "gear", run: () => setPrefs({ theme: "light" }) },
    { id: "dark", label: w.themes.dark, icon: "gear", run: () => setPrefs({ theme: "dark" }) },
    { id: "english", label: "English", icon: "gear", run: () => setPrefs({ language: "en" }) },
    { id: "korean", label: "한국어", icon: "gear", run: () => setPrefs({ language: "ko" }) },
    { id: "help", label: w.shortcuts, icon: "keyboard", key: "?", run: () => desk.open({ of: "help" }) },
  ];
  if (!session) return always;
  const own: Command[] = [
    { id: "write", label: w.writeMessage, icon: "edit", key: "i", run: () => { desk.arrange({ do: "show", area: "main", pane: "talk" }); focusOn("composer"); } },
    ...PANES.map((p): Command => ({ id: "pane-" + p.id, label: p.title(w), icon: p.icon, key: p.key, run: () => desk.arrange({ do: "toggle", area: p.area, pane: p.id }) })),
    ...(working ? [{ id: "pause", label: w.pause, icon: "pause", key: "p", run: () => void session.pause().catch(complain) } satisfies Command] : []),
    ...(status === "paused" ? [{ id: "resume", label: w.resume, icon: "play", key: "r", run: () => void session.resume().catch(complain) } satisfies Command] : []),
    ...(working || status === "paused" ? [{ id: "stop", label: w.stop, icon: "stop", run: () => void session.cancel().catch(complain) } satisfies Command] : []),
    { id: "undo", label: w.undoBack, icon: "undo", key: "u", run: () => void session.undo().then(() => toast(w.undone), complain) },
    { id: "fork", label: w.fork, icon: "fork", run: () => desk.open({ of: "fork" }) },
    { id: "condense", label: w.condense, icon: "files", run: () => void session.api.condense().then((c) => toast(w.condensed(c.prev_context_tokens, c.new_context_tokens)), complain) },
  ];
  return [...own, ...always];
}

/** Gives the focus to something that may only be about to appear. */
function focusOn(id: string): void {
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.focus()));
}

/** Says whether all letters of what was typed come in this order. */
export function fits(label: string, typed: string): boolean {
  let at = 0;
  const text = label.toLowerCase();
  for (const c of typed.toLowerCase().replace(/\s/g, "")) {
    at = text.indexOf(c, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
