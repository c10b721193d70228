import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    program: string;
  }
}

/** Builds the real program, once for all tests; or takes the one that PARLEY_PROGRAM names. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["PARLEY_PROGRAM"];
  if (given) {
    project.provide("program", given);
    return async () => {};
  }
  const folder = await mkdtemp(join(tmpdir(), "parley-ts-"));
  const program = join(folder, "parley");
  const root = new URL("../../../../", import.meta.url).pathname;
  await promisify(execFile)("go", ["build", "-o", program, "./cmd/parley"], { cwd: root });
  project.provide("program", program);
  return () => rm(folder, { recursive: true, force: true });
}
