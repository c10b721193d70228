import { useEffect } from "react";

/** Keys that answer while nobody types: y and n, say. What is not in the table goes on its way. */
export function useAnswerKeys(keys: { readonly [key: string]: (() => void) | undefined }): void {
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || e.defaultPrevented) return;
      if (document.querySelector(".dialog, .menu")) return;
      const at = e.target as HTMLElement;
      const typing = at.matches("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]");
      const empty = at.id === "composer" && (at as HTMLTextAreaElement).value === "" && e.key === "Enter";
      if (typing && !empty) return;
      if (e.key === "Enter" && at.matches("button, a, summary, [role=separator]")) return;
      const run = keys[e.key] ?? keys[e.code];
      if (!run) return;
      e.preventDefault();
      e.stopPropagation();
      run();
    };
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  });
}
