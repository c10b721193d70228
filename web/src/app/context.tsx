/** What every part of the page needs: the server it talks to, and the session it shows. */
import type { Client, Session, Snapshot } from "@parley/client";
import { useSession as useClientSession } from "@parley/client/react";
import { createContext, useContext } from "react";
import type { Trace } from "../talk/trace";

export const ClientContext = createContext<Client | null>(null);

export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("useClient is called outside of the page's frame");
  return client;
}

/** An open session with the trace of its calls. */
export interface Opened {
  session: Session;
  trace: Trace;
}

export const OpenedContext = createContext<Opened | null>(null);

export function useOpened(): Opened {
  const opened = useContext(OpenedContext);
  if (!opened) throw new Error("useOpened is called where no session is open");
  return opened;
}

/** A part of the open session; what select gives must be a part of the snapshot, or a plain value. */
export function useSnapshot<T>(select: (snapshot: Snapshot) => T): T {
  return useClientSession(useOpened().session, select);
}

export const selectSession = (s: Snapshot) => s.view.session;
export const selectConnection = (s: Snapshot) => s.connection;
export const selectView = (s: Snapshot) => s.view;
