import { useContext } from "react";
import { OpenedContext } from "../app/context";
import { useDesk } from "../app/desk";
import { Dialog } from "../ui/Dialog";
import { useWords } from "../words";
import { commandsOf } from "./commands";

/** The keys, in one place. */
export function Help({ onClose }: { onClose: () => void }) {
  const w = useWords();
  const desk = useDesk();
  const session = useContext(OpenedContext)?.session;
  const keys: [string, string][] = [
    ["Ctrl K / ⌘K", w.commands],
    ...commandsOf(w, desk, session).flatMap((c): [string, string][] => (c.key ? [[c.key.toUpperCase(), c.label]] : [])),
    ["Y / ↵", w.keyYes], ["N", w.keyNo], ["S", w.keySkip], ["M", w.keyModify], ["1 … 9", w.keyOption],
    ["↵", w.keySend], ["Alt ↵", w.sendQueue], ["Esc", w.keyLeave],
  ];
  return (
    <Dialog title={w.shortcuts} onClose={onClose}>
      <dl className="keys">
        {keys.map(([key, what], i) => <div key={i}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}
      </dl>
    </Dialog>
  );
}
