/** Colours for code. Loaded only when there is code to colour, each language for itself. */
import { createHighlighterCore } from "shiki/core";
import type { HighlighterCore, LanguageInput } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

export type Line = readonly { text: string; kind: string }[];

const LANGUAGES: { readonly [name: string]: () => Promise<{ default: unknown }> } = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const OTHER_NAMES: { readonly [name: string]: string } = {
  sh: "bash", shell: "bash", zsh: "bash", console: "bash", h: "c", patch: "diff", dockerfile: "docker", golang: "go", html: "xml", htm: "xml",
  javascript: "typescript", js: "typescript", jsx: "tsx", mjs: "typescript", jsonc: "json", py: "python", rs: "rust", ts: "typescript", svg: "xml", yml: "yaml",
};

// The "colours" of this theme are the names of classes: the style sheet has a value of each for light and dark.
const KINDS: readonly [kind: string, colour: string, scopes: readonly string[]][] = [
  ["c-keyword", "#000001", ["keyword", "storage", "variable.language"]],
  ["c-string", "#000002", ["string", "markup.inserted"]],
  ["c-number", "#000003", ["constant", "support.constant"]],
  ["c-comment", "#000004", ["comment", "punctuation.definition.comment"]],
  ["c-name", "#000005", ["entity.name", "support.function", "support.type", "meta.function-call"]],
  ["c-gone", "#000006", ["markup.deleted", "invalid"]],
];

const kindOf = new Map(KINDS.map(([kind, colour]) => [colour, kind]));

let making: Promise<HighlighterCore> | undefined;

function highlighter(): Promise<HighlighterCore> {
  making ??= createHighlighterCore({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    langs: [],
    themes: [{
      name: "parley",
      type: "light",
      fg: "#000000",
      bg: "#ffffff",
      settings: KINDS.map(([, foreground, scope]) => ({ scope: [...scope], settings: { foreground } })),
    }],
  });
  return making;
}

/** Gives the code in pieces, each with its kind; undefined for a language that is not known. */
export async function highlight(code: string, language: string): Promise<Line[] | undefined> {
  const name = OTHER_NAMES[language.toLowerCase()] ?? language.toLowerCase();
  const load = LANGUAGES[name];
  if (!load) return undefined;
  const h = await highlighter();
  if (!h.getLoadedLanguages().includes(name)) await h.loadLanguage((await load()).default as LanguageInput);
  const { tokens } = h.codeToTokens(code, { lang: name, theme: "parley" });
  return tokens.map((line) => line.map((t) => ({ text: t.content, kind: kindOf.get(t.color?.toLowerCase() ?? "") ?? "" })));
}
