/** Settings as a file: what is stored, without defaults and without secrets, which settings do not hold. */
import type { SettingList, Settings } from "@parley/client";

const VERSION = 1;

export function exported(list: SettingList): string {
  const own = list.items.filter((s) => s.layer === "owner" || s.layer === "server");
  return JSON.stringify({ version: VERSION, settings: Object.fromEntries(own.map((s) => [s.key, s.value])) }, null, 2) + "\n";
}

/** Reads a file and gives the changes that it asks for: those of the server and those of the caller apart, as the server takes them. */
export function parts(text: string, list: SettingList): Settings[] {
  const file = JSON.parse(text) as { settings?: unknown } | null;
  const given = (typeof file?.settings === "object" ? file.settings : file) as Settings | null;
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new SyntaxError("{}");
  const server = new Set(list.items.filter((s) => s.scope === "server").map((s) => s.key));
  const some = (of: boolean) => Object.fromEntries(Object.entries(given).filter(([key]) => key !== "version" && server.has(key) === of));
  return [some(true), some(false)].filter((part) => Object.keys(part).length > 0);
}
