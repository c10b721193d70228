import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { inject, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { Client } from "../../src/index.js";
import type { ClientOptions, Session, Snapshot } from "../../src/index.js";

/** The scripts that the program's own tests use. */
export const SCRIPTS = new URL("../../../../conformance/testdata/", import.meta.url).pathname;

/** A running program. */
export interface Server {
  url: string;
  listen: string;
  token: string;
  data: string;
  client(options?: ClientOptions): Client;
  /** Pulls the plug. */
  kill(): Promise<void>;
}

export interface ServerOptions {
  data?: string;
  listen?: string;
  args?: string[];
}

/** A folder that goes away with the test. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "parley-ts-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 3 }));
  return path;
}

/** A script that plays model turns. */
export async function script(yaml: string): Promise<string> {
  const path = join(await folder(), "script.yaml");
  await writeFile(path, yaml);
  return "script:" + path;
}

/** Runs the program and waits until it is ready. */
export async function start(options: ServerOptions = {}): Promise<Server> {
  const data = options.data ?? (await folder());
  const args = ["serve", "--json", "--listen", options.listen ?? "127.0.0.1:0", "--data", data, "--workspace", await folder(), "--no-rate-limits", ...(options.args ?? [])];
  const child = spawn(inject("program"), args, { stdio: ["ignore", "pipe", process.env["PARLEY_LOGS"] ? "inherit" : "ignore"] });
  const gone = once(child, "exit");
  const kill = () => pull(child, gone);
  onTestFinished(kill);
  const ready = JSON.parse(await firstLine(child)) as { url: string; listen: string; token: string };
  const url = "http://" + ready.listen;
  return { ...ready, url, data, kill, client: (o = {}) => new Client({ url, token: ready.token, WebSocket, ...o }) };
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error("the program ended before it was ready");
}

async function pull(child: ChildProcess, gone: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  await gone;
}

/** Waits until a session's snapshot is as wanted. */
export function until(session: Session, wanted: (s: Snapshot) => boolean): Promise<Snapshot> {
  return new Promise((resolve) => {
    const look = () => {
      const snapshot = session.getSnapshot();
      if (!wanted(snapshot)) return;
      off();
      resolve(snapshot);
    };
    const off = session.subscribe(look);
    look();
  });
}
