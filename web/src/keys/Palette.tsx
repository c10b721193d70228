import { useContext, useEffect, useMemo, useState } from "react";
import { OpenedContext, useClient } from "../app/context";
import { useDesk } from "../app/desk";
import { go } from "../app/route";
import type { Item } from "../sessions/list";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { useWords } from "../words";
import { commandsOf, fits } from "./commands";
import type { Command } from "./commands";

/** Everything that can be done, and every session, by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const w = useWords();
  const desk = useDesk();
  const client = useClient();
  const session = useContext(OpenedContext)?.session;
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [sessions, setSessions] = useState<readonly Item[]>([]);
  useEffect(() => {
    client.api.sessions({ limit: 50 }).then((page) => setSessions(page.items), () => {});
  }, [client]);
  const found = useMemo(() => {
    const all: Command[] = [
      ...commandsOf(w, desk, session),
      ...sessions.map((s): Command => ({ id: s.session_id, label: s.title || s.session_id, icon: "chat", run: () => go({ at: "session", id: s.session_id }) })),
    ];
    return all.filter((c) => fits(c.label, typed)).slice(0, 40);
  }, [w, desk, session, sessions, typed]);
  const chosen = Math.min(at, found.length - 1);
  const run = (c: Command | undefined) => {
    if (!c) return;
    onClose();
    c.run();
  };
  useEffect(() => void document.getElementById(`command-${chosen}`)?.scrollIntoView({ block: "nearest" }), [chosen]);
  return (
    <Dialog title={w.commands} onClose={onClose}>
      <input
        className="palette-input" autoFocus value={typed} placeholder={w.typeCommand} aria-label={w.typeCommand}
        role="combobox" aria-expanded="true" aria-controls="commands" aria-activedescendant={`command-${chosen}`}
        onChange={(e) => { setTyped(e.target.value); setAt(0); }}
        onKeyDown={(e) => {
          if (e.key === "ArrowDown") { e.preventDefault(); setAt((chosen + 1) % found.length); }
          if (e.key === "ArrowUp") { e.preventDefault(); setAt((chosen - 1 + found.length) % found.length); }
          if (e.key === "Enter" && !e.nativeEvent.isComposing) { e.preventDefault(); run(found[chosen]); }
        }}
      />
      <ul id="commands" className="palette" role="listbox" aria-label={w.commands}>
        {found.map((c, i) => (
          <li key={c.id} id={`command-${i}`} role="option" aria-selected={i === chosen} className="palette-item" onPointerMove={() => setAt(i)} onClick={() => run(c)}>
            <Icon name={c.icon} size={16} /> <span>{c.label}</span> {c.key && <kbd>{c.key.toUpperCase()}</kbd>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
