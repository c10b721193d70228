/** Finds a message in the conversation, however far back it is, and shows where it is. */
import type { View } from "@parley/client";
import { sequence } from "@parley/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { useOpened } from "../app/context";
import { useDesk } from "../app/desk";
import { useSought } from "../app/route";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";
import { placeOf } from "./rows";
import type { Row } from "./rows";
import { around } from "./stretch";
import type { Stretch } from "./stretch";

/** A place far back, and the message that was looked for there. */
export interface FarBack {
  at: Stretch;
  sought: string;
  /** Looking for the same again is another time. */
  time: number;
}

export interface Sought {
  /** The key of the row that was looked for. */
  found: string | undefined;
  /** Where it is, if that is not among the rows. */
  past: FarBack | undefined;
  /** Comes back from there. */
  leave: () => void;
}

/** Looks for the message that the address names, and tells where among the rows it is. */
export function useSeek(rows: readonly Row[], show: (index: number) => void): Sought {
  const w = useWords();
  const desk = useDesk();
  const { session } = useOpened();
  const [sought, setSought] = useState<string>();
  const [found, setFound] = useState<string>();
  const [past, setPast] = useState<FarBack>();
  const loading = useRef<string>(undefined);
  useSought(session.id, useCallback((message: string) => {
    setFound(undefined);
    setSought(message);
  }, []));
  useEffect(() => {
    if (!sought || loading.current === sought) return;
    const { view } = session.getSnapshot();
    switch (whereIs(view, sought)) {
      case "coming":
        return;
      case "older":
        loading.current = sought;
        around(session, sought).then((at) => loading.current === sought && setPast((now) => ({ at, sought, time: (now?.time ?? 0) + 1 })), complain).finally(() => {
          if (loading.current !== sought) return; // somebody looks for another one by now
          loading.current = undefined;
          setSought(undefined);
        });
        return;
      case "hidden":
        setSought(undefined);
        toast(w.notHere, { action: { label: w.goBack, run: () => desk.open({ of: "back", to: sought, include: true }) } });
        return;
      case "here":
        setSought(undefined);
        setPast(undefined);
        setFound(rows[placeOf(rows, sought)]?.key);
    }
  }, [session, desk, w, rows, sought]);
  useShown(past ? undefined : found, rows, show);
  return { found, past, leave: useCallback(() => setPast(undefined), []) };
}

/** The list measures its rows as it goes and may need to be told more than once; so often at most. */
const TRIES = 60;

/** Brings a row on the screen and gives it the focus. */
export function useShown(key: string | undefined, rows: readonly Row[], show: (index: number) => void): void {
  const latest = useRef(rows);
  latest.current = rows;
  useEffect(() => {
    if (!key) return;
    let frame = 0;
    let tries = 0;
    const look = () => {
      const row = document.querySelector<HTMLElement>(".row-found");
      row?.focus({ preventScroll: true });
      if (row && document.activeElement === row) return; // a list that is not laid out yet takes no focus
      if (!row) show(latest.current.findIndex((r) => r.key === key));
      if (tries++ < TRIES) frame = requestAnimationFrame(look);
    };
    frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [key, show]);
}

/** Says whether a message is here, has to be loaded, is still on its way, or was left by going back. */
export function whereIs(view: View, message: string): "here" | "older" | "coming" | "hidden" {
  const seq = sequence(message) ?? 0;
  if (view.messages.some((m) => m.message_id === message)) return "here";
  if (!view.session || (view.cursor ?? 0) < Math.min(seq, sequence(view.session.last_message_id) ?? 0)) return "coming";
  return view.missing.some(([from, to]) => from <= seq && seq <= to) ? "older" : "hidden";
}
