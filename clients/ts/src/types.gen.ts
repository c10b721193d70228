// Generated from package protocol by `make generate`; do not edit.

export const PROTOCOL_VERSION = "1.0";

/** Says what lets a tool call run. */
export type Approval =
  | "auto"
  | "ask"
  | "core"
  | "none";

/** A question to a person, inside a message. */
export type Ask =
  | "followup"
  | "command"
  | "command_output"
  | "completion_result"
  | "tool"
  | "api_req_failed"
  | "resume_task"
  | "resume_completed_task"
  | "mistake_limit_reached"
  | "browser_action_launch"
  | "use_mcp_server"
  | "auto_approval_max_req_reached";

/** Says what an open ask means for the session. */
export type AskClass =
  | "idle"
  | "resumable"
  | "interactive"
  | "non_blocking";

/** Says what a change does to a todo. */
export type ChangeAction =
  | "add"
  | "remove"
  | "update";

/** Says what running a tool twice would mean. */
export type Effect =
  | "read"
  | "idempotent"
  | "effect";

/** The kind of answer a request wants. */
export type InputType =
  | "text"
  | "choice"
  | "multi_choice"
  | "number"
  | "confirm"
  | "date";

/** A stage of a turn. */
export type Layer =
  | "cognitive"
  | "planning"
  | "execution"
  | "response";

/** Tells a new message from a new version of one (same ts). */
export type MessageAction =
  | "created"
  | "updated";

/** Says whether a message asks for an answer or only says something. */
export type MessageKind =
  | "ask"
  | "say";

/** How a session's turns are worked on. */
export type Pipeline =
  | "auto"
  | "direct"
  | "planned";

/** Tells a plan from a list. */
export type PlanKind =
  | "checklist";

/** The state of a plan. */
export type PlanStatus =
  | "pending_approval"
  | "approved"
  | "completed"
  | "failed"
  | "rejected"
  | "cancelled";

/** Says how long an approval holds. */
export type Remember =
  | "once"
  | "session"
  | "always"
  | "never";

/** Who speaks. */
export type Role =
  | "user"
  | "assistant"
  | "system";

/** Something told, inside a message. */
export type Say =
  | "api_req_started"
  | "api_req_finished"
  | "api_req_retried"
  | "api_req_retry_delayed"
  | "api_req_deleted"
  | "error"
  | "text"
  | "image"
  | "reasoning"
  | "completion_result"
  | "user_feedback"
  | "user_feedback_diff"
  | "command_output"
  | "subtask_result"
  | "browser_action"
  | "browser_action_result"
  | "browser_session_status"
  | "mcp_server_request_started"
  | "mcp_server_response"
  | "condense_context"
  | "condense_context_error"
  | "sliding_window_truncation"
  | "checkpoint_saved"
  | "shell_integration_warning"
  | "rooignore_error"
  | "diff_error"
  | "codebase_search_result"
  | "user_edit_todos"
  | "cell_executed"
  | "kernel_status";

/** The state of a session. The last three say how its last turn ended; the session takes new messages all the same. */
export type Status =
  | "idle"
  | "executing"
  | "waiting"
  | "paused"
  | "completed"
  | "failed"
  | "cancelled";

/** A session's status in the words of an editor's task list. */
export type TaskState =
  | "idle"
  | "active"
  | "interactive"
  | "resumable";

/** The state of a todo. */
export type TodoStatus =
  | "pending"
  | "in_progress"
  | "completed"
  | "failed"
  | "skipped"
  | "cancelled";

/** Groups tools by what a person would want to be asked about. */
export type ToolClass =
  | "read"
  | "write"
  | "execute"
  | "browser"
  | "mcp";

/** Says what becomes of a message that comes while the agent works. */
export type When =
  | "steer"
  | "queue"
  | "interrupt";

/** An answer that can be picked: a plain word, or a value with its label. */
export type RequestOption = string | { value: string; label: string };

/** Answers a command that carried its own message_id. */
export interface Ack {
  /** The client's message_id that it answers. */
  in_reply_to: string;
  ok: boolean;
  /** The first record the command gave. */
  message_id?: string;
  /** What REST answers to the same command, where it answers more than that it was done. */
  result?: unknown;
  /** What went wrong. */
  error?: ProtocolError;
}

/** One change of the desktop. */
export interface Action {
  /** Such as window.create, window.set_content, notification.show. */
  type: string;
  /** The window. */
  window_id?: string;
  params?: unknown;
}

/** What an agent does to the desktop, in order. */
export interface Actions {
  actions: Action[];
  /** The turn it belongs to. */
  turn_id?: string;
}

/** One worker of a session. */
export interface Agent {
  /** The agent that does it. */
  agent_id: string;
  kind: string;
  /** The monitor it belongs to. */
  monitor_id?: string;
  status: string;
}

/** Says that the app in a window takes requests. */
export interface AppProtocolReady {
  /** The window. */
  window_id: string;
  manifest?: unknown;
}

/** Asks the app in a window for its state, or to do something. */
export interface AppProtocolRequest {
  /** The request. */
  request_id: string;
  /** The window. */
  window_id: string;
  /** Manifest, query or command. */
  kind: string;
  name?: string;
  params?: unknown;
  timeout_ms?: number;
}

/** What the app in a window answers. */
export interface AppProtocolResponse {
  /** The request. */
  request_id: string;
  /** The window. */
  window_id: string;
  response?: unknown;
  /** What went wrong. */
  error?: string;
}

/** A file that belongs to an answer. */
export interface Attachment {
  type: string;
  /** A title for people. */
  title?: string;
  url: string;
}

/** The first message of a connection that did not bring a token. */
export interface Auth {
  token?: string;
  api_key?: string;
}

/** Answers `auth`. */
export interface AuthResult {
  ok: boolean;
  user?: string;
  role?: string;
  /** What went wrong. */
  error?: ProtocolError;
}

/** Points to a payload kept beside the journal, by the hash of its content. */
export interface BlobRef {
  hash: string;
  size: number;
  media_type?: string;
}

/** Where a window stands. */
export interface Bounds {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Remembers which client message made a record, so that the same message sent again is answered and not acted on. It stands in the first record that the message gave. */
export interface Cause {
  /** Whose message ids these are: the client_id, else the user. */
  scope: string;
  message_id: string;
  /** Tells a repeated message from another one under the same id. */
  digest: string;
}

/** A cell that has run. */
export interface CellExecuted {
  /** The kernel. */
  kernel_id: string;
  notebook?: string;
  cell_id?: string;
  code: string;
  execution_count: number;
  /** Ok, error or aborted. */
  status: string;
  /** In the shape of a notebook's outputs. */
  outputs?: unknown[];
  outputs_blob?: BlobRef;
  /** What went wrong. */
  error?: TurnError;
  /** The turn it belongs to. */
  turn_id?: string;
  /** How long it took. */
  duration_ms: number;
}

/** Says that the workspace could not be kept, or, for a rewind, not be taken back. */
export interface CheckpointFailed {
  /** Why, in words. */
  reason: string;
  rewind_id?: string;
  /** What went wrong. */
  error: TurnError;
  /** The turn it belongs to. */
  turn_id?: string;
  /** How long it took. */
  duration_ms: number;
}

/** Takes the workspace back to a checkpoint. */
export interface CheckpointRestore {
  checkpoint_id: string;
  /** Takes the conversation back too. */
  conversation?: boolean;
  /** What would happen, for a person to judge. */
  preview?: boolean;
}

/** Says that the files went back as a rewind asked. */
export interface CheckpointRestored {
  rewind_id: string;
  files: FileChange[];
  /** Files that stay as they are, and why. */
  kept?: KeptFile[];
  /** How long it took. */
  duration_ms: number;
}

/** Keeps the workspace as it was. */
export interface CheckpointSaved {
  id: string;
  hash: string;
  /** The checkpoint before it: what lies between the two is what the agent did. The one where a session started has none. */
  from_hash?: string;
  /** The files that were looked at; all if it is empty. */
  paths?: string[];
  /** Why, in words. */
  reason: string;
  files_changed: number;
  /** Says that not all files could be looked at in time. NotCaptured names some that lie there and are not in the checkpoint. */
  incomplete?: boolean;
  not_captured?: string[];
  /** How many there are beside those. */
  not_captured_more?: number;
  /** The turn it belongs to. */
  turn_id?: string;
  /** How long it took. */
  duration_ms: number;
}

/** Ends a turn that did what was asked. */
export interface Complete {
  status: string;
  response: TurnResponse;
  statistics: Statistics;
  report_paths?: string[];
  /** The turn it belongs to. */
  turn_id: string;
}

/** A click in a window. */
export interface ComponentAction {
  /** The window. */
  window_id: string;
  action: string;
  /** Lets the click run beside others of the same window. */
  action_id?: string;
  form_id?: string;
  form_data?: unknown;
  component_path?: string[];
}

/** Replaces what a model sees of the past by a summary. */
export interface Condense {
  /** The agent that does it. */
  agent_id?: string;
}

/** Says what a summary covers. */
export interface Condensed {
  cost: number;
  prevContextTokens: number;
  newContextTokens: number;
  summary: string;
  condenseId?: string;
  /** The first record that the model is still told word for word. */
  keepsFrom?: string;
}

/** Tells whether the model provider answers. */
export interface ConnectionStatus {
  /** Connected, disconnected or error. */
  status: string;
  provider: string;
  /** The model, as provider/name. */
  model?: string;
  message?: string;
}

/** Says how full the model's window is. */
export interface Context {
  tokens: number;
  window: number;
}

/** Stops what runs. `interrupt` is the same. */
export interface ControlCancel {
  /** Why, in words. */
  reason?: string;
}

/** Stops the work at the next safe point. */
export interface ControlPause {
  /** Why, in words. */
  reason?: string;
}

/** Goes on, after changing the plan if it says so. */
export interface ControlResume {
  modifications?: PlanChange[];
}

/** Tries a failed todo again. */
export interface ControlRetry {
  /** The todo. */
  todo_id: string;
}

/** Leaves a todo out. */
export interface ControlSkip {
  /** The todo. */
  todo_id: string;
  /** Why, in words. */
  reason?: string;
}

/** Names a todo that is being worked on. */
export interface CurrentTodo {
  id: string;
  /** What is to be done, in words. */
  task: string;
}

/** Rewinds to before a message. */
export interface DeleteMessage {
  /** The message, by its milliseconds since 1970. */
  ts?: number;
  message_id?: string;
  files?: boolean;
}

/** The payload of `agent_response` and `agent_thinking`: the next piece of an open message. */
export interface Delta {
  /** The open message. */
  open_id: string;
  index: number;
  delta: string;
  /** Set in a joined delta, which a client gets when it joins or fell behind: it stands for all deltas from there to Index, and its text replaces what they brought. */
  from_index?: number;
  is_complete: boolean;
}

/** Answers an approval request from a yes-or-no dialog. */
export interface DialogFeedback {
  /** The request. */
  request_id: string;
  confirmed: boolean;
  /** How long the answer holds. */
  remember?: Remember;
}

/** Rewinds to before a message and says it anew. */
export interface EditMessage {
  /** The message, by its milliseconds since 1970. */
  ts?: number;
  message_id?: string;
  /** The words. */
  content: string;
  /** Images as data URLs or blob references. */
  images?: string[];
  files?: boolean;
}

/** The payload of types that carry none. */
export type Empty = { [key: string]: never };

/** An error a client sees, and the payload of the signal `error`. */
export interface ProtocolError {
  code: number;
  name: string;
  message: string;
  recoverable: boolean;
  suggested_action?: string;
  context?: { [key: string]: unknown };
  /** The client's message_id that it answers. */
  in_reply_to?: string;
}

/** Counts the todos of the running plan. */
export interface ExecutionProgress {
  total_todos: number;
  completed: number;
  in_progress: number;
  pending: number;
  failed: number;
  skipped: number;
  cancelled?: number;
  /** From 0 to 100. */
  progress_percentage: number;
  current_todo?: CurrentTodo;
  /** The plan. */
  plan_id?: string;
  /** The plan's, once it has ended. */
  status?: PlanStatus;
}

/** Ends a turn that did not do what was asked: failed or cancelled. */
export interface Failed {
  status: Status;
  /** What went wrong. */
  error: TurnError;
  partial_results?: PartialResults;
  statistics?: Statistics;
  /** The turn it belongs to. */
  turn_id: string;
  /** Who did it: a user, or a word such as `timeout`. */
  by?: string;
}

/** Says what happens to one file of the workspace. */
export interface FileChange {
  path: string;
  change: string;
}

/** Copies the session up to a record: up to its head if none is named. */
export interface Fork {
  at?: string;
  session_id?: string;
  /** A title for people. */
  title?: string;
}

/** The first own record of a forked session. */
export interface Forked {
  from: string;
  at: string;
  /** Whose session it is. */
  owner: string;
  /** A title for people. */
  title?: string;
}

/** Asks whether a todo or a tool call may run. */
export interface HitlApprovalRequest {
  /** The request. */
  request_id: string;
  /** The todo. */
  todo_id?: string;
  todo?: Todo;
  /** CallID, Tool, Class, Input and Preview tell which call waits. */
  call_id?: string;
  /** The name of the tool. */
  tool?: string;
  class?: ToolClass;
  /** What the tool is called with. */
  input?: unknown;
  /** What would happen, for a person to judge. */
  preview?: string;
  /** Why, in words. */
  reason: string;
  /** The answers that can be picked. */
  options: string[];
  /** How long an answer is awaited; missing: for ever. */
  timeout_sec?: number;
  /** When it expires; missing: never. */
  expires_at?: string;
  /** The turn it belongs to. */
  turn_id?: string;
}

/** Answers an approval request. */
export interface HitlApprovalResponse {
  /** The request. */
  request_id: string;
  /** The todo. */
  todo_id?: string;
  action: string;
  /** A remark of the person who answered. */
  comment?: string;
  /** Why, in words. */
  reason?: string;
  /** How long the answer holds. */
  remember?: Remember;
}

/** Asks what was meant. */
export interface HitlClarification {
  /** The request. */
  request_id: string;
  original_input: string;
  ambiguity: string;
  /** What is asked. */
  question: string;
  /** The kind of answer that is wanted. */
  input_type: InputType;
  /** Answers that may fit. */
  suggestions?: string[];
  /** An empty answer is refused. */
  required: boolean;
  /** How long an answer is awaited; missing: for ever. */
  timeout_sec?: number;
  /** When it expires; missing: never. */
  expires_at?: string;
  /** The turn it belongs to. */
  turn_id?: string;
  /** Names the call that waits for the answer. */
  call_id?: string;
}

/** Answers a clarification. */
export interface HitlClarificationResponse {
  /** The request. */
  request_id: string;
  value: unknown;
  /** A remark of the person who answered. */
  comment?: string;
}

/** Asks for a value. */
export interface HitlInputRequest {
  /** The request. */
  request_id: string;
  field: string;
  /** What is asked. */
  question: string;
  /** The kind of answer that is wanted. */
  input_type: InputType;
  /** The answers that can be picked. */
  options?: RequestOption[];
  /** An empty answer is refused. */
  required: boolean;
  /** What counts if nobody answers. */
  default_value?: unknown;
  /** How long an answer is awaited; missing: for ever. */
  timeout_sec?: number;
  /** When it expires; missing: never. */
  expires_at?: string;
  /** The todo. */
  todo_id?: string;
  /** Names the call that waits for the answer. */
  call_id?: string;
  /** The turn it belongs to. */
  turn_id?: string;
  /** The kind of the message that asks. */
  ask?: Ask;
  /** Answers that may fit. */
  suggestions?: string[];
}

/** Answers an input request. */
export interface HitlInputResponse {
  /** The request. */
  request_id: string;
  field?: string;
  value: unknown;
  /** A remark of the person who answered. */
  comment?: string;
}

/** Stops the work until someone resumes it. */
export interface HitlPaused {
  paused_by: string;
  /** Why, in words. */
  reason?: string;
  current_todo?: string;
  completed_todos: string[];
  can_resume: boolean;
  /** The turn it belongs to. */
  turn_id?: string;
}

/** Answers a plan review. */
export interface HitlPlanResponse {
  /** The request. */
  request_id: string;
  action: string;
  /** Says what to change, with action modify. */
  instruction?: string;
  /** A remark of the person who answered. */
  comment?: string;
  /** Why, in words. */
  reason?: string;
}

/** Asks whether a plan may run. */
export interface HitlPlanReview {
  /** The request. */
  request_id: string;
  /** The plan. */
  plan_id: string;
  plan: PlanReview;
  message: string;
  /** The answers that can be picked. */
  options: string[];
  /** How long an answer is awaited; missing: for ever. */
  timeout_sec?: number;
  /** When it expires; missing: never. */
  expires_at?: string;
  /** The turn it belongs to. */
  turn_id?: string;
  /** Names the call that waits for the answer. */
  call_id?: string;
}

/** Closes a request: answered, expired or withdrawn. */
export interface HitlResolved {
  /** The request. */
  request_id: string;
  action: string;
  value?: unknown;
  instruction?: string;
  /** A remark of the person who answered. */
  comment?: string;
  /** Why, in words. */
  reason?: string;
  /** How long the answer holds. */
  remember?: Remember;
  /** What an input request asked for. */
  field?: string;
  /** The tool that a remembered choice is about. */
  tool?: string;
  /** Who did it: a user, or a word such as `timeout`. */
  by: string;
  /** The client it came through. */
  client_id?: string;
}

/** Something a person did on the desktop. */
export interface Interaction {
  /** Such as window.close, window.focus, window.move, window.resize, draw. */
  type: string;
  timestamp?: string;
  /** The window. */
  window_id?: string;
  bounds?: Bounds;
  details?: string;
  image?: string;
  data?: unknown;
}

/** Stops one agent, named by its id or its role. */
export interface InterruptAgent {
  /** The agent that does it. */
  agent_id?: string;
  role?: string;
  /** Why, in words. */
  reason?: string;
}

/** A file that was not taken back. */
export interface KeptFile {
  path: string;
  /** Why, in words. */
  reason: string;
  /** Where the version lies that would have taken its place. */
  offer?: string;
}

/** Says what a Jupyter kernel does. */
export interface KernelStatus {
  /** The kernel. */
  kernel_id: string;
  /** Starting, idle, busy, restarting or dead. */
  state: string;
  name?: string;
  language?: string;
  /** Why, in words. */
  reason?: string;
}

/** Ends a stage of a turn. */
export interface LayerComplete {
  /** The stage of the turn. */
  layer: Layer;
  result?: unknown;
  next_layer?: Layer;
  /** How long it took. */
  duration_ms: number;
  /** The turn it belongs to. */
  turn_id: string;
}

/** Begins a stage of a turn. */
export interface LayerStart {
  /** The stage of the turn. */
  layer: Layer;
  description?: string;
  /** The turn it belongs to. */
  turn_id: string;
}

/** One entry of the ui history. Its field names are those that editors' task folders use. */
export interface Message {
  /** Milliseconds since 1970, unique and rising in a session. */
  ts: number;
  type: MessageKind;
  ask?: Ask;
  say?: Say;
  text?: string;
  /** Images as data URLs or blob references. */
  images?: string[];
  /** Holds the whole text when it was too long for a record; Text is then its beginning. */
  text_blob?: BlobRef;
  /** Marks a text whose writing was interrupted. */
  partial?: boolean;
  reasoning?: string;
  conversationHistoryIndex?: number;
  checkpoint?: unknown;
  progressStatus?: ProgressStatus;
  contextCondense?: Condensed;
  contextTruncation?: Truncated;
  isProtected?: boolean;
  apiProtocol?: string;
  isAnswered?: boolean;
}

/** Says that a user's message went to an agent. */
export interface MessageAccepted {
  /** The agent that does it. */
  agent_id: string;
  /** The turn it belongs to. */
  turn_id: string;
  /** Marks a message that joined a running turn. */
  steered?: boolean;
  /** Who did it: a user, or a word such as `timeout`. */
  by?: string;
}

/** Keeps a user's message until its turn can start. */
export interface MessageQueued {
  position: number;
  /** The words. */
  content: string;
  /** Holds the whole content when it was too long for a record. */
  content_blob?: BlobRef;
  /** Images as data URLs or blob references. */
  images?: string[];
  /** Who did it: a user, or a word such as `timeout`. */
  by?: string;
}

/** The payload of the record `message`. */
export interface MessageRecord {
  action: MessageAction;
  message: Message;
  /** Names the open message that this one finishes. */
  open_id?: string;
  /** Names the request that this ask belongs to. */
  request_id?: string;
  /** The turn it belongs to. */
  turn_id?: string;
  /** Who speaks: user, assistant or system. */
  role?: Role;
}

/** Ends a model call. */
export interface ModelCompleted {
  /** The turn it belongs to. */
  turn_id: string;
  /** The message_id of the model_started it ends. */
  call: string;
  /** The model, as provider/name. */
  model: string;
  stop_reason: string;
  /** What the models cost. */
  usage: Usage;
  /** How long it took. */
  duration_ms: number;
  /** How many tokens the model can take. */
  context_window?: number;
  /** What went wrong. */
  error?: TurnError;
  /** When the call is tried again, if it is. */
  retry_at?: string;
  /** What the model wants to be done next. */
  tool_calls?: ToolCall[];
  /** What the model's adapter wants to see again, word for word. */
  vendor?: unknown[];
}

/** Recorded before a model is called. */
export interface ModelStarted {
  /** The turn it belongs to. */
  turn_id: string;
  /** The stage of the turn. */
  layer?: Layer;
  /** The model, as provider/name. */
  model: string;
  /** Counts from 1. */
  attempt: number;
  /** Says what the call is for: turn, record_intent, propose_plan, respond. */
  purpose?: string;
}

/** A virtual desktop of a session. */
export interface Monitor {
  /** The monitor it belongs to. */
  monitor_id: string;
}

/** Opens a virtual desktop. */
export interface MonitorAdded {
  /** The monitor it belongs to. */
  monitor_id: string;
  /** The agent that does it. */
  agent_id: string;
  /** Who did it: a user, or a word such as `timeout`. */
  by?: string;
}

/** Closes a virtual desktop. */
export interface MonitorRemoved {
  /** The monitor it belongs to. */
  monitor_id: string;
  /** Why, in words. */
  reason?: string;
  /** Who did it: a user, or a word such as `timeout`. */
  by?: string;
}

/** A text that is still being written. */
export interface OpenMessage {
  /** The open message. */
  open_id: string;
  /** The agent that does it. */
  agent_id: string;
  say: Say;
  text: string;
  next_index: number;
}

/** What a failed turn has got done. */
export interface PartialResults {
  completed_todos: string[];
  available_data?: unknown;
}

/** Lets a plan run. */
export interface PlanApproved {
  /** The plan. */
  plan_id: string;
  approved_by: string;
  execution_starting: boolean;
}

/** One edit of a plan; fields that are not given stay as they are. */
export interface PlanChange {
  action: ChangeAction;
  /** The todo. */
  todo_id?: string;
  /** What is to be done, in words. */
  task?: string;
  /** The name of the tool. */
  tool?: string;
  /** What the tool is called with. */
  input?: unknown;
  /** The profile of the task agent. */
  profile?: string;
  /** The todos that must be done first. */
  depends_on?: string[];
  /** Higher goes first. */
  priority?: number;
  /** How long it may take. */
  estimated_duration_sec?: number;
  /** What it may cost. */
  estimated_cost_usd?: number;
  /** A person must approve it before it runs. */
  requires_approval?: boolean;
  /** How often it is tried again by itself. */
  max_retries?: number;
}

/** Changes the plan. */
export interface PlanEdit {
  /** The plan. */
  plan_id?: string;
  changes: PlanChange[];
}

/** A plan that passed its checks. */
export interface PlanGenerated {
  /** The plan. */
  plan_id: string;
  version: number;
  status: PlanStatus;
  todos: Todo[];
  /** Gives for each todo the ids it waits for. */
  dependency_graph?: { [key: string]: string[] };
  /** How long it may take. */
  estimated_duration_sec?: number;
  /** What it may cost. */
  estimated_cost_usd?: number;
  /** The plan as a Mermaid graph. */
  mermaid_diagram?: string;
  summary?: string;
  /** The turn it belongs to. */
  turn_id?: string;
  /** The propose_plan that waits for the plan's end. */
  call_id?: string;
  kind?: PlanKind;
}

/** A new version of the plan. */
export interface PlanModified {
  /** The plan. */
  plan_id: string;
  old_version: number;
  new_version: number;
  changes: PlanChange[];
  /** The whole plan as it now is. */
  updated_todos: Todo[];
  /** The new one, if the plan got one. */
  summary?: string;
  /** Holds the words of the person who asked for the change. */
  instruction?: string;
  /** Who did it: a user, or a word such as `timeout`. */
  by?: string;
  /** The propose_plan that brought the new version, if one did. */
  call_id?: string;
}

/** Ends a plan before it ran. */
export interface PlanRejected {
  /** The plan. */
  plan_id: string;
  rejected_by: string;
  /** Why, in words. */
  reason?: string;
}

/** A plan as a person sees it before it runs. */
export interface PlanReview {
  todos: Todo[];
  /** For each todo, the ids it waits for. */
  dependency_graph?: { [key: string]: string[] };
  /** How long it may take. */
  estimated_duration_sec?: number;
  /** What it may cost. */
  estimated_cost_usd?: number;
  /** The plan as a Mermaid graph. */
  mermaid_diagram?: string;
  summary?: string;
}

/** What session_state tells about the plan. */
export interface PlanState {
  id: string;
  status: PlanStatus;
  version: number;
  total_todos: number;
  summary?: string;
  /** How long it may take. */
  estimated_duration_sec?: number;
  /** What it may cost. */
  estimated_cost_usd?: number;
  /** The plan as a Mermaid graph. */
  mermaid_diagram?: string;
  /** The turn it belongs to. */
  turn_id?: string;
  /** The agent that does it. */
  agent_id?: string;
  /** Checklist for todos that an agent keeps for itself: nothing runs them. Empty for a plan that is carried out. */
  kind?: PlanKind;
}

/** How far a tool has come. */
export interface ProgressStatus {
  icon?: string;
  text?: string;
}

/** Gives the ids of the waiting messages in their new order. An id missing from it was deleted or has started. */
export interface QueueChanged {
  queue: string[];
  /** Why, in words. */
  reason: string;
  /** Who did it: a user, or a word such as `timeout`. */
  by?: string;
}

/** Puts waiting messages in another order, or removes some. */
export interface QueueEdit {
  /** Names the first ones; the rest follow as they were. */
  order?: string[];
  remove?: string[];
}

/** A user's message that waits for its turn. */
export interface QueueItem {
  message_id: string;
  /** The words. */
  content: string;
  /** Holds the whole content when it was too long for a record. */
  content_blob?: BlobRef;
  /** Images as data URLs or blob references. */
  images?: string[];
  /** The monitor it belongs to. */
  monitor_id?: string;
  /** Who did it: a user, or a word such as `timeout`. */
  by?: string;
  timestamp: string;
}

/** Closes a monitor other than the default one. */
export interface RemoveMonitor {
  /** The monitor it belongs to. */
  monitor_id: string;
  /** Why, in words. */
  reason?: string;
}

/** Says whether a window could be drawn. */
export interface RenderingFeedback {
  /** The window. */
  window_id: string;
  /** The request. */
  request_id?: string;
  renderer?: string;
  success: boolean;
  /** What went wrong. */
  error?: string;
  image?: string;
}

/** An open request as session_state lists it. Type is the record that opened it; the other fields are those of that record. */
export interface OpenRequest {
  /** The request. */
  request_id: string;
  type: MessageType;
  /** The plan. */
  plan_id?: string;
  plan?: PlanReview;
  /** The todo. */
  todo_id?: string;
  todo?: Todo;
  call_id?: string;
  /** The name of the tool. */
  tool?: string;
  class?: ToolClass;
  /** What the tool is called with. */
  input?: unknown;
  /** What would happen, for a person to judge. */
  preview?: string;
  message?: string;
  /** Why, in words. */
  reason?: string;
  field?: string;
  original_input?: string;
  ambiguity?: string;
  /** What is asked. */
  question?: string;
  /** The kind of answer that is wanted. */
  input_type?: InputType;
  /** The answers that can be picked. */
  options?: RequestOption[];
  /** Answers that may fit. */
  suggestions?: string[];
  /** What counts if nobody answers. */
  default_value?: unknown;
  /** An empty answer is refused. */
  required?: boolean;
  /** The kind of the message that asks, Ts that message's ts. */
  ask?: Ask;
  /** The message, by its milliseconds since 1970. */
  ts?: number;
  /** How long an answer is awaited; missing: for ever. */
  timeout_sec?: number;
  /** When it was made. */
  created_at: string;
  /** When it expires; missing: never. */
  expires_at?: string;
  /** The agent that does it. */
  agent_id?: string;
  /** The turn it belongs to. */
  turn_id?: string;
}

/** Stops what runs and rewinds to the start. */
export interface Reset {
  /** Why, in words. */
  reason?: string;
}

/** The answer of a turn. A text longer than the limit is cut: the whole stands in the message that MessageID names. */
export interface TurnResponse {
  format: string;
  text: string;
  truncated?: boolean;
  message_id?: string;
  summary?: string;
  attachments?: Attachment[];
  next_actions?: string[];
}

/** Goes on with paused work. */
export interface Resumed {
  resumed_by: string;
  /** The turn it belongs to. */
  turn_id?: string;
}

/** Moves the head of the session: to a record, or to a visible message by its ts or its index. */
export interface Rewind {
  to?: string;
  /** The message, by its milliseconds since 1970. */
  ts?: number;
  index?: number;
  /** Keeps the target itself. */
  include_target?: boolean;
  /** Takes the workspace back too. */
  files?: boolean;
  /** Only says what would happen. */
  preview?: boolean;
}

/** Moves the head to just before a rewind: the latest if none is named. */
export interface RewindUndo {
  rewind_id?: string;
}

/** Moves the head of a session. Nothing is removed. */
export interface Rewound {
  rewind_id: string;
  /** The record that what comes next follows; From is the one that was last before the rewind began, where undoing it leads. */
  head: string;
  from?: string;
  hidden: [number, number][];
  shown: [number, number][];
  undoes?: string;
  files?: FileChange[];
  /** And FilesAfter are the workspace just before the files are taken back, and what it is to be after. */
  files_before?: string;
  files_after?: string;
  /** Says that the files go back once this is stored; a checkpoint_restored, or a checkpoint_failed, says what came of it. */
  restoring?: boolean;
  /** Who did it: a user, or a word such as `timeout`. */
  by?: string;
}

/** The first record of a session. */
export interface SessionCreated {
  /** Whose session it is. */
  owner: string;
  /** A title for people. */
  title?: string;
  /** The folder that tools work in. */
  workspace?: string;
  /** The model, as provider/name. */
  model?: string;
  /** How turns are worked on. */
  pipeline?: Pipeline;
  /** The mode that sets the agent's manners and tools. */
  mode?: string;
  /** Classes of tools that run without asking. */
  auto_approve?: string[];
  /** Says when a person has to look at a plan before it runs: always, never, or over:USD for those that cost more. Empty is always. */
  plan_review?: string;
  /** Those that hold for this session alone, by key; of those that have a field here the field is used. */
  settings?: { [key: string]: unknown };
  /** The session that delegated to this one. */
  parent_id?: string;
  /** The first session of that chain. */
  root_id?: string;
  /** How many sessions are above it. */
  depth?: number;
  /** Says which format a session was read from that was not made here, and what it was called there. */
  imported_from?: string;
  version: string;
}

/** The payload of `session_state`: everything up to LastMessageID, folded. */
export interface SessionState {
  status: Status;
  task_state: TaskState;
  current_layer?: Layer;
  plan: PlanState | null;
  todos: Todo[];
  hitl_pending: OpenRequest | null;
  hitl_requests: OpenRequest[];
  last_message_id: string;
  open_messages: OpenMessage[];
  agents: Agent[];
  monitors: Monitor[];
  windows: DesktopWindow[];
  queue: QueueItem[];
  /** What the models cost. */
  usage: Usage;
  context: Context;
  checkpoint?: string;
  /** A title for people. */
  title: string;
  /** The model, as provider/name. */
  model: string;
  /** How turns are worked on. */
  pipeline: Pipeline;
  /** The mode that sets the agent's manners and tools. */
  mode: string;
  /** Classes of tools that run without asking. */
  auto_approve: string[];
  plan_review: string;
  pinned?: boolean;
  keep_days?: number;
  /** Whose session it is. */
  owner: string;
  /** The folder that tools work in. */
  workspace?: string;
  session_id: string;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** The session that delegated to this one. */
  parent_id?: string;
  /** The first session of that chain. */
  root_id?: string;
  /** The session this one is a fork of. */
  forked_from?: string;
  /** Those that hold for this session alone, by key; model, mode and auto_approve are among them if they are set. */
  settings?: { [key: string]: unknown };
  /** Says that the cursor the client came with is not one of this session: it should forget what it had. */
  resync?: boolean;
}

/** Changes what is set; nil fields stay as they were. */
export interface SessionUpdated {
  /** A title for people. */
  title?: string;
  /** The model, as provider/name. */
  model?: string;
  /** How turns are worked on. */
  pipeline?: Pipeline;
  /** The mode that sets the agent's manners and tools. */
  mode?: string;
  /** Classes of tools that run without asking. */
  auto_approve?: string[];
  plan_review?: string;
  /** Keeps the session whatever the limits on age, size and number are. */
  pinned?: boolean;
  /** For how many days without a change this session is kept, whatever holds for others; 0 is what holds for others. */
  keep_days?: number;
  /** Changes of those that hold for this session alone; null removes one. */
  settings?: { [key: string]: unknown };
  /** Who did it: a user, or a word such as `timeout`. */
  by?: string;
}

/** Changes the model, or the provider with its default model. */
export interface SetProvider {
  provider?: string;
  /** The model, as provider/name. */
  model?: string;
}

/** Names the settings that have changed. */
export interface SettingsChanged {
  keys: string[];
}

/** Sums up a turn. */
export interface Statistics {
  total_todos: number;
  completed: number;
  failed: number;
  execution_time_ms: number;
  tokens_used: number;
  cost_usd: number;
  /** What the models cost. */
  usage: Usage;
}

/** Asks for the records of one monitor only. */
export interface SubscribeMonitor {
  /** The monitor it belongs to. */
  monitor_id: string;
}

/** Closes a toast that offered to repeat cached actions. */
export interface ToastAction {
  toast_id: string;
  event_id?: string;
  action: string;
}

/** One step of a plan: a tool call (Tool with Input), or a goal for a task agent (Profile). */
export interface Todo {
  id: string;
  /** What is to be done, in words. */
  task: string;
  /** The name of the tool. */
  tool?: string;
  /** What the tool is called with. */
  input?: unknown;
  /** The profile of the task agent. */
  profile?: string;
  status: TodoStatus;
  /** Higher goes first. */
  priority: number;
  /** The todos that must be done first. */
  depends_on: string[];
  /** How long it may take. */
  estimated_duration_sec?: number;
  /** What it may cost. */
  estimated_cost_usd?: number;
  /** A person must approve it before it runs. */
  requires_approval?: boolean;
  /** How often it is tried again by itself. */
  max_retries?: number;
  /** How often it was tried again. */
  retry_count?: number;
  /** From 0 to 100. */
  progress_percentage?: number;
  current_step?: string;
  items_processed?: number;
  items_total?: number;
  /** The agent that does it. */
  agent_id?: string;
  started_at?: string;
  ended_at?: string;
  /** What came out, in short. */
  result_summary?: unknown;
  /** What went wrong. */
  error?: TurnError;
  /** And Effect are those of the tool. */
  class?: ToolClass;
  effect?: Effect;
  /** When it is tried again, if it is. */
  retry_at?: string;
  /** The message_id of the tool_completed that holds its result. */
  result_id?: string;
}

/** Ends a todo that did its task. */
export interface TodoCompleted {
  /** The todo. */
  todo_id: string;
  /** What is to be done, in words. */
  task: string;
  status: TodoStatus;
  /** What came out, in short. */
  result_summary?: unknown;
  /** How long it took. */
  duration_ms: number;
  /** Those that became ready. */
  next_todos: string[];
  /** The message_id of the tool_completed that holds the result. */
  result_id?: string;
}

/** Ends an attempt at a todo. */
export interface TodoFailed {
  /** The todo. */
  todo_id: string;
  /** What is to be done, in words. */
  task: string;
  status: TodoStatus;
  /** What went wrong. */
  error: TurnError;
  /** How often it was tried again. */
  retry_count: number;
  /** How often it is tried again by itself. */
  max_retries: number;
  /** When it is tried again by itself, if it is. */
  retry_at?: string;
  /** How long it took. */
  duration_ms?: number;
}

/** Says how far a todo has come. */
export interface TodoProgress {
  /** The todo. */
  todo_id: string;
  /** From 0 to 100. */
  progress_percentage: number;
  current_step?: string;
  items_processed?: number;
  items_total?: number;
}

/** Leaves a todo out. */
export interface TodoSkipped {
  /** The todo. */
  todo_id: string;
  /** What is to be done, in words. */
  task: string;
  status: TodoStatus;
  /** Why, in words. */
  reason?: string;
  skipped_by?: string;
  /** The todos that became ready. */
  next_todos?: string[];
}

/** Begins the work on a todo. */
export interface TodoStarted {
  /** The todo. */
  todo_id: string;
  /** What is to be done, in words. */
  task: string;
  /** The name of the tool. */
  tool?: string;
  /** The profile of the task agent. */
  profile?: string;
  /** How long it may take. */
  estimated_duration_sec?: number;
  /** The plan. */
  plan_id?: string;
  /** The agent that does it. */
  agent_id?: string;
  /** Counts from 1. */
  attempt?: number;
  /** The turn it belongs to. */
  turn_id?: string;
  /** And Approval tell of the tool call that the todo is. */
  call_id?: string;
  approval?: Approval;
  class?: ToolClass;
  effect?: Effect;
}

/** A tool that a model asked for. */
export interface ToolCall {
  call_id: string;
  /** The model's own id of the call. */
  use_id?: string;
  /** The name of the tool. */
  tool: string;
  /** What the tool is called with. */
  input?: unknown;
  class?: ToolClass;
  effect?: Effect;
  approval: Approval;
}

/** Ends a tool call. */
export interface ToolCompleted {
  call_id: string;
  /** The turn it belongs to. */
  turn_id?: string;
  /** The todo. */
  todo_id?: string;
  /** The name of the tool. */
  tool: string;
  ok: boolean;
  /** What the model sees; its beginning only, if OutputBlob holds the whole. */
  output?: string;
  output_blob?: BlobRef;
  /** What the model is shown. */
  images?: string[];
  /** What went wrong. */
  error?: TurnError;
  /** How long it took. */
  duration_ms: number;
  /** A few facts for people and for plans. */
  summary?: unknown;
  /** Says that this attempt was interrupted and the call runs again: it is no result. */
  retry?: boolean;
}

/** Says what a running tool does. */
export interface ToolProgress {
  call_id: string;
  /** The name of the tool. */
  tool: string;
  /** Running, complete or error. */
  status: string;
  text?: string;
  /** From 0 to 100. */
  progress_percentage?: number;
  /** The turn it belongs to. */
  turn_id?: string;
  /** The todo. */
  todo_id?: string;
  /** OpenID, Index and FromIndex are set when Text is the next piece of what the tool prints: an open message, with the rules of its deltas. */
  open_id?: string;
  index?: number;
  from_index?: number;
}

/** Recorded before a tool is called. */
export interface ToolStarted {
  /** The turn it belongs to. */
  turn_id: string;
  call_id: string;
  /** The name of the tool. */
  tool: string;
  /** What the tool is called with. */
  input?: unknown;
  effect: Effect;
  class: ToolClass;
  /** The todo. */
  todo_id?: string;
  /** Counts from 1. */
  attempt: number;
  /** What would happen, for a person to judge. */
  preview?: string;
  /** The session that the call hands the work to. */
  child_id?: string;
}

/** Says what a sliding window hides. */
export interface Truncated {
  truncationId: string;
  messagesRemoved: number;
  prevContextTokens: number;
  newContextTokens: number;
  /** The first record that the model is still told. */
  keepsFrom?: string;
}

/** What went wrong inside a turn; its code is a word. */
export interface TurnError {
  code: string;
  message: string;
  failed_todo?: string;
  recoverable: boolean;
}

/** Begins the work on one input by one agent. */
export interface TurnStarted {
  /** The turn it belongs to. */
  turn_id: string;
  /** The agent that does it. */
  agent_id: string;
  /** How turns are worked on. */
  pipeline: Pipeline;
  /** The message_id of the message_accepted or message_queued that brought the words. */
  input?: string;
}

/** Changes what is set. */
export interface UpdateSession {
  /** A title for people. */
  title?: string;
  /** The model, as provider/name. */
  model?: string;
  /** How turns are worked on. */
  pipeline?: Pipeline;
  /** The mode that sets the agent's manners and tools. */
  mode?: string;
  /** Classes of tools that run without asking. */
  auto_approve?: string[];
  plan_review?: string;
  pinned?: boolean;
  keep_days?: number;
  /** Changes of those that hold for this session alone; null removes one. */
  settings?: { [key: string]: unknown };
}

/** Changes the caller's settings; null removes one. */
export interface UpdateSettings {
  settings: { [key: string]: unknown };
}

/** Counts what models cost. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  cost_usd: number;
}

/** A batch of what a person did on the desktop. */
export interface UserInteraction {
  interactions: Interaction[];
}

/** What a person says to the session's agent. */
export interface UserMessage {
  /** The words. */
  content: string;
  /** Images as data URLs or blob references. */
  images?: string[];
  /** The monitor it belongs to. */
  monitor_id?: string;
  interactions?: Interaction[];
  when?: When;
}

/** Answers an input request from a prompt window. */
export interface UserPromptResponse {
  /** The request. */
  request_id: string;
  selected_values?: string[];
  text?: string;
  /** Closes the prompt without an answer. */
  dismissed?: boolean;
}

/** An open window of a session. */
export interface DesktopWindow {
  /** The window. */
  window_id: string;
  /** The monitor it belongs to. */
  monitor_id?: string;
  /** A title for people. */
  title: string;
  bounds?: Bounds;
  renderer?: string;
  /** The words. */
  content?: unknown;
  /** The agent that does it. */
  agent_id?: string;
  /** Joins windows that share one agent. */
  group_id?: string;
  minimized?: boolean;
  locked?: boolean;
}

/** Tells of the agent behind a window. */
export interface WindowAgentStatus {
  /** The window. */
  window_id: string;
  /** The agent that does it. */
  agent_id: string;
  /** Assigned, active or released. */
  status: string;
  group_id?: string;
}

/** What a person says to the agent of a window. */
export interface WindowMessage {
  /** The window. */
  window_id: string;
  /** The words. */
  content: string;
  /** Images as data URLs or blob references. */
  images?: string[];
}

/** The payload of each record. */
export interface RecordPayloads {
  /** A session began; always its first record. */
  session_created: SessionCreated;
  /** Title, model, pipeline, mode, approvals or settings of the session were changed. */
  session_updated: SessionUpdated;
  /** This session is a copy of another one up to here. */
  forked: Forked;
  /** The head moved; hidden records stay and can come back. */
  rewound: Rewound;
  /** A user's message went to an agent. */
  message_accepted: MessageAccepted;
  /** A user's message waits for its turn. */
  message_queued: MessageQueued;
  /** The waiting messages changed. */
  queue_changed: QueueChanged;
  /** Something was said or asked. */
  message: MessageRecord;
  /** An agent began to work on an input. */
  turn_started: TurnStarted;
  /** A stage of the turn began. */
  layer_start: LayerStart;
  /** A stage of the turn ended. */
  layer_complete: LayerComplete;
  /** A model is about to be called. */
  model_started: ModelStarted;
  /** A model call ended. */
  model_completed: ModelCompleted;
  /** A tool is about to be called. */
  tool_started: ToolStarted;
  /** A tool call ended. */
  tool_completed: ToolCompleted;
  /** The turn did what was asked. */
  complete: Complete;
  /** The turn failed or was cancelled. */
  failed: Failed;
  /** A plan was made. */
  plan_generated: PlanGenerated;
  /** The plan has a new version. */
  plan_modified: PlanModified;
  /** The plan may run. */
  plan_approved: PlanApproved;
  /** The plan will not run. */
  plan_rejected: PlanRejected;
  /** A todo began. */
  todo_started: TodoStarted;
  /** A todo came further; at most one a second. */
  todo_progress: TodoProgress;
  /** A todo did its task. */
  todo_completed: TodoCompleted;
  /** An attempt at a todo failed. */
  todo_failed: TodoFailed;
  /** A todo was left out. */
  todo_skipped: TodoSkipped;
  /** The plan came further; at most one a second. */
  execution_progress: ExecutionProgress;
  /** A person is asked whether the plan may run. */
  hitl_plan_review: HitlPlanReview;
  /** A person is asked whether a todo or a tool call may run. */
  hitl_approval_request: HitlApprovalRequest;
  /** A person is asked for a value. */
  hitl_input_request: HitlInputRequest;
  /** A person is asked what was meant. */
  hitl_clarification: HitlClarification;
  /** A request was answered, expired or was withdrawn. */
  hitl_resolved: HitlResolved;
  /** The work was paused. */
  hitl_paused: HitlPaused;
  /** The work goes on. */
  resumed: Resumed;
  /** The workspace was kept as it is. */
  checkpoint_saved: CheckpointSaved;
  /** The files of the workspace went back, as a rewind asked. */
  checkpoint_restored: CheckpointRestored;
  /** The workspace could not be kept, or not be taken back. */
  checkpoint_failed: CheckpointFailed;
  /** The agent behind a window changed. */
  window_agent_status: WindowAgentStatus;
  /** An agent changed the desktop. */
  actions: Actions;
  /** A monitor was opened. */
  monitor_added: MonitorAdded;
  /** A monitor was closed. */
  monitor_removed: MonitorRemoved;
  /** A Jupyter kernel changed its state. */
  kernel_status: KernelStatus;
  /** A Jupyter cell has run. */
  cell_executed: CellExecuted;
}

export type RecordType = keyof RecordPayloads;

/** What happened: stored, numbered and sent to every client. */
export type RecordFrame = { [T in RecordType]: RecordEnvelope<T, RecordPayloads[T]> }[RecordType];

/** The payload of each signal. */
export interface SignalPayloads {
  /** The whole state, on connecting and after a rewind. */
  session_state: SessionState;
  /** The answer to a command that carried a message_id. */
  ack: Ack;
  /** Something went wrong; the connection stays. */
  error: ProtocolError;
  /** The heartbeat; answer with pong. */
  ping: Empty;
  /** The answer to auth. */
  auth_result: AuthResult;
  /** The next piece of an answer being written. */
  agent_response: Delta;
  /** The next piece of a thought being written. */
  agent_thinking: Delta;
  /** What a running tool does. */
  tool_progress: ToolProgress;
  /** Settings that hold for the session's owner have changed: read them again. */
  settings_changed: SettingsChanged;
  /** Whether the model provider answers. */
  connection_status: ConnectionStatus;
  /** An agent asks the app in a window. */
  app_protocol_request: AppProtocolRequest;
}

export type SignalType = keyof SignalPayloads;

/** What passes by: never stored. */
export type SignalFrame = { [T in SignalType]: SignalEnvelope<T, SignalPayloads[T]> }[SignalType];

/** The payload of each command. */
export interface CommandPayloads {
  /** Say who is calling, if the handshake did not. */
  auth: Auth;
  /** Answer a ping. */
  pong: Empty;
  /** Say something to the agent. */
  user_message: UserMessage;
  /** Rewind to before a message and say it anew. */
  edit_message: EditMessage;
  /** Rewind to before a message. */
  delete_message: DeleteMessage;
  /** Reorder or remove waiting messages. */
  queue_edit: QueueEdit;
  /** Approve, modify or reject a plan. */
  hitl_plan_response: HitlPlanResponse;
  /** Approve, skip or reject a todo or a tool call. */
  hitl_approval_response: HitlApprovalResponse;
  /** Give the value that was asked for. */
  hitl_input_response: HitlInputResponse;
  /** Say what was meant. */
  hitl_clarification_response: HitlClarificationResponse;
  /** Answer an approval request with yes or no. */
  dialog_feedback: DialogFeedback;
  /** Answer an input request from a prompt window. */
  user_prompt_response: UserPromptResponse;
  /** Pause the work. */
  control_pause: ControlPause;
  /** Go on, with changes to the plan if wanted. */
  control_resume: ControlResume;
  /** Cancel what runs. */
  control_cancel: ControlCancel;
  /** Try a failed todo again. */
  control_retry: ControlRetry;
  /** Leave a todo out. */
  control_skip: ControlSkip;
  /** Change the plan. */
  plan_edit: PlanEdit;
  /** Cancel what runs; the same as control_cancel. */
  interrupt: ControlCancel;
  /** Stop one agent. */
  interrupt_agent: InterruptAgent;
  /** Go back to an earlier point. */
  rewind: Rewind;
  /** Take a rewind back. */
  rewind_undo: RewindUndo;
  /** Make a new session from this one. */
  fork: Fork;
  /** Summarise the past for the model. */
  condense: Condense;
  /** Take the workspace back to a checkpoint. */
  checkpoint_restore: CheckpointRestore;
  /** Cancel what runs and rewind to the start. */
  reset: Reset;
  /** Change title, model, pipeline, mode, approvals or settings of the session. */
  update_session: UpdateSession;
  /** Change the caller's settings. */
  update_settings: UpdateSettings;
  /** Change the model. */
  set_provider: SetProvider;
  /** Say something to the agent of a window. */
  window_message: WindowMessage;
  /** Click in a window. */
  component_action: ComponentAction;
  /** Say whether a window could be drawn. */
  rendering_feedback: RenderingFeedback;
  /** Close a toast. */
  toast_action: ToastAction;
  /** Tell what a person did on the desktop. */
  user_interaction: UserInteraction;
  /** Answer an app_protocol_request. */
  app_protocol_response: AppProtocolResponse;
  /** The app in a window takes requests. */
  app_protocol_ready: AppProtocolReady;
  /** Ask for one monitor's records only. */
  subscribe_monitor: SubscribeMonitor;
  /** Close a monitor. */
  remove_monitor: RemoveMonitor;
}

export type CommandType = keyof CommandPayloads;

/** What a client asks for. */
export type CommandFrame = { [T in CommandType]: CommandEnvelope<T, CommandPayloads[T]> }[CommandType];

export interface RecordEnvelope<T extends string, D> {
  type: T;
  session_id: string;
  /** A cursor: reconnect with it to get everything after it. */
  message_id: string;
  timestamp: string;
  agent_id?: string;
  monitor_id?: string;
  cause?: Cause;
  data: D;
}

export interface SignalEnvelope<T extends string, D> {
  type: T;
  session_id: string;
  timestamp: string;
  agent_id?: string;
  monitor_id?: string;
  data: D extends Empty ? D | undefined : D;
}

export interface CommandEnvelope<T extends string, D> {
  type: T;
  session_id?: string;
  /** The client's own id: the server acts once however often it is sent. */
  message_id?: string;
  timestamp?: string;
  agent_id?: string;
  monitor_id?: string;
  data?: D;
}

export type MessageType = RecordType | SignalType | CommandType;

/** Whatever a server may send. */
export type ServerFrame = RecordFrame | SignalFrame;

/** The records, by which a client tells them from signals. */
export const RECORD_TYPES: readonly RecordType[] = [
  "session_created",
  "session_updated",
  "forked",
  "rewound",
  "message_accepted",
  "message_queued",
  "queue_changed",
  "message",
  "turn_started",
  "layer_start",
  "layer_complete",
  "model_started",
  "model_completed",
  "tool_started",
  "tool_completed",
  "complete",
  "failed",
  "plan_generated",
  "plan_modified",
  "plan_approved",
  "plan_rejected",
  "todo_started",
  "todo_progress",
  "todo_completed",
  "todo_failed",
  "todo_skipped",
  "execution_progress",
  "hitl_plan_review",
  "hitl_approval_request",
  "hitl_input_request",
  "hitl_clarification",
  "hitl_resolved",
  "hitl_paused",
  "resumed",
  "checkpoint_saved",
  "checkpoint_restored",
  "checkpoint_failed",
  "window_agent_status",
  "actions",
  "monitor_added",
  "monitor_removed",
  "kernel_status",
  "cell_executed",
];

/** Every error by its name. */
export const ERROR_CODES = {
  /** The server cannot serve this connection now. */
  WS_CONNECTION_FAILED: 1001,
  /** The other side did not answer in time. */
  WS_CONNECTION_TIMEOUT: 1002,
  /** The message is not understood; nothing changed. */
  WS_INVALID_MESSAGE: 1003,
  /** Too many in too short a time; nothing changed. */
  WS_RATE_LIMITED: 1004,
  /** The message is larger than the limit. */
  WS_MESSAGE_TOO_LARGE: 1005,
  /** A token or an API key is needed. */
  WS_AUTH_REQUIRED: 2001,
  /** The token or API key is not valid. */
  WS_AUTH_FAILED: 2002,
  /** The token was valid once and is not any more. */
  WS_TOKEN_EXPIRED: 2003,
  /** The caller may not do this here. */
  WS_FORBIDDEN: 2004,
  /** No such session, or not one the caller may see. */
  WS_SESSION_NOT_FOUND: 3001,
  /** The session was deleted; its id is not used again. */
  WS_SESSION_EXPIRED: 3002,
  /** The session is not in a state that allows this. */
  WS_SESSION_INVALID_STATE: 3003,
  /** The server could not carry this out; nothing changed. */
  WS_EXECUTION_FAILED: 4001,
  /** A todo failed. */
  WS_TODO_FAILED: 4002,
  /** A tool took longer than allowed. */
  WS_TOOL_TIMEOUT: 4003,
  /** It is not known whether an action happened; a person must say. */
  WS_OUTCOME_UNKNOWN: 4004,
  /** Nobody answered a request in time. */
  WS_HITL_TIMEOUT: 5001,
  /** The answer does not fit the request; nothing changed. */
  WS_HITL_INVALID_RESPONSE: 5002,
  /** The request is answered, expired or withdrawn. */
  WS_HITL_REQUEST_EXPIRED: 5003,
} as const;

export type ErrorName = keyof typeof ERROR_CODES;
export type ErrorCode = (typeof ERROR_CODES)[ErrorName];

/** Why the server closes a connection, and whether to come back. */
export const CLOSE_CODES = {
  1002: { reconnect: false, doc: "a frame broke the rules of WebSocket" },
  1007: { reconnect: false, doc: "a text frame was not UTF-8" },
  1009: { reconnect: false, doc: "a frame was larger than the limit" },
  1011: { reconnect: true, doc: "the server failed" },
  1013: { reconnect: true, doc: "too many connections; come back later" },
  4000: { reconnect: true, doc: "the server is stopping" },
  4002: { reconnect: true, doc: "two heartbeats were not answered" },
  4003: { reconnect: true, doc: "the client is too slow to catch up" },
  4500: { reconnect: false, doc: "authentication failed" },
  4501: { reconnect: false, doc: "the same client_id connected again" },
  4502: { reconnect: false, doc: "the session was deleted" },
  4503: { reconnect: false, doc: "not allowed" },
} as const;

export type CloseCode = keyof typeof CLOSE_CODES;

/** What an open ask means for the session. */
export const ASK_CLASSES: { readonly [A in Ask]: AskClass } = {
  followup: "interactive",
  command: "interactive",
  command_output: "non_blocking",
  completion_result: "idle",
  tool: "interactive",
  api_req_failed: "idle",
  resume_task: "resumable",
  resume_completed_task: "idle",
  mistake_limit_reached: "idle",
  browser_action_launch: "interactive",
  use_mcp_server: "interactive",
  auto_approval_max_req_reached: "idle",
};
