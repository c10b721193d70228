import type { Credentials } from "../credentials.js";
import { ServerError, UnreachableError } from "../errors.js";
import { newID } from "../ids.js";
import type { ProtocolError } from "../types.gen.js";

export type Query = { readonly [name: string]: string | number | boolean | undefined };

export interface CallOptions {
  query?: Query | undefined;
  /** Sent as JSON; a Blob, a buffer or a string is sent as it is. */
  body?: unknown;
  /** The call acts once under this key, however often it is made. A write gets one of its own if none is given. */
  key?: string | undefined;
  signal?: AbortSignal | undefined;
}

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** Makes REST calls: shows the token, asks once for another when it is refused, and turns problems into ServerErrors. */
export class Transport {
  readonly base: URL;
  #credentials: Credentials;
  #fetch: typeof fetch;

  constructor(base: URL, credentials: Credentials, given?: typeof fetch) {
    this.base = base;
    this.#credentials = credentials;
    this.#fetch = given ?? ((input, init) => fetch(input, init));
  }

  /** Makes a call whose answer is JSON, or nothing. */
  async json<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
    const response = await this.call(method, path, options);
    if (response.status === 204) return undefined as T;
    return (await response.json()) as T;
  }

  /** Makes a call and gives the answer as it is. */
  async call(method: Method, path: string, options: CallOptions = {}): Promise<Response> {
    const key = options.key ?? (method === "GET" ? undefined : newID()); // the same for both tries
    const token = await this.#credentials.get();
    const first = await this.#once(method, path, { ...options, key }, token);
    if (first.status !== 401) this.#credentials.accept(token);
    if (first.status !== 401 || !(await this.#credentials.renew(token))) return checked(first);
    return checked(await this.#once(method, path, { ...options, key }, await this.#credentials.get()));
  }

  async #once(method: Method, path: string, { query, body, key, signal }: CallOptions, token: string | undefined): Promise<Response> {
    const url = new URL("api/v1/" + path, this.base);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
    }
    const raw = typeof body === "string" || body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body);
    const headers = new Headers({ Accept: "application/json, application/problem+json;q=0.9, */*;q=0.5" });
    if (token !== undefined) headers.set("Authorization", "Bearer " + token);
    if (body !== undefined) headers.set("Content-Type", raw ? "application/octet-stream" : "application/json");
    if (key !== undefined) headers.set("Idempotency-Key", key);
    const init: RequestInit = { method, headers, signal: signal ?? null };
    if (body !== undefined) init.body = raw ? (body as BodyInit) : JSON.stringify(body);
    try {
      return await this.#fetch(url, init);
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw new UnreachableError(`cannot reach the server at ${this.base.origin}`, { cause });
    }
  }
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = await response.text();
  throw new ServerError(problemOf(text) ?? foreign(response), response.status);
}

/** Reads an error as RFC 9457 has it, with the protocol's own code. */
function problemOf(text: string): ProtocolError | undefined {
  try {
    const p = JSON.parse(text) as ProtocolError & { title?: string; detail?: string };
    return p.code ? { ...p, message: p.detail ?? p.message ?? p.title ?? p.name } : undefined;
  } catch {
    return undefined;
  }
}

/** An answer that is not from a Parley server, or from something in front of it. */
function foreign(response: Response): ProtocolError {
  return {
    code: 0,
    name: "HTTP_" + response.status,
    message: `the server answered ${response.status} ${response.statusText}: is it a Parley server?`,
    recoverable: response.status >= 500,
  };
}
