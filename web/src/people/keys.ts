import { useEffect } from "react";

/** A question is answered by keys only once it has stood there for a moment: what was pressed for something else is no answer. */
export const MOMENT_MS = 350;

/** Keys that answer while nobody types: y and n, say. What is not in the table goes on its way. */
export function useAnswerKeys(keys: { readonly [key: string]: (() => void) | undefined }): void {
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || e.defaultPrevented) return;
      if (document.querySelector(".dialog, .menu") || !document.querySelector(".request[data-ready=true]")) return;
      const at = e.target as HTMLElement;
      if (at.matches("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]")) return;
      if (e.key === "Enter" && at.matches("button, a, summary, [role=separator]")) return;
      const run = keys[e.key];
      if (!run) return;
      e.preventDefault();
      e.stopPropagation();
      run();
    };
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  });
}
