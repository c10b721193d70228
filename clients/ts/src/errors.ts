import { CLOSE_CODES, ERROR_CODES } from "./types.gen.js";
import type { ProtocolError } from "./types.gen.js";

/** What the server said went wrong: with a command, a call or a connection. */
export class ServerError extends Error {
  override readonly name: string = "ServerError";
  readonly code: number;
  /** The code as a word, such as WS_FORBIDDEN. */
  readonly word: string;
  /** The same may work another time. */
  readonly recoverable: boolean;
  readonly suggestedAction: string | undefined;
  readonly context: { [key: string]: unknown };
  /** The HTTP status, of a REST call. */
  readonly status: number | undefined;

  constructor(error: ProtocolError, status?: number) {
    super(error.message);
    this.code = error.code;
    this.word = error.name;
    this.recoverable = error.recoverable;
    this.suggestedAction = error.suggested_action;
    this.context = error.context ?? {};
    this.status = status;
  }

  /** It is about who is calling: another token may help. */
  get aboutAuth(): boolean {
    const { WS_AUTH_REQUIRED, WS_AUTH_FAILED, WS_TOKEN_EXPIRED } = ERROR_CODES;
    return this.code === WS_AUTH_REQUIRED || this.code === WS_AUTH_FAILED || this.code === WS_TOKEN_EXPIRED;
  }

  /** How long a server that was asked too often wants to be left alone. */
  get retryAfterMs(): number {
    const ms = Number(this.context["retry_after_ms"]);
    return ms > 0 ? ms : 0;
  }
}

/** The connection ended, by the server's word or by the network's (1006). */
export class ClosedError extends Error {
  override readonly name = "ClosedError";
  readonly code: number;
  readonly reason: string;
  /** What the server said before it closed. */
  readonly said: ServerError | undefined;
  /** Why, without the number: for people. */
  readonly why: string;

  constructor(code: number, reason: string, said?: ServerError) {
    const why = said?.message || reason || docOf(code);
    super(`the connection was closed (${code})${why ? ": " + why : ""}`);
    this.code = code;
    this.reason = reason;
    this.said = said;
    this.why = why;
  }
}

/** This side closed the connection: what was not acknowledged may have been acted on or not. */
export class DisconnectedError extends Error {
  override readonly name = "DisconnectedError";
}

/** The last retry failed too; `cause` says how. */
export class GaveUpError extends Error {
  override readonly name = "GaveUpError";
  constructor(retries: number, cause: Error) {
    super(`gave up reconnecting after ${retries} retries: ${cause.message}`, { cause });
  }
}

/** The server sent something that is not a frame of this protocol. */
export class MalformedError extends Error {
  override readonly name = "MalformedError";
}

/** The server cannot be reached, or is silent. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** What the end of a connection means for the next one. */
export interface Verdict {
  /** Coming back would not help… */
  final: boolean;
  /** …unless with another token. */
  auth: boolean;
  /** Not before this many milliseconds. */
  after: number;
}

/** Judges the end of a connection. What is not the server's own word is the network's fault, and passes. */
export function judge(cause: Error): Verdict {
  if (cause instanceof ClosedError) {
    const { said } = cause;
    return {
      final: !comesBack(cause.code) || (said !== undefined && !said.recoverable),
      auth: cause.code === 4500 || (said?.aboutAuth ?? false),
      after: said?.retryAfterMs ?? 0,
    };
  }
  if (cause instanceof ServerError) {
    return { final: cause.aboutAuth || !cause.recoverable, auth: cause.aboutAuth, after: cause.retryAfterMs };
  }
  return { final: false, auth: false, after: 0 };
}

/** Says whether a close code asks the client to come back. */
export function comesBack(code: number): boolean {
  const row = (CLOSE_CODES as { [code: number]: { reconnect: boolean } | undefined })[code];
  return row ? row.reconnect : code < 4500;
}

function docOf(code: number): string {
  const row = (CLOSE_CODES as { [code: number]: { doc: string } | undefined })[code];
  return row?.doc ?? "";
}
