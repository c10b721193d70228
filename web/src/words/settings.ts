/** Settings in the words of the page. English is the server's own. */
import type { Setting } from "@parley/client";
import type { Language } from "../app/prefs";
import { settingsKo } from "./settings.ko";

export type SettingWords = { readonly [key: string]: { readonly name: string; readonly text: string } };

const TABLES: { readonly [L in Language]: SettingWords } = { en: {}, ko: settingsKo };

/** What a setting is called, and what it does. A key that has no words here yet is told in the server's. */
export function wordsOf(setting: Setting, language: Language): { name: string; text: string } {
  const { key, description } = setting;
  return TABLES[language][key] ?? { name: key[0]!.toUpperCase() + key.slice(1).replaceAll("_", " "), text: description };
}
