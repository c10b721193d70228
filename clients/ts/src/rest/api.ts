import type { SessionState } from "../types.gen.js";
import { SessionAPI } from "./session.js";
import type { ExportFormat, Hit, Imported, ModelList, NewSession, Page, SearchQuery, SecretList, SessionQuery, SessionSummary, SettingList, Settings } from "./shapes.js";
import type { CallOptions, Method, Transport } from "./transport.js";

/** The REST calls of a server. Errors are ServerErrors, as on a connection. */
export class API {
  #http: Transport;

  constructor(http: Transport) {
    this.#http = http;
  }

  /** The calls of one session. */
  session(id: string): SessionAPI {
    return new SessionAPI(this.#http, id);
  }

  create(session: NewSession = {}, key?: string): Promise<SessionState> {
    return this.#http.json("POST", "sessions", { body: session, key });
  }

  /** The sessions the caller may see, the last changed first. */
  sessions(query: SessionQuery = {}): Promise<Page<SessionSummary>> {
    return this.#http.json("GET", "sessions", { query: { ...query } });
  }

  /** Finds words in conversations, the newest first. */
  search(query: SearchQuery): Promise<Page<Hit>> {
    return this.#http.json("GET", "search", { query: { ...query } });
  }

  /** Takes in a session from a file that an export gave; a folder is sent as a tar or a zip. */
  import(file: Blob | Uint8Array | string, format: ExportFormat = "archive", as?: string): Promise<Imported> {
    return this.#http.json("POST", "import", { query: { format, as }, body: file });
  }

  /** What a session can name as its model, in the order of the providers. Other names may work too. */
  models(): Promise<ModelList> {
    return this.#http.json("GET", "models");
  }

  /** The caller's settings; with a session, as they hold in it. What holds there alone is changed by updating the session. */
  settings(session?: string): Promise<SettingList> {
    return this.#http.json("GET", "settings", { query: { session } });
  }

  /** Changes what is named; null goes back to the default. With `check` it only says whether the change would be accepted. */
  updateSettings(settings: Settings, check?: boolean): Promise<SettingList> {
    return this.#http.json("PATCH", "settings", { query: { check }, body: { settings } });
  }

  /** The names of the secrets; what they are stays in the server. */
  secrets(): Promise<SecretList> {
    return this.#http.json("GET", "secrets");
  }

  setSecret(name: string, value: string): Promise<void> {
    return this.#http.json("PUT", "secrets/" + encodeURIComponent(name), { body: { value } });
  }

  deleteSecret(name: string): Promise<void> {
    return this.#http.json("DELETE", "secrets/" + encodeURIComponent(name));
  }

  async report(id: string, name: string): Promise<Blob> {
    return (await this.#http.call("GET", `reports/${encodeURIComponent(id)}/${encodeURIComponent(name)}`)).blob();
  }

  /** Makes a call for which there is no method here: path is below /api/v1/. */
  call<T>(method: Method, path: string, options?: CallOptions): Promise<T> {
    return this.#http.json(method, path, options);
  }

  /** Gives the items of all pages, one after the other: `all((cursor) => api.sessions({ cursor }))`. */
  async *all<T>(list: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T> {
    let cursor: string | undefined;
    do {
      const page = await list(cursor);
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }
}
