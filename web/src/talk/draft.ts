import { useCallback, useEffect, useState } from "react";

/** What was written and not sent, of each session: it survives a reload. */
export function useDraft(session: string): [string, (text: string) => void] {
  const key = "parley.draft." + session;
  const [text, setText] = useState(() => read(key));
  useEffect(() => setText(read(key)), [key]);
  const set = useCallback((next: string) => {
    setText(next);
    try {
      if (next) sessionStorage.setItem(key, next);
      else sessionStorage.removeItem(key);
    } catch {
      // The words are on the screen all the same.
    }
  }, [key]);
  return [text, set];
}

function read(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
