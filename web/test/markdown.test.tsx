import { act, createElement } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Markdown } from "../src/talk/Markdown";

/** How many characters were read as Markdown: that is what drawing costs. */
const read = vi.hoisted(() => ({ characters: 0 }));
vi.mock("react-markdown", async (real) => {
  const there = await real<typeof import("react-markdown")>();
  const counted: typeof there.default = (props) => {
    read.characters += props.children?.length ?? 0;
    return there.default(props);
  };
  return { ...there, default: counted };
});

const box = document.createElement("div");
const root = createRoot(box);
const draw = (text: string, live: boolean) => act(() => root.render(createElement(Markdown, { text, live })));
beforeEach(() => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
});
afterEach(() => {
  act(() => root.render(null));
  read.characters = 0;
});

const KB = 1024;

test("one long paragraph is read while it is short, and once when it is whole", () => {
  const text = "**strong** " + "word ".repeat(20 * KB);
  for (let n = 2 * KB; n < text.length; n += 2 * KB) draw(text.slice(0, n), true);
  expect(read.characters).toBeLessThan(100 * KB); // with each piece it would be 2.5 MB
  expect(box.textContent).toBe(text.slice(0, Math.floor((text.length - 1) / (2 * KB)) * 2 * KB)); // and all of it is there to be read
  const before = read.characters;
  draw(text, false);
  expect(read.characters - before).toBe(text.length);
  expect(box.querySelector("strong")?.textContent).toBe("strong");
});

test("of many paragraphs only the last is read again", () => {
  const text = ("word ".repeat(200) + "\n\n").repeat(30);
  for (let n = KB / 4; n < text.length; n += KB / 4) draw(text.slice(0, n), true);
  expect(read.characters).toBeLessThan(4 * text.length);
});

test("long code looks like code from the beginning", () => {
  draw("```go\n" + "x := 1\n".repeat(4 * KB), true);
  expect(read.characters).toBe(0);
  expect(box.querySelector("pre")?.textContent).toMatch(/^x := 1\n/);
});
