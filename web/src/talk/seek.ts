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

/** So many messages are loaded at a time on the way to a place. */
const STRIDE = 500;

/** Gives the key of the row that was looked for, and tells where it is. */
export function useSeek(rows: readonly Row[], show: (index: number) => void): string | undefined {
  const w = useWords();
  const desk = useDesk();
  const { session, trace } = useOpened();
  const [sought, setSought] = useState<string>();
  const [found, setFound] = useState<string>();
  const [strides, setStrides] = useState(0);
  const loading = useRef(false);
  useSought(session.id, useCallback((message: string) => {
    setFound(undefined);
    setSought(message);
  }, []));
  useEffect(() => {
    if (!sought || loading.current) return;
    const { view } = session.getSnapshot();
    switch (whereIs(view, sought)) {
      case "coming":
        return;
      case "older":
        loading.current = true;
        trace.loadOlder(STRIDE).then((n) => n === 0 && setSought(undefined), (error: unknown) => { complain(error); setSought(undefined); }).finally(() => {
          loading.current = false;
          setStrides((n) => n + 1);
        });
        return;
      case "hidden":
        setSought(undefined);
        toast(w.notHere, { action: { label: w.goBack, run: () => desk.open({ of: "back", to: sought, include: true }) } });
        return;
      case "here": {
        setSought(undefined);
        setFound(rows[placeOf(rows, sought)]?.key);
      }
    }
  }, [session, trace, desk, w, rows, sought, strides]);
  useShown(found, rows, show);
  return found;
}

/** The list measures its rows as it goes and may need to be told more than once; so often at most. */
const TRIES = 60;

/** Brings a row on the screen and gives it the focus. */
function useShown(key: string | undefined, rows: readonly Row[], show: (index: number) => void): void {
  const latest = useRef(rows);
  latest.current = rows;
  useEffect(() => {
    if (!key) return;
    let frame = 0;
    let tries = 0;
    const look = () => {
      const row = document.querySelector<HTMLElement>(".row-found");
      if (row) return row.focus({ preventScroll: true });
      show(latest.current.findIndex((r) => r.key === key));
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
