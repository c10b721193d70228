import { useEffect, useState } from "react";
import { useClient } from "../app/context";

const KNOWN = ["auto", "offline", "anthropic/claude-sonnet-4-6", "openai/gpt-5.5", "ollama/qwen3"];

/** Names of models to suggest: those of the caller's profiles, and what each provider is asked for by. */
export function useModels(): readonly string[] {
  const client = useClient();
  const [names, setNames] = useState<readonly string[]>(KNOWN);
  useEffect(() => {
    client.api.settings().then(({ settings }) => {
      const profiles = Object.values((settings.profiles ?? {}) as { [name: string]: { model?: string } });
      const more = [settings.model as string | undefined, ...profiles.map((p) => p.model)].filter((m): m is string => Boolean(m));
      setNames([...new Set([...more, ...KNOWN])]);
    }, () => {});
  }, [client]);
  return names;
}
