import { useContext, useEffect } from "react";
import { OpenedContext } from "../app/context";
import { useDesk } from "../app/desk";
import { useWords } from "../words";
import { commandsOf } from "./commands";

/** Listens to the keyboard: single keys while nobody types, Ctrl K always. */
export function Shortcuts() {
  const w = useWords();
  const desk = useDesk();
  const session = useContext(OpenedContext)?.session;
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
        e.preventDefault();
        desk.open(desk.dialog?.of === "palette" ? null : { of: "palette" });
        return;
      }
      const at = e.target as HTMLElement;
      if (e.key === "Escape" && at.matches("textarea, input") && !document.querySelector(".dialog")) at.blur();
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || desk.dialog) return;
      if (at.matches("input, textarea, select, [contenteditable]") || document.querySelector(".menu")) return;
      const command = commandsOf(w, desk, session).find((c) => c.key === e.key);
      if (!command) return;
      e.preventDefault();
      command.run();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [w, desk, session]);
  return null;
}
