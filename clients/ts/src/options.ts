import type { Token } from "./credentials.js";
import type { SocketConstructor } from "./socket.js";

/** Where a server on the same machine listens. */
export const DEFAULT_URL = "http://127.0.0.1:7717";

/** Says where the server is and who calls. */
export interface ClientOptions {
  /**
   * The server: http, https, ws or wss, with a path if it is behind one. A
   * `?token=` in it counts as the token, so that the address that the server
   * prints can be used as it is. In a browser the page's own server, if left out.
   */
  url?: string;
  /**
   * A token or an API key; or what gives one: it is asked at first, and again
   * each time the server has refused what it gave before.
   */
  token?: Token;
  reconnect?: Partial<Reconnect>;
  /** How long one attempt to connect may take; 30 s. */
  connectTimeoutMs?: number;
  /** How long the server may be silent before the connection counts as lost; 75 s, which is two heartbeats and a half. */
  idleTimeoutMs?: number;
  /** The largest frame that is sent; 1 MiB, the server's own limit. */
  maxFrameBytes?: number;
  /** What makes WebSockets, where there is no global one: `ws` on Node 20. */
  WebSocket?: SocketConstructor;
  fetch?: typeof fetch;
}

/** How often and how soon a lost connection is tried again. Reaching the session's state starts the count anew. */
export interface Reconnect {
  /** In a row; 5. Infinity: without end. */
  maxRetries: number;
  /** 1000 ms. */
  initialDelay: number;
  /** 30000 ms. */
  maxDelay: number;
  /** 2: after 1, 2, 4, 8, 16 seconds. */
  backoffMultiplier: number;
  /** The share of a delay that is added at random, so that not all clients of a server come back at once; 0.1. */
  jitter: number;
}

export const RECONNECT: Reconnect = {
  maxRetries: 5,
  initialDelay: 1000,
  maxDelay: 30_000,
  backoffMultiplier: 2,
  jitter: 0.1,
};

/** How long to wait before retry number n, counted from 0. */
export function delay(r: Reconnect, n: number, random = Math.random): number {
  const base = Math.min(r.initialDelay * r.backoffMultiplier ** n, r.maxDelay);
  return base + base * r.jitter * random();
}

/** Reads the server's address: where its calls begin, and the token that stood in it. */
export function readURL(given: string | undefined): { base: URL; token: string | undefined } {
  const page = typeof location === "undefined" || !location.host ? undefined : location.origin;
  let base: URL;
  try {
    base = new URL(given ?? page ?? DEFAULT_URL, page);
  } catch {
    throw new TypeError(`the server's URL cannot be read; one that can is ${DEFAULT_URL}`);
  }
  if (!/^(http|ws)s?:$/.test(base.protocol)) {
    throw new TypeError(`the server's URL must begin with http:// or https://, as ${DEFAULT_URL} does`);
  }
  base.protocol = base.protocol.replace("ws", "http");
  const token = base.searchParams.get("token") ?? undefined;
  base.search = base.hash = "";
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  return { base, token };
}
