import type { OpenRequest, PlanChange, RecordFrame, SessionState, UpdateSession, UserMessage } from "../types.gen.js";
import type {
  Answer, Branch, CheckpointItem, Condensing, Control, Counted, Done, ExportFormat, FileDiffs, ModelMessage, NewFork, Page, Plan, Restoring,
  RewindTo, Rewinding, Sent, StoredMessage, UIMessage,
} from "./shapes.js";
import type { Transport } from "./transport.js";

/** The REST calls of one session. A write takes a key under which it acts once. */
export class SessionAPI {
  readonly id: string;
  #http: Transport;
  #path: string;

  constructor(http: Transport, id: string) {
    this.#http = http;
    this.id = id;
    this.#path = "sessions/" + encodeURIComponent(id);
  }

  /** The session as it is now. */
  state(): Promise<SessionState> {
    return this.#http.json("GET", this.#path);
  }

  update(change: UpdateSession, key?: string): Promise<SessionState> {
    return this.#http.json("PATCH", this.#path, { body: change, key });
  }

  /** Removes the session for good. */
  delete(): Promise<void> {
    return this.#http.json("DELETE", this.#path);
  }

  /** Says something to the agent, without a connection. */
  say(message: UserMessage, key?: string): Promise<Sent> {
    return this.#http.json("POST", this.#path + "/messages", { body: message, key });
  }

  /** The asks and says, counted from the oldest. */
  uiMessages(page: { limit?: number; offset?: number } = {}): Promise<Counted<UIMessage>> {
    return this.#http.json("GET", this.#path + "/messages", { query: { ...page, view: "ui" } });
  }

  /** The conversation in short. */
  messages(page: { limit?: number; offset?: number } = {}): Promise<Counted<StoredMessage>> {
    return this.#http.json("GET", this.#path + "/messages", { query: page });
  }

  /** The journal after a cursor, hidden records too; give next_cursor as after to read on. */
  events(page: { after?: string; limit?: number } = {}): Promise<Page<RecordFrame>> {
    return this.#http.json("GET", this.#path + "/events", { query: page });
  }

  /** What a model is told of the past. */
  modelHistory(agent?: string): Promise<Page<ModelMessage>> {
    return this.#http.json("GET", this.#path + "/history/model", { query: { agent } });
  }

  condense(key?: string): Promise<Condensing> {
    return this.#http.json("POST", this.#path + "/condense", { body: {}, key });
  }

  rewind(to: RewindTo, key?: string): Promise<Rewinding> {
    return this.#http.json("POST", this.#path + "/rewind", { body: to, key });
  }

  /** Takes a rewind back: the latest if none is named. */
  undo(rewindID?: string, key?: string): Promise<Rewinding> {
    return this.#http.json("POST", this.#path + "/rewind/undo", { body: rewindID ? { rewind_id: rewindID } : {}, key });
  }

  branches(): Promise<Page<Branch>> {
    return this.#http.json("GET", this.#path + "/branches");
  }

  /** Makes a new session from this one: up to its head, if no record is named. */
  fork(fork: NewFork = {}, key?: string): Promise<SessionState> {
    return this.#http.json("POST", this.#path + "/fork", { body: fork, key });
  }

  /** The kept states of the files, the newest first. */
  checkpoints(page: { limit?: number; cursor?: string } = {}): Promise<Page<CheckpointItem>> {
    return this.#http.json("GET", this.#path + "/checkpoints", { query: page });
  }

  /** What changed between two checkpoints; without `to`, until now. */
  diff(from: string, to?: string): Promise<FileDiffs> {
    return this.#http.json("GET", this.#path + "/checkpoints/diff", { query: { from, to } });
  }

  /** What the tool before a checkpoint changed. */
  changes(checkpoint: string): Promise<FileDiffs> {
    return this.#http.json("GET", this.#path + "/checkpoints/diff", { query: { of: checkpoint } });
  }

  /** Takes files back to a checkpoint, and the conversation with them if wanted. */
  restore(checkpoint: string, how: { conversation?: boolean; preview?: boolean } = {}, key?: string): Promise<Restoring> {
    return this.#http.json("POST", `${this.#path}/checkpoints/${encodeURIComponent(checkpoint)}/restore`, { body: how, key });
  }

  plan(): Promise<Plan> {
    return this.#http.json("GET", this.#path + "/plan");
  }

  editPlan(changes: PlanChange[], key?: string): Promise<Done> {
    return this.#http.json("PATCH", this.#path + "/plan", { body: { changes }, key });
  }

  /** What people are asked, the oldest first. */
  requests(): Promise<Page<OpenRequest>> {
    return this.#http.json("GET", this.#path + "/requests");
  }

  answer(request: string, answer: Answer, key?: string): Promise<Done> {
    return this.#http.json("POST", `${this.#path}/requests/${encodeURIComponent(request)}`, { body: answer, key });
  }

  control(control: Control, key?: string): Promise<Done> {
    return this.#http.json("POST", this.#path + "/control", { body: control, key });
  }

  async export(format: ExportFormat = "archive"): Promise<Blob> {
    return (await this.#http.call("GET", this.#path + "/export", { query: { format } })).blob();
  }

  /** What was too long for a record, by the hash that the record names. */
  async blob(hash: string): Promise<Blob> {
    return (await this.#http.call("GET", `${this.#path}/blobs/${encodeURIComponent(hash.replace(/^blob:/, ""))}`)).blob();
  }
}
