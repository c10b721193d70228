/** Which settings stand together. */
import type { Setting } from "@parley/client";

export const GROUPS = {
  agent: ["model", "active_profile", "profiles", "mode", "custom_modes", "custom_instructions", "language", "condense_auto", "condense_percent"],
  approval: ["auto_approval_enabled", "auto_approve", "auto_approval_max_requests", "mistake_limit", "allowed_commands", "denied_commands"],
  limits: ["budgets", "server_budgets", "terminal_output_lines", "terminal_output_bytes", "terminal_timeout_seconds", "fetch_allow"],
  keeping: ["checkpoints_enabled", "checkpoints_timeout_seconds", "checkpoints_max_file_bytes", "retention_days", "secrets_keyring"],
} as const satisfies { readonly [group: string]: readonly string[] };

export type Group = keyof typeof GROUPS | "mcp" | "others";

/** What is in no group of its own is with the others: a key that a newer server has shows there by itself. */
export function groupOf(key: string): Group {
  if (key === "mcp_servers") return "mcp";
  return (Object.keys(GROUPS) as (keyof typeof GROUPS)[]).find((g) => (GROUPS[g] as readonly string[]).includes(key)) ?? "others";
}

/** The settings of a group in its order. */
export function inGroup(group: Group, items: readonly Setting[]): readonly Setting[] {
  const order = (s: Setting) => (group in GROUPS ? (GROUPS[group as keyof typeof GROUPS] as readonly string[]).indexOf(s.key) : 0);
  return items.filter((s) => groupOf(s.key) === group).sort((a, b) => order(a) - order(b));
}
