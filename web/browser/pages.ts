/** Pages in a real browser, watched: what goes wrong in one is a failure of its test. */
import axe from "axe-core";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import type { Server } from "./server";

const ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export interface Watched {
  open(server: Server, path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Another tab of the same browser, at an address as a person would type it. */
  beside(server: Server, page: Page, url: string): Promise<Page>;
  /** Lets problems of this kind pass, where a test causes them itself. */
  expect(kind: RegExp): void;
}

/** A browser for the tests of a file. Contexts are closed after each test, and problems that they had are told. */
export function watched(): Watched {
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let problems: string[] = [];
  let allowed: RegExp[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: inject("chromium"), args: ARGS });
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    const told = problems.filter((p) => !allowed.some((a) => a.test(p)));
    await Promise.all(contexts.map((c) => c.close()));
    contexts = [];
    problems = [];
    allowed = [];
    expect(told).toEqual([]);
  });
  const watch = async (server: Server, context: BrowserContext, url: string) => {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("console", (m) => m.type() === "error" && problems.push("console: " + m.text()));
    page.on("pageerror", (e) => problems.push("error: " + (e.stack ?? e.message)));
    page.on("request", (r) => {
      const url = new URL(r.url());
      if (!["data:", "blob:"].includes(url.protocol) && url.host !== server.ready.listen) problems.push("another host: " + r.url());
    });
    await page.goto(url);
    return page;
  };
  return {
    expect: (kind) => allowed.push(kind),
    async open(server, path = "/", options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", ...options });
      contexts.push(context);
      return watch(server, context, server.at(path));
    },
    beside: (server, page, url) => watch(server, page.context(), url),
  };
}

/** Demands that nothing serious is wrong for people who see or type differently. */
export async function accessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: typeof axe }).axe.run;
    const { violations } = await run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] });
    return violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 160)} ${n.failureSummary ?? ""}`).slice(0, 3).join(" | ")}`);
  });
  expect(found).toEqual([]);
}

/** Says something in the open session. */
export async function say(page: Page, text: string): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.locator("#composer").press("Enter");
}

/** Waits until so many turns have ended. */
export async function ended(page: Page, turns = 1): Promise<void> {
  await page.locator(".ended").nth(turns - 1).waitFor();
}
