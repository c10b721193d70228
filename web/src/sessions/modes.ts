import { useEffect, useState } from "react";
import { useClient } from "../app/context";

/** The modes that every server has. */
const BUILT_IN = ["code", "architect", "ask", "debug"];

/** The modes to choose from: those of the server, and the caller's own. */
export function useModes(): readonly string[] {
  const client = useClient();
  const [modes, setModes] = useState<readonly string[]>(BUILT_IN);
  useEffect(() => {
    client.api.settings().then(({ settings }) => setModes([...new Set([...BUILT_IN, ...Object.keys((settings.custom_modes as object | undefined) ?? {})])]), () => {});
  }, [client]);
  return modes;
}
