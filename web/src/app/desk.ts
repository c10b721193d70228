/** What can be opened from anywhere in the page: its dialogs and its panes. */
import { createContext, useContext } from "react";
import type { Layout, Move } from "../frame/layout";
import type { How } from "../time/back";

export type DialogOf =
  | { of: "new" }
  | { of: "palette" }
  | { of: "help" }
  /** Back to before a record, or to right after it. */
  | { of: "back"; to: string; include?: boolean; words?: string; how?: How }
  /** What differs between two kept states of the files, or one and now. */
  | { of: "compare"; from: string; to?: string }
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
