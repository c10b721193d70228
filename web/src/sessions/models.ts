import type { Client } from "@parley/client";
import { useEffect, useState } from "react";
import { useClient } from "../app/context";

/** What every server knows. */
const KNOWN = ["auto", "offline"];

/** Names of models to suggest: those of the caller's settings and profiles, then what the server can call, then what it could with a key. */
export function useModels(): readonly string[] {
  const client = useClient();
  const [names, setNames] = useState<readonly string[]>(KNOWN);
  useEffect(() => {
    let gone = false;
    void Promise.all([chosen(client), offered(client)]).then((all) => !gone && setNames([...new Set([...all.flat(), ...KNOWN])]));
    return () => {
      gone = true;
    };
  }, [client]);
  return names;
}

async function chosen(client: Client): Promise<string[]> {
  const { settings } = await client.api.settings().catch(() => ({ settings: {} as { [key: string]: unknown } }));
  const profiles = Object.values((settings["profiles"] ?? {}) as { [name: string]: { model?: string } });
  return [settings["model"] as string | undefined, ...profiles.map((p) => p.model)].filter((m): m is string => Boolean(m));
}

/** A server that does not list its models offers none. */
async function offered(client: Client): Promise<string[]> {
  const { items } = await client.api.call<{ items: { name: string; available: boolean }[] }>("GET", "models").catch(() => ({ items: [] }));
  return [...items.filter((m) => m.available), ...items.filter((m) => !m.available)].map((m) => m.name);
}
