/** A token, or what gives one. */
export type Token = string | (() => string | Promise<string>);

/** How long a token counts as new: one that was good and is refused sooner would be refused again and again. */
const FRESH_MS = 5000;

/** Holds the token that is good now, for all connections and calls of a client. */
export class Credentials {
  #now: string | undefined;
  #fetch: (() => string | Promise<string>) | undefined;
  #asking: Promise<string> | undefined;
  #fetched = -Infinity;
  #accepted = false; // the server has taken this token
  #renewed = false; // it is the second one, and the first was refused

  constructor(token: Token | undefined) {
    if (typeof token === "function") this.#fetch = token;
    else this.#now = token || undefined;
  }

  /** Says whether another token may be had. */
  get renewable(): boolean {
    return this.#fetch !== undefined;
  }

  /** Gives the token to show; undefined if there is none. */
  async get(): Promise<string | undefined> {
    if (this.#now === undefined && this.#fetch) return this.#ask(this.#fetch);
    return this.#now;
  }

  /** Notes that the server took a token. */
  accept(token: string | undefined): void {
    if (token !== this.#now) return;
    this.#accepted = true;
    this.#renewed = false;
  }

  /** Replaces a token that the server refused, once: it says whether there is another one to try. */
  async renew(refused: string | undefined): Promise<boolean> {
    if (!this.#fetch) return false;
    if (this.#asking) await this.#asking;
    if (this.#now !== refused) return true; // somebody else has been here
    const fresh = performance.now() - this.#fetched < FRESH_MS;
    if (this.#renewed || (this.#accepted && fresh)) return false;
    await this.#ask(this.#fetch);
    this.#renewed = true;
    return true;
  }

  /** Asks once, however many wait for the answer. */
  #ask(fetch: () => string | Promise<string>): Promise<string> {
    this.#asking ??= (async () => {
      try {
        this.#now = await fetch();
        this.#fetched = performance.now();
        this.#accepted = false;
        return this.#now;
      } catch (cause) {
        throw new Error(`no token could be had: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      } finally {
        this.#asking = undefined;
      }
    })();
    return this.#asking;
  }
}
