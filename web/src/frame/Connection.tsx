import { ServerError } from "@parley/client";
import type { Snapshot } from "@parley/client";
import { useEffect, useState } from "react";
import { REFUSED } from "../app/App";
import { selectConnection, useOpened, useSnapshot } from "../app/context";
import { Button } from "../ui/Button";
import { Troubled } from "../ui/Troubled";
import { useWords } from "../words";

const selectError = (s: Snapshot) => s.error;
const selectProvider = (s: Snapshot) => s.view.provider;
const selectWaiting = (s: Snapshot) => s.sending.length;

/** How the line to the server is. Always there, in words too. */
export function ConnectionMark() {
  const w = useWords();
  const state = useSnapshot(selectConnection);
  const waiting = useSnapshot(selectWaiting);
  return (
    <span className={`line line-${state}`} role="status" title={w.connectionHelp[state]}>
      <span className="line-dot" aria-hidden="true" />
      {w.connection[state]}
      {waiting > 0 && state !== "active" && ` · ${w.unsent(waiting)}`}
    </span>
  );
}

/** After this long without a line it is said aloud; a shorter gap nobody needs to know of. */
const PATIENCE_MS = 1500;

export function ConnectionBanner() {
  const w = useWords();
  const { session } = useOpened();
  const state = useSnapshot(selectConnection);
  const error = useSnapshot(selectError);
  const late = useLate(state === "reconnecting" || state === "disconnected");
  useWake(() => session.getSnapshot().connection === "reconnecting" && session.connect());
  const refused = state === "failed" && ((error as { code?: number } | undefined)?.code === 4500 || (error instanceof ServerError && error.aboutAuth));
  useEffect(() => {
    if (refused) dispatchEvent(new Event(REFUSED));
  }, [refused]);
  const provider = useSnapshot(selectProvider);
  if (state === "active" && provider && provider.status !== "connected") {
    return <div className="banner" role="status"><span>{w.modelSilent(provider.provider)} {provider.message}</span></div>;
  }
  if (state !== "failed" && !late) return null;
  return (
    <div className={state === "failed" ? "banner banner-bad" : "banner"} role="alert">
      {state === "failed" ? <Troubled error={error ?? new Error(w.lineFailed)} /> : <span>{navigator.onLine ? w.lineLost : w.offline}</span>}
      <Button onClick={() => session.connect()}>{w.tryNow}</Button>
    </div>
  );
}

function useLate(lost: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!lost) {
      setLate(false);
      return;
    }
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  return late;
}

/** A lid that is opened, a network that is back: then waiting is over. */
function useWake(wake: () => void): void {
  useEffect(() => {
    const look = () => !document.hidden && wake();
    addEventListener("online", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      removeEventListener("online", look);
      document.removeEventListener("visibilitychange", look);
    };
  });
}
