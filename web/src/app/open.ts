/** Opens sessions for the page. */
import type { Client } from "@parley/client";
import { messageID, sequence, ServerError } from "@parley/client";
import { useEffect, useState } from "react";
import { Trace } from "../talk/trace";
import { tellChanged } from "./changed";
import type { Opened } from "./context";

/** How many of the newest records are asked for again on opening: messages and tool calls alike. Older ones are loaded as one scrolls. */
const RECENT = 1000;

export type Opening = { opened: Opened; error?: undefined } | { opened?: undefined; error?: Error };

/** Joins a session for as long as it is shown. The one before stays until the next is there. */
export function useOpen(client: Client, id: string | undefined): Opening {
  const [opening, setOpening] = useState<Opening>({});
  useEffect(() => {
    if (id === undefined) {
      setOpening({});
      return;
    }
    let gone = false;
    let opened: Opened | undefined;
    open(client, id).then(
      (o) => {
        if (gone) return;
        opened = o;
        o.session.connect();
        setOpening({ opened: o });
      },
      (error: Error) => !gone && setOpening({ error }),
    );
    return () => {
      gone = true;
      opened?.session.disconnect();
    };
  }, [client, id]);
  const stale = opening.opened && opening.opened.session.id !== id;
  return stale ? {} : opening;
}

async function open(client: Client, id: string): Promise<Opened> {
  const after = await recent(client, id);
  const session = client.session(id, after ? { after } : {});
  session.on("settings_changed", tellChanged);
  let joined = false;
  session.on("session_state", () => {
    if (joined) tellChanged(); // while the line was lost nobody told
    joined = true;
  });
  return { session, trace: new Trace(session) };
}

/** The cursor from which the newest records are replayed. A server that cannot be reached is left to the connection, which tries again. */
async function recent(client: Client, id: string): Promise<string | undefined> {
  try {
    const last = sequence((await client.api.session(id).state()).last_message_id) ?? 0;
    return messageID(Math.max(0, last - RECENT));
  } catch (error) {
    if (error instanceof ServerError && !error.recoverable) throw error;
    return undefined;
  }
}
