import { ERROR_CODES } from "./types.gen.js";
import type { Ack, CommandFrame } from "./types.gen.js";
import { ServerError } from "./errors.js";

/** A command that the server has not acknowledged yet. */
export interface Sending {
  readonly id: string;
  readonly frame: CommandFrame;
}

interface Command extends Sending {
  text: string;
  round: number; // of the link on which it was last written
  expired: boolean; // it met an expired token once
  resolve(ack: Ack): void;
  reject(error: Error): void;
}

/**
 * Keeps commands until the server has answered, and writes them again on each
 * new link. The server acts on an id once, so that sending again is safe.
 */
export class Outbox {
  #commands: readonly Command[] = [];
  #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** What waits for its answer, oldest first. A new array whenever it changes. */
  get sending(): readonly Sending[] {
    return this.#commands;
  }

  /** Keeps a command; the promise is its answer. */
  add(frame: CommandFrame & { message_id: string }, text: string, signal: AbortSignal | undefined): Promise<Ack> {
    const id = frame.message_id;
    return new Promise((resolve, reject) => {
      const forget = () => {
        this.#remove(id);
        reject(signal?.reason);
      };
      const done = () => signal?.removeEventListener("abort", forget);
      signal?.addEventListener("abort", forget, { once: true });
      const command: Command = {
        id,
        frame,
        text,
        round: 0,
        expired: false,
        resolve: (ack) => (done(), resolve(ack)),
        reject: (error) => (done(), reject(error)),
      };
      this.#set([...this.#commands, command]);
    });
  }

  /** Writes what this link has not carried yet, in order. */
  write(round: number, write: (text: string) => void): void {
    for (const command of this.#commands) {
      if (command.round === round) continue;
      command.round = round;
      write(command.text);
    }
  }

  /**
   * Takes the server's answer. Some answers are not about the command: a server
   * that stops, or a token that has expired while another is to be had. Then
   * the command stays, and the error is given back, to give up the link for.
   */
  settle(ack: Ack, renewable: boolean): ServerError | undefined {
    const command = this.#commands.find((c) => c.id === ack.in_reply_to);
    if (!command) return undefined;
    if (ack.ok) {
      this.#remove(command.id);
      command.resolve(ack);
      return undefined;
    }
    const error = new ServerError(ack.error ?? UNEXPLAINED);
    if (staysFor(command, error, renewable)) return error;
    this.#remove(command.id);
    command.reject(error);
    return undefined;
  }

  /** Ends the wait of everyone. */
  clear(error: Error): void {
    const commands = this.#commands;
    if (commands.length === 0) return;
    this.#set([]);
    for (const command of commands) command.reject(error);
  }

  #remove(id: string): void {
    this.#set(this.#commands.filter((c) => c.id !== id));
  }

  #set(commands: readonly Command[]): void {
    this.#commands = commands;
    this.#changed();
  }
}

const UNEXPLAINED = {
  code: ERROR_CODES.WS_EXECUTION_FAILED,
  name: "WS_EXECUTION_FAILED",
  message: "the server refused the command and did not say why",
  recoverable: false,
};

/** Says whether a refused command may do better on another link: with another token it is tried once. */
function staysFor(command: Command, error: ServerError, renewable: boolean): boolean {
  if (error.code === ERROR_CODES.WS_CONNECTION_FAILED) return true;
  if (error.code !== ERROR_CODES.WS_TOKEN_EXPIRED) return false;
  const again = renewable && !command.expired;
  command.expired = true;
  return again;
}
