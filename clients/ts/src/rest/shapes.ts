import type { UIMessage } from "../fold/view.js";
import type { Ask, FileChange, Pipeline, PlanChange, PlanState, Remember, Role, Say, Status, Todo, ToolClass, Usage } from "../types.gen.js";

/** A page of a list that goes on at a cursor. */
export interface Page<T> {
  items: T[];
  /** Give it as cursor for what follows; missing at the end. */
  next_cursor?: string;
  /** The index is being rebuilt; ask again later. */
  incomplete?: boolean;
}

/** A page of a list that is counted. */
export interface Counted<T> {
  items: T[];
  /** How many there are on all pages. */
  total: number;
}

export interface NewSession {
  /** An id of your own; the server makes one if there is none. */
  session_id?: string;
  title?: string;
  workspace?: string;
  model?: string;
  pipeline?: Pipeline;
  mode?: string;
  /** Kinds of tools that run without asking. */
  auto_approve?: ToolClass[];
  /** When a person has to look at a plan before it runs: always, never, or over:USD. */
  plan_review?: string;
}

export interface SessionSummary {
  session_id: string;
  owner: string;
  title: string;
  status: Status;
  created_at: string;
  updated_at: string;
  message_count: number;
  usage: Usage;
  /** How many bytes its records have. */
  size?: number;
  pinned?: boolean;
  keep_days?: number;
  workspace?: string;
  model?: string;
  mode?: string;
  parent_id?: string;
  root_id?: string;
  forked_from?: string;
  child_ids?: string[];
  awaiting_child_id?: string;
  completed_by_child_id?: string;
  /** How its last answer begins. */
  summary?: string;
}

export interface SessionQuery {
  /** A part of the title or of the id. */
  q?: string;
  status?: Status;
  owner?: string;
  limit?: number;
  cursor?: string;
}

export interface SearchQuery {
  q: string;
  /** In this session only. */
  session?: string;
  limit?: number;
  cursor?: string;
}

/** A message that a search found. */
export interface Hit {
  session_id: string;
  /** Of the session. */
  title?: string;
  message_id: string;
  /** One line, with what was found between « and ». */
  snippet: string;
  timestamp: string;
  say?: Say;
  ask?: Ask;
  role?: Role;
  agent_id?: string;
  /** The message was rewound. */
  hidden?: boolean;
}

/** What became of a message. */
export interface Sent {
  message_id: string;
  status: "accepted" | "queued";
}

/** Which record a command gave; none if nothing had to change. */
export interface Done {
  message_id?: string;
}

export type { UIMessage };

/** One line of the conversation as the message store shows it, long inputs and outputs cut. */
export interface StoredMessage {
  role: Role;
  type: "text" | "tool_start" | "tool_complete" | "error" | "result";
  content?: string;
  toolName?: string;
  toolInput?: unknown;
  success?: boolean;
  output?: string;
  error?: string;
  /** Seconds. */
  duration?: number;
  inputTokens?: number;
  outputTokens?: number;
  /** Milliseconds since 1970. */
  timestamp: number;
}

/** A message as a model is told it, whoever makes the model. */
export interface ModelMessage {
  role: string;
  content: unknown;
  /** The summary or window that keeps it from the model. */
  hidden_by?: string;
  [field: string]: unknown;
}

export interface Condensing {
  condense_id: string;
  prev_context_tokens: number;
  new_context_tokens: number;
}

/** Where to rewind to: a record, or a visible message by its ts or its index. */
export interface RewindTo {
  to?: string;
  ts?: number;
  index?: number;
  /** Keeps the target itself. */
  include_target?: boolean;
  /** Takes the workspace back too. */
  files?: boolean;
  /** Only says what would happen. */
  preview?: boolean;
}

/** What a rewind did, or would do. */
export interface Rewinding {
  /** Missing in a preview. */
  rewind_id?: string;
  head: string;
  messages_hidden: number;
  messages_shown: number;
  todos_changed: number;
  /** What the session's is then. */
  status: Status;
  files: FileChange[];
  /** Files that a person has changed meanwhile and that stay as they are. */
  kept?: KeptFile[];
}

/** A file that was not taken back. */
export interface KeptFile {
  path: string;
  reason: string;
  /** Where the version lies that would have taken its place. */
  offer?: string;
}

/** One of the ways that a session has gone. Rewinding to its head, with the target kept, goes back there. */
export interface Branch {
  head: string;
  current: boolean;
  /** The rewind that left it; missing for the current one. */
  left_by?: string;
  /** The first record that is not on the current one. */
  since?: string;
  records: number;
  updated_at: string;
  /** How the last thing said by a person there begins. */
  words?: string;
}

export interface NewFork {
  at?: string;
  session_id?: string;
  title?: string;
}

export interface CheckpointItem {
  id: string;
  hash: string;
  created_at: string;
  reason: string;
  message_id: string;
  files_changed: number;
  /** Not all files could be looked at in time. */
  incomplete?: boolean;
  /** Some files that lie there and are not in it. */
  not_captured?: string[];
  /** How many more such files there are. */
  not_captured_more?: number;
  /** It was rewound. */
  hidden?: boolean;
}

export interface FileDiff {
  path: string;
  /** Of a file that was renamed. */
  old_path?: string;
  /** added, modified, deleted, renamed or type. */
  change: string;
  /** The content, where there is some and it is a text that is not too large. */
  before?: string;
  after?: string;
  patch: string;
  binary?: boolean;
  too_large?: boolean;
  /** What kind of file it was and is, as git has it: 100644, 100755, 120000. */
  mode_before?: string;
  mode_after?: string;
}

/** How files differ between two moments. */
export interface FileDiffs {
  items: FileDiff[];
  /** There are more files than are listed. */
  more?: boolean;
}

/** What taking files back did, or would do: a rewind of the files. */
export type Restoring = Rewinding;

export interface Plan extends PlanState {
  todos: Todo[];
}

/** An answer to a request: `action` for a plan review or an approval, `value` for the others. */
export interface Answer {
  action?: string;
  value?: unknown;
  instruction?: string;
  comment?: string;
  reason?: string;
  remember?: Remember;
}

export interface Control {
  action: "pause" | "resume" | "cancel" | "retry" | "skip";
  todo_id?: string;
  reason?: string;
  modifications?: PlanChange[];
}

export type ExportFormat = "archive" | "roo" | "yaar" | "store" | "markdown" | "jsonl" | "ipynb";

/** What came of an import. */
export interface Imported {
  session_id: string;
  records: number;
  /** What could not be taken as it was. */
  report: { problems: { file?: string; line?: number; index?: number; problem: string }[]; more?: number };
}

export type Settings = { [name: string]: unknown };

/** One setting as it holds for the caller. */
export interface Setting {
  key: string;
  value: unknown;
  /** Where the value comes from: default, file, environment, flag, server, owner or session. */
  layer: string;
  /** Who can set it: server, owner or session. */
  scope: string;
  type: string;
  default: unknown;
  /** The words that it may be, or hold. */
  allowed?: string[];
  minimum?: number;
  maximum?: number;
  /** Part of the value is a secret, and not shown. */
  masked?: boolean;
  /** A change counts from the next start of the server. */
  next_start?: boolean;
  description: string;
  since: string;
}

/** Everything about the caller's settings. */
export interface SettingList {
  items: Setting[];
  /** The values alone. */
  settings: Settings;
  /** What is written somewhere and cannot be used. */
  problems: { file: string; key?: string; line?: number; text: string }[];
}

/** A model that a session can name. What nobody knows of it is missing. */
export interface ModelItem {
  name: string;
  /** The word before the rest of the name. */
  provider: string;
  /** Tokens, of input and output. */
  context_window?: number;
  /** Tokens of one answer. */
  max_output?: number;
  /** Prices are in US dollars for a million tokens. */
  input_price?: number;
  output_price?: number;
  cache_read_price?: number;
  cache_write_price?: number;
  /** It can look at pictures. */
  images?: boolean;
  /** It can think before it answers. */
  reasoning?: boolean;
  /** Nothing is missing to call it, such as its key. */
  available: boolean;
  /** What is missing, and what to do. */
  reason?: string;
  /** Of auto: the model that it means now. */
  stands_for?: string;
}

/** What there is to choose from. */
export interface ModelList {
  items: ModelItem[];
  /** Why the models of some providers are not in the list. */
  unknown: string[];
}

/** The names of the secrets. */
export interface SecretList {
  items: { name: string }[];
  /** Where the key lies that they are encrypted with: keyring, file or nowhere. */
  key: string;
}
