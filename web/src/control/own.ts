/** The settings of the open session: what holds in it, and where that comes from. */
import type { Setting, Snapshot } from "@parley/client";
import { useCallback, useEffect, useState } from "react";
import { onChanged } from "../app/changed";
import { useClient, useOpened, useSnapshot } from "../app/context";
import type { SetSetting } from "../settings/settings";

const selectOwn = (s: Snapshot) => s.view.session?.settings;

export interface OwnSettings {
  /** Those that can be set for a session. Undefined before the first answer. */
  items: readonly Setting[] | undefined;
  /** Why they are not told: they belong to the owner. */
  refused: unknown;
  set: SetSetting;
}

/** Reads them again when something was set, for the session or for its owner. */
export function useOwnSettings(): OwnSettings {
  const client = useClient();
  const { session } = useOpened();
  const own = useSnapshot(selectOwn);
  const [items, setItems] = useState<readonly Setting[]>();
  const [refused, setRefused] = useState<unknown>();
  const read = useCallback(() => client.api.settings(session.id).then(
    (list) => {
      setItems(list.items.filter((s) => s.scope === "session"));
      setRefused(undefined);
    },
    setRefused,
  ), [client, session]);
  useEffect(() => void read(), [read, own]);
  useEffect(() => onChanged(() => void read()), [read]);
  const set = useCallback<SetSetting>((key, value) =>
    session.update({ settings: { [key]: value } }).then(
      () => read().then(() => undefined),
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    ), [session, read]);
  return { items, refused, set };
}
