import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { Client } from "../src/index.js";
import type { ClientOptions, CommandFrame, Connection, ConnectionState } from "../src/index.js";

/** One connection, seen from the server's side. */
export interface Line {
  /** What the client asked for. */
  query: URLSearchParams;
  /** The next command that is not a pong. */
  next(): Promise<CommandFrame>;
  send(frame: object | string): void;
  close(code: number, reason?: string): void;
  /** Ends it without a word. */
  cut(): void;
  closed: Promise<number>;
}

/** A server that does what a test tells it, over real sockets. */
export interface Peer {
  url: string;
  client(options?: ClientOptions): Client;
  /** The next connection that comes. */
  line(): Promise<Line>;
  /** How many have come. */
  count(): number;
}

export async function peer(): Promise<Peer> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  const lines = new Mailbox<Line>();
  let count = 0;
  server.on("connection", (socket, request) => {
    count++;
    lines.put(lineOf(socket, new URL(request.url!, "http://x").searchParams));
  });
  onTestFinished(() => {
    server.clients.forEach((socket) => socket.terminate());
    server.close();
  });
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const quick = { initialDelay: 1, maxDelay: 2 };
  return { url, line: () => lines.take(), count: () => count, client: (o = {}) => new Client({ url, WebSocket, reconnect: quick, ...o }) };
}

function lineOf(socket: WebSocket, query: URLSearchParams): Line {
  const commands = new Mailbox<CommandFrame>();
  socket.on("message", (data) => commands.put(JSON.parse(String(data)) as CommandFrame));
  return {
    query,
    next: () => commands.take(),
    send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
    closed: once(socket, "close").then(([code]) => code as number),
  };
}

/** Things that come and are waited for. */
class Mailbox<T> {
  #things: T[] = [];
  #waiting: ((thing: T) => void)[] = [];

  put(thing: T): void {
    const waits = this.#waiting.shift();
    if (waits) waits(thing);
    else this.#things.push(thing);
  }

  take(): Promise<T> {
    const thing = this.#things.shift();
    return thing !== undefined ? Promise.resolve(thing) : new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** Waits until a connection is in a state. */
export function reached(connection: Connection, state: ConnectionState): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (connection.state !== state) return;
      off();
      resolve();
    };
    const off = connection.watch(look);
    look();
  });
}
