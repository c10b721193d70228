import type { OpenRequest } from "@parley/client";
import { expect, test } from "vitest";
import { inputOf } from "../src/plan/DraftBar";
import { parseRoute, pathOf } from "../src/app/route";
import { tokenIn } from "../src/app/token";
import { fits } from "../src/keys/commands";
import { optionsOf, valueOf } from "../src/people/values";
import { parse, textOf } from "../src/settings/Written";
import { duration, left } from "../src/ui/format";
import { LANGUAGES } from "../src/words";

test("answers have the form that their question takes", () => {
  expect(valueOf("text", "  ", [])).toBeUndefined();
  expect(valueOf("text", " yes ", [])).toBe("yes");
  expect(valueOf("number", "3.5", [])).toBe(3.5);
  expect(valueOf("number", "three", [])).toBeUndefined();
  expect(valueOf("multi_choice", "", ["a"])).toEqual(["a"]);
  expect(valueOf("multi_choice", "", [])).toBeUndefined();
});

test("options keep their values; the session's own have names", () => {
  const ask = (field: string, options: OpenRequest["options"]) => ({ field, options }) as OpenRequest;
  expect(optionsOf(ask("outcome", ["retry"]), { retry: "Try again" })).toEqual([{ value: "retry", label: "Try again" }]);
  expect(optionsOf(ask("answer", ["retry", { value: "b", label: "B" }]), { retry: "Try again" })).toEqual([{ value: "retry", label: "retry" }, { value: "b", label: "B" }]);
});

test("a token is found in whatever was pasted", () => {
  expect(tokenIn(" abc ")).toBe("abc");
  expect(tokenIn("http://127.0.0.1:7717/?token=abc")).toBe("abc");
});

test("addresses and places go both ways", () => {
  for (const path of ["/", "/settings", "/s/sess_1", "/s/a%20b"]) expect(pathOf(parseRoute(path))).toBe(path);
});

test("settings are written as they are read", () => {
  const values: [unknown, string][] = [[3, "whole number"], ["text", "text"], [["a", "b"], "list of texts"], [{ a: { b: 1 } }, "object"]];
  for (const [value, type] of values) expect(parse(textOf(value), type)).toEqual(value);
  expect(() => parse("{", "object")).toThrow();
  expect(parse("", "whole number")).toBe(""); // which is not 0: the server says so
});

test("a todo's input: a command, JSON, or a path", () => {
  expect(inputOf("run_command", "ls", "look")).toEqual({ command: "ls", description: "look" });
  expect(inputOf("read_file", '{"path":"a"}', "")).toEqual({ path: "a" });
  expect(inputOf("read_file", "a.txt", "")).toEqual({ path: "a.txt" });
});

test("times are short", () => {
  expect([duration(12), duration(1234), duration(65_000), duration(3_720_000)]).toEqual(["12 ms", "1.2 s", "1:05", "1 h 2 min"]);
  expect([left(59_001), left(-5)]).toEqual(["1:00", "0:00"]);
});

test("the palette finds by a few letters in order", () => {
  expect(fits("New session", "nss")).toBe(true);
  expect(fits("New session", "zn")).toBe(false);
});

/** The names of all words, nested ones too. */
function names(words: object, at = ""): string[] {
  return Object.entries(words).flatMap(([k, v]) => (v && typeof v === "object" && !Array.isArray(v) ? names(v as object, `${at}${k}.`) : [`${at}${k}`]));
}

test("both languages have every word, and none is empty", () => {
  const { en, ko } = LANGUAGES;
  expect(names(ko).sort()).toEqual(names(en).sort());
  const texts = JSON.stringify(Object.values(ko));
  expect(texts).not.toContain('""');
  expect(/[가-힣]/.test(ko.status.waiting)).toBe(true);
});
