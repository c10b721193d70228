/** The caller's settings, kept fresh while somebody looks. */
import type { Client, Connection, SettingList } from "@parley/client";
import { useCallback, useEffect, useState } from "react";
import { onChanged, tellChanged } from "../app/changed";
import { useClient } from "../app/context";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";

/** Changes a setting; null goes back to the default. Gives the server's words if it refuses. */
export type SetSetting = (key: string, value: unknown) => Promise<string | undefined>;

export interface Known {
  list: SettingList | undefined;
  set: SetSetting;
  refresh: () => void;
}

export function useSettings(): Known {
  const w = useWords();
  const client = useClient();
  const [list, setList] = useState<SettingList>();
  const refresh = useCallback(() => void client.api.settings().then(setList, complain), [client]);
  useEffect(refresh, [refresh]);
  useEffect(() => onChanged(refresh), [refresh]);
  useEffect(() => listen(client), [client]);
  const set = useCallback<SetSetting>((key, value) =>
    client.api.updateSettings({ [key]: value }).then(
      (next) => {
        setList(next);
        tellChanged();
        toast(w.kept);
        return undefined;
      },
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    ), [client, w]);
  return { list, set, refresh };
}

/**
 * Hears of changes that are made elsewhere. The server tells them to whoever
 * follows a session, so one is followed; without any, coming back to the tab
 * is when to look again.
 */
function listen(client: Client): () => void {
  let gone = false;
  let line: Connection | undefined;
  client.api.sessions({ limit: 1 }).then(({ items: [newest] }) => {
    if (gone || !newest) return;
    line = client.connection(newest.session_id);
    line.on("session_state", tellChanged); // something may have changed before it was joined, or joined again
    line.on("settings_changed", tellChanged);
    line.connect();
  }, () => {});
  const back = () => !document.hidden && tellChanged();
  document.addEventListener("visibilitychange", back);
  return () => {
    gone = true;
    line?.disconnect();
    document.removeEventListener("visibilitychange", back);
  };
}
