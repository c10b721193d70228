import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    program: string;
    chromium: string;
  }
}

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

/** Builds the real program with the page in it, once for all tests; or takes the one that PARLEY_PROGRAM names. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = process.env["PARLEY_BROWSER"] ?? BROWSERS.find(existsSync);
  if (!chromium) throw new Error("no browser found: install chromium (scripts/browser.sh does), or name one in PARLEY_BROWSER");
  project.provide("chromium", chromium);
  const given = process.env["PARLEY_PROGRAM"];
  if (given) {
    project.provide("program", given);
    return async () => {};
  }
  const folder = await mkdtemp(join(tmpdir(), "parley-web-"));
  const program = join(folder, "parley");
  const root = new URL("../../", import.meta.url).pathname;
  await promisify(execFile)("go", ["build", "-o", program, "./cmd/parley"], { cwd: root });
  project.provide("program", program);
  return () => rm(folder, { recursive: true, force: true });
}
