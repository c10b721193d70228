/** The words of the page, in the languages it speaks. */
import { usePrefs } from "../app/prefs";
import { en } from "./en";
import { ko } from "./ko";

export type Words = typeof en;

export const LANGUAGES = { en, ko } as const satisfies { [language: string]: Words };

export function useWords(): Words {
  return LANGUAGES[usePrefs().language];
}
