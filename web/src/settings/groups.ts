/** Which settings stand together. What is in no group has a place of its own. */
export const GROUPS: { readonly [group: string]: readonly string[] } = {
  agent: ["model", "active_profile", "profiles", "mode", "custom_modes", "custom_instructions", "language", "condense_auto", "condense_percent", "experiments"],
  approval: ["auto_approval_enabled", "auto_approve", "auto_approval_max_requests", "mistake_limit", "allowed_commands", "denied_commands"],
  limits: ["budgets", "server_budgets", "terminal_output_lines", "terminal_output_bytes", "terminal_timeout_seconds", "fetch_allow"],
  keeping: ["checkpoints_enabled", "checkpoints_timeout_seconds", "checkpoints_max_file_bytes", "retention_days", "retention_hidden_days", "secrets_keyring"],
};
