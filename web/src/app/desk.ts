/** What can be opened from anywhere in the page: its dialogs and its panes. */
import { createContext, useContext } from "react";
import type { Layout, Move } from "../frame/layout";

export type DialogOf =
  | { of: "new" }
  | { of: "palette" }
  | { of: "help" }
  /** Back to before a record, or to right after it. */
  | { of: "rewind"; to: string; include?: boolean; words?: string }
  | { of: "restore"; checkpoint: string }
  | { of: "fork"; at?: string }
  | { of: "delete"; id: string; title: string };

export interface Desk {
  dialog: DialogOf | null;
  open: (dialog: DialogOf | null) => void;
  layout: Layout;
  arrange: (move: Move) => void;
}

export const DeskContext = createContext<Desk | null>(null);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error("useDesk is called outside of the page's frame");
  return desk;
}
