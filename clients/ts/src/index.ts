/**
 * Talks to a Parley server: join a session, see what happens in it, steer it.
 *
 * A lost connection is this package's business: it reconnects and resumes, every
 * record comes once and in order, and a command acts once, however often the
 * line was cut. It refuses to come back when the server asks it not to.
 */
export * from "./types.gen.js";
export { Client } from "./client.js";
export { Connection } from "./connection.js";
export type { ConnectionOptions, ConnectionState, SendOptions } from "./connection.js";
export { Session } from "./session.js";
export type { SessionOptions, Snapshot } from "./session.js";
export type { HitlResponse } from "./answers.js";
export { Store, immediately, perFrame } from "./store.js";
export type { Scheduler } from "./store.js";
export { cursorOf, fold } from "./fold/fold.js";
export { emptyView } from "./fold/view.js";
export type { Call, Checkpoint, Text, UIMessage, View } from "./fold/view.js";
export type { Span, Spans } from "./fold/spans.js";
export { isRecord, parse } from "./frames.js";
export type { FrameOf } from "./frames.js";
export { FROM_START, messageID, newID, sequence } from "./ids.js";
export { ClosedError, DisconnectedError, GaveUpError, MalformedError, ServerError, UnreachableError } from "./errors.js";
export { DEFAULT_URL } from "./options.js";
export type { ClientOptions, Reconnect } from "./options.js";
export type { Token } from "./credentials.js";
export type { Off } from "./handlers.js";
export type { Sending } from "./outbox.js";
export type { Socket, SocketConstructor } from "./socket.js";
export { API } from "./rest/api.js";
export { SessionAPI } from "./rest/session.js";
export type { CallOptions, Method, Query } from "./rest/transport.js";
export type {
  Answer, Branch, CheckpointItem, Condensing, Control, Counted, Done, ExportFormat, FileDiff, FileDiffs, Hit, Imported, ModelItem, ModelList, ModelMessage, NewFork, NewSession, Page,
  KeptFile, Plan, Restoring, RewindTo, Rewinding, SearchQuery, SecretList, Sent, SessionQuery, SessionSummary,
  Setting, SettingList, Settings, StoredMessage,
} from "./rest/shapes.js";
