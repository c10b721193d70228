/** The real server, to be started, killed and started again. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { inject } from "vitest";

interface Ready {
  listen: string;
  url: string;
  token: string;
}

/** Which models there are must not depend on who runs the tests. */
const KEYS = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", OPENAI_API_KEY: "", OPENAI_BASE_URL: "", OLLAMA_HOST: "", PARLEY_MODELS: "", PARLEY_AGENTS: "" };

export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), "parley-page-"));
  readonly workspace = join(this.folder, "work");
  ready!: Ready;
  model: string;
  #process: ChildProcess | undefined;

  constructor(model = "offline") {
    this.model = model;
    this.write("work/notes.txt", "buy milk\n");
    this.write("work/reviews.csv", "id,stars,text\n1,5,good\n2,3,fine\n3,1,bad\n");
  }

  /** Puts a file below the server's folder. */
  write(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Starts it; the second time where it was before. */
  async start(): Promise<this> {
    const listen = this.ready?.listen ?? "127.0.0.1:0";
    const args = ["serve", "--json", "--listen", listen, "--data", join(this.folder, "data"), "--workspace", this.workspace, "--model", this.model];
    const child = spawn(inject("program"), args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...KEYS } });
    this.#process = child;
    const said: string[] = [];
    child.stderr!.on("data", (d: Buffer) => said.push(String(d)));
    this.ready = await new Promise<Ready>((ok, no) => {
      createInterface(child.stdout!).once("line", (line) => ok(JSON.parse(line) as Ready));
      child.once("exit", (code) => no(new Error(`the server ended with ${code}: ${said.join("").slice(-2000)}`)));
    });
    return this;
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async close(): Promise<void> {
    await this.#end("SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
  }

  #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null) return Promise.resolve();
    return new Promise((done) => {
      child.once("exit", () => done());
      child.kill(signal);
    });
  }

  /** The address of the page, with or without the token. */
  at(path = "/", token = true): string {
    return `http://${this.ready.listen}${path}${token ? `?token=${this.ready.token}` : ""}`;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`http://${this.ready.listen}/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.ready.token}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}
