import { Connection } from "./connection.js";
import type { ConnectionOptions } from "./connection.js";
import { Credentials } from "./credentials.js";
import { readURL } from "./options.js";
import type { ClientOptions } from "./options.js";
import { API } from "./rest/api.js";
import { Transport } from "./rest/transport.js";
import { Session } from "./session.js";
import type { SessionOptions } from "./session.js";

/** Reaches one server. It holds no connection of its own and needs no closing. */
export class Client {
  /** The REST calls. */
  readonly api: API;
  #base: URL;
  #credentials: Credentials;
  #options: ClientOptions;

  constructor(options: ClientOptions = {}) {
    const { base, token } = readURL(options.url);
    this.#base = base;
    this.#options = options;
    this.#credentials = new Credentials(options.token ?? token);
    this.api = new API(new Transport(base, this.#credentials, options.fetch));
  }

  /** A session to look at and to steer. It is not connected yet. */
  session(id: string, options: ConnectionOptions & SessionOptions = {}): Session {
    return new Session(this.connection(id, options), this.api.session(id), options);
  }

  /** A session's frames as they come, without a view. It is not connected yet. */
  connection(id: string, options: ConnectionOptions = {}): Connection {
    return new Connection(id, this.#base, this.#credentials, this.#options, options);
  }
}
