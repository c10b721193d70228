/** The page in English. */
type Names = { readonly [name: string]: string };

export const en = {
  // What is everywhere.
  close: "Close", cancel: "Cancel", add: "Add", remove: "Remove", create: "Create", copy: "Copy", copied: "Copied", more: "More", keep: "Save", kept: "Saved", reset: "Back to the default",
  delete: "Delete", undo: "Undo", yes: "Yes", no: "No", name: "Name", value: "Value", next: "Next", previous: "Previous", you: "you", agent: "Agent", home: "Home", id: "Id",
  showAll: "Show all", loadWhole: "Load the whole", export: "Export", usual: "as usual", moveUp: "Move up",
  skipToMessage: "Skip to the message field",

  // The frame.
  conversation: "Conversation", plan: "Plan", time: "Time", changes: "Files", about: "Session", panes: "Panes", closePane: "Close this pane", resize: "Width of the side pane",
  sessions: "Sessions", session: "Session", showList: "Show the sessions", hideList: "Hide the sessions", settings: "Settings", commands: "Commands", shortcuts: "Keyboard shortcuts",
  typeCommand: "Type a command or the name of a session", rename: "Rename", untitled: "Untitled",
  status: { idle: "Idle", executing: "Working", waiting: "Needs you", paused: "Paused", completed: "Done", failed: "Failed", cancelled: "Cancelled" },
  connection: { disconnected: "Offline", connecting: "Connecting…", connected: "Connected", active: "Live", reconnecting: "Reconnecting…", failed: "Not connected" },
  connectionHelp: {
    disconnected: "This page is not connected.", connecting: "Reaching the server.", connected: "The line is open; the session is on its way.", active: "What happens in the session shows here at once.",
    reconnecting: "The line was lost. It is tried again; nothing is lost.", failed: "It will not come back by itself.",
  },
  unsent: (n: number) => `${n} to send`,
  lineLost: "The connection to the server was lost. What you see stays; it goes on as soon as the server answers.",
  offline: "You are offline. What you see stays; it goes on when the network is back.",
  modelSilent: (name: string) => `The model does not answer (${name}).`, lineFailed: "This page is not connected, and does not come back by itself.", lineClosed: "The server has closed the connection.", tryNow: "Try now",
  details: "Details",
  advice: {
    reconnect: "Try again in a moment.", wait: "Wait a moment, then try again.", retry: "Try again.", shorten: "Make it shorter.", authenticate: "Open the address that the server printed, or enter its token.",
    refresh_token: "Your sign-in has run out: get a new token.", ask_owner: "Ask whoever it belongs to.", create_session: "Begin a new session.", decide: "Say what happened.", choose_another_id: "Choose another name.",
    unreachable: "See whether the server is running and the network is there, then try again.",
  } as Names,
  noSuchSession: "There is no such session", cannotOpen: "This session cannot be opened",

  // The gate.
  gateTitle: "Which token?", gateRefused: "This token is not valid any more",
  gateText: "This server answers only those who show its token. It is in the address that the server printed when it started.",
  gateLabel: "Token, or the whole address", gateHelp: "It stays in the open tabs of this page, and is gone when the last one is closed.", gateOpen: "Open",

  // Home and sessions.
  hello: "An agent that works on your files, and asks first",
  promises: ["It works in a folder of yours, in steps that you can watch.", "It asks before it acts. You see exactly what would happen.", "Nothing is lost: close the page whenever you like, and undo anything."],
  tourTitle: "See it in a minute",
  tourText: "No key is needed: an offline agent makes a plan, asks you, and writes a small file. Then go back, as if nothing had been.",
  tourTask: "create a file parley-hello.txt with Hello from Parley", tourName: "A first look", tourStart: "Start the tour",
  orWrite: "Or write what you want",
  ideas: [
    { label: "What is in this folder?", task: "what is here?" }, { label: "Show me a plan with steps at the same time", task: "make a plan" },
    { label: "Ask me something", task: "ask me something" }, { label: "Write a long text", task: "write a long text about rivers with 400 words" },
  ],
  keyHelp: "For a real model, set a key in your environment or choose one in the",
  newSession: "New session", search: "Search", filterStatus: "Show sessions with status", allStatuses: "All sessions", nothingFound: "Nothing found.", noTitle: "No session has this in its title.", noSessions: "No sessions yet.",
  unread: "has news", moreAbout: (title: string) => `More about ${title}`, pin: "Pin", unpin: "Unpin", inConversations: "In conversations", wasRewound: "left when you went back", notHere: "You went back to before this, so it is not in the conversation now.",
  title: "Title", titleHelp: "Left empty, it becomes the first words.", workspace: "Folder", workspaceHelp: "Where tools work. Left empty: the server's own.",
  model: "Model", modelHelp: "Left empty: the one in the settings.", models: "Models", modelsBuiltIn: "Always there", modelsNamed: "In your settings", modelsMissing: "not available now",
  modelsNote: "Prices are for a million tokens, read and written. Any other name can be written by hand, and several with | between them.", modelUnknown: "No model of this name is known. It is used as you write it.", standsFor: (name: string) => `now ${name}`, mode: "Mode", pipeline: "How it works",
  pipelines: { auto: "As needed", direct: "Straight on", planned: "Plan first" },
  pipelineHelp: { auto: "The agent decides whether a plan is worth it.", direct: "No plan: the agent works and answers.", planned: "What is asked is worked out first, then planned; you look at the plan before it runs." },
  deleteTitle: (title: string) => `Delete “${title}”?`, deleteText: "Its whole history goes, on all devices. This cannot be undone. Your files stay as they are.", deleted: (title: string) => `“${title}” is deleted`,

  // The conversation.
  emptyTalk: "This conversation is empty. Write below what you want.",
  message: "Message", writeMessage: "Write a message", writeHint: "What should be done?", steerHint: "Say something to the agent while it works", send: "Send", howToSend: "How to send",
  sendSteer: "Tell it now", sendQueue: "Let it wait its turn", sendInterrupt: "Stop, and do this instead",
  addPicture: "Add a picture", picture: "Picture", editing: "You are changing what you said. What came after it is hidden, and you can undo it.", editMessage: "Change this message",
  queue: "Waiting messages", waitingMessages: (n: number) => (n === 1 ? "1 message waits its turn" : `${n} messages wait their turn`),
  toBottom: "To the newest", thinking: "Thinking…", thought: "Thoughts", output: "Output", interrupted: "This attempt was interrupted; the call runs again.", cutShort: "The writing was interrupted here.",
  failureHelp: "Send another message to go on, or go back to an earlier place.",
  layers: { cognitive: "Working out what is asked…", planning: "Making a plan…", execution: "Working…", response: "Answering…" },
  callStatus: { running: "running", done: "done", failed: "failed", interrupted: "interrupted" },
  tools: {
    list_files: "List files", read_file: "Read", write_file: "Write", edit_file: "Edit", search_files: "Search", run_command: "Run", fetch_url: "Fetch", delegate: "Delegate", run_cell: "Run a cell", browse: "Browse",
  } as Names,
  openChild: "Open the session that does it", done: "Done", tokens: (n: string) => `${n} tokens`,
  condensed: (before: number, after: number) => `Summed up for the model: ${before.toLocaleString("en")} → ${after.toLocaleString("en")} tokens`,
  truncated: (n: number) => `${n} older messages are not told to the model any more`,
  linesAdded: (n: number) => `${n} lines added`, linesRemoved: (n: number) => `${n} lines removed`,

  // People.
  needsYou: "A person is needed",
  requestTitle: { hitl_plan_review: "May this plan run?", hitl_approval_request: "May this run?", hitl_input_request: "A question for you", hitl_clarification: "What do you mean?" },
  mayRun: (tool: string) => `The agent wants to use: ${tool}`, nth: (n: number, of: number) => `${n} of ${of}`, noDeadline: "no deadline", timeLeft: (t: string) => `${t} left to answer`,
  approve: "Allow", approvePlan: "Run it", skip: "Skip", reject: "Refuse", change: "Change…", editByHand: "Edit", answer: "Answer", suggestions: "Suggestions",
  remember: "Remember", remembers: { once: "only this time", session: "in this session", always: "always", never: "never again" }, reason: "Why? (if you like)",
  whatToChange: "What should be different?", askForChange: "Ask for it", asksFirst: "asks first",
  actions: { approve: "allowed", reject: "refused", skip: "skipped", modify: "asked for a change", withdraw: "withdrawn", answer: "answered", cancel: "cancelled" } as Names,
  optionNames: { retry: "Try again", skip: "Leave out", end: "End the plan", done: "It happened" } as Names,
  decided: (action: string, by: string) => `${action} by ${by}`, answered: (value: string, by: string) => `${by}: ${value}`,
  answeredElsewhere: (action: string, by: string) => `Answered elsewhere: ${action} by ${by}`, timedOut: (action: string) => `Nobody answered in time: ${action}`,
  keyYes: "Yes, to what is asked", keyNo: "No", keySkip: "Skip what is asked about", keyModify: "Change the plan in words", keyOption: "Pick an answer", keySend: "Send", keyLeave: "Leave the field",

  // Control, usage, setup.
  control: "Control", pause: "Pause", resume: "Resume", stop: "Stop",
  context: "The model's window", contextOf: (now: string, all: string, percent: number) => `${now} of ${all} tokens, ${percent}%`, contextShort: (percent: number) => `${percent}% full`, contextUnknown: "Not known before the first answer.",
  condense: "Sum up the past", condensing: "Summing up…", usage: "Used", tokensIn: "Tokens read", tokensOut: "Tokens written", tokensCached: "of these from the cache", tokensWord: "Tokens", cost: "Cost",
  setup: "Setup", planReview: "Plans", planReviews: { always: "ask before each plan", never: "run without asking", over: (usd: string) => `ask if it may cost more than $${usd}` },
  classes: { read: "Reading", write: "Writing files", execute: "Commands", browser: "Browser", mcp: "MCP tools" },
  classHelp: { read: "Looking at files and folders", write: "Creating and changing files", execute: "Programs on this machine", browser: "Pages on the web", mcp: "Tools of other servers" },
  created: "Begun", forkedFrom: "Fork of", together: "Together",
  formats: { archive: "Everything, in one file", markdown: "Markdown, to read", jsonl: "JSON lines", roo: "Roo Code task folder", store: "Message store", yaar: "messages.jsonl", ipynb: "Notebook" },

  // The plan.
  noPlan: "There is no plan now. When the agent makes one it is drawn here, and you can change it before it runs.",
  planStatus: { pending_approval: "Waits for you", approved: "Running", completed: "Done", failed: "Failed", rejected: "Refused", cancelled: "Cancelled" },
  todoStatus: { pending: "not begun", in_progress: "running", completed: "done", failed: "failed", skipped: "skipped", cancelled: "cancelled" },
  doneOf: (n: number, of: number) => `${n} of ${of} done`, about_: (t: string) => `about ${t}`, progress: "Progress", graph: "Graph", editPlan: "Edit", after: (n: string) => `after ${n}`, retried: (n: number) => `tried again ${n}×`,
  retryTodo: (task: string) => `Try again: ${task}`, skipTodo: (task: string) => `Skip: ${task}`, removeTodo: (task: string) => `Remove: ${task}`, task: "Task", waitsFor: "after", waitsForTodo: (task: string) => `Waits for: ${task}`,
  newTodo: "Another step", tool: "Tool", toolInput: "Input (JSON or a path)", command: "Command", sendChanges: (n: number) => (n === 1 ? "Apply 1 change" : `Apply ${n} changes`),

  // Time. There is one way to go back, "Go back to here", and one to take that back, "Undo".
  goBack: "Go back to here", goBackTitle: "Go back to here?", goBackText: "Nothing is removed: you can undo it.", undoBack: "Undo going back", undone: "Undone: it is as it was before",
  now: "Now", older: "Older", noMoments: "Nothing has happened yet.", timeRail: "Moments of this session", otherWays: "Other ways it went", records: (n: number) => `${n} records`,
  forkHere: "Fork from here", fork: "Fork", forkText: "A new session with everything up to there. Both go on by themselves.", forkName: (title: string) => `${title} (fork)`, forked: "This is the fork",
  rightBefore: "To right before this was said:", rightAfter: "To right after this:", lookingBack: "Looking at what would change…",
  whatGoesBack: "What goes back", hows: { both: "Conversation and files", conversation: "Conversation only", files: "Files only" },
  hides: (n: number) => (n === 1 ? "1 message is hidden" : `${n} messages are hidden`), shows: (n: number) => (n === 1 ? "1 message comes back" : `${n} messages come back`),
  todosBack: (n: number) => (n === 1 ? "1 todo goes back" : `${n} todos go back`), thenIs: (status: string) => `The session is then: ${status}`,
  conversationStays: "The conversation stays as it is", filesStay: "The files stay as they are", noFilesChange: "No file changes", filesGoBack: (n: number) => (n === 1 ? "1 file goes back" : `${n} files go back`),
  stay: (n: number) => (n === 1 ? "1 file stays as it is: see below" : `${n} files stay as they are: see below`), linesBack: "lines that come back", linesGone: "lines that go", fileBack: { added: "comes back", modified: "changes back", deleted: "goes", type: "changes back" } as Names,
  filesToo: "The files go back too",
  filesCannot: "The files cannot go back to here", stateGone: "The state of the files at that time is not kept any more.", folderGone: "The folder of this session cannot be opened. Is it still where it was?",
  keptFiles: "These files stay as they are",
  keptWhy: {
    edited: "you changed it since", conflict: "you changed the same lines since", meanwhile: "it changed at that very moment", not_captured: "its earlier version was not captured", ignored: "it was ignored before",
    in_the_way: "something else has its place", other_mount: "it lies on another file system", failed: "the system refused",
  } as Names,
  keptCopy: "The other version is in",
  wentBack: (messages: number, files: number) => `You went back${messages ? `: ${messages} ${messages === 1 ? "message is" : "messages are"} hidden` : ""}${files ? `${messages ? "," : ":"} ${files} ${files === 1 ? "file is" : "files are"} as before` : ""}`,
  youWentBack: "You went back. Write something to go on from here, or:", filesWentBack: (n: number) => (n === 1 ? "1 file went back. The conversation is as it was." : `${n} files went back. The conversation is as it was.`),
  checkpoints: "Checkpoints of the files", filesKept: (n: number) => (n === 1 ? "Files kept, 1 changed" : `Files kept, ${n} changed`), noCheckpoints: "The agent has not changed any files in this session.",
  filesChanged: (n: number) => (n === 1 ? "1 file" : `${n} files`), incomplete: "not all files", incompleteHelp: "The folder is too large to have been looked at in time. What was not seen is left alone when you go back.",
  notCaptured: (n: number) => (n === 1 ? "1 file not captured" : `${n} files not captured`), notCapturedHelp: "They are too large or cannot be read. Going back does not touch them.",
  reasons: { start: "Before the first change", restore: "After going back" } as Names, leftBehind: "left when you went back", notBack: (why: string) => `The files could not go back: ${why}`, stayed: (n: number) => (n === 1 ? "1 file stayed as it was" : `${n} files stayed as they were`), unkept: (why: string) => `The files could not be kept: ${why}`,
  fileChange: { added: "new", created: "new", modified: "changed", deleted: "deleted", removed: "deleted", renamed: "renamed", type: "changed" } as Names,
  wasNamed: (old: string) => `was ${old}`, notText: "not a text", tooLarge: "too large to show", moreLines: (n: number) => `Show more: ${n} lines are left`, allFiles: (n: number) => `Show all ${n} files`, moreFiles: "There are more files than are listed here.",
  compare: "Compare", compareTitle: "What differs in the files", compareFrom: "From", compareTo: "To", noDifference: "Nothing differs.",

  // Settings.
  tabs: { browser: "This browser", agent: "Agent", approval: "Approval", limits: "Limits", keeping: "Keeping", others: "Others", mcp: "MCP servers", secrets: "Secrets", portable: "Export, import", usage: "Usage" },
  languages: { auto: "The one you write in", en: "English", ko: "한국어" }, forEverybody: "holds for everybody on this server", notJSON: (why: string) => `This is not JSON: ${why}`,
  from: { default: "the default", file: "from parley.yaml", environment: "from the environment", flag: "from the command line", server: "set for this server", owner: "set by you", session: "set for this session" }, asElsewhere: "As elsewhere", moreSettings: "More settings", setHere: (n: number) => `${n} set for this session`,
  theme: "Colours", themes: { system: "As the system", light: "Light", dark: "Dark" }, language: "Language", notify: "Notifications", notifyHelp: "When a person is needed and you look elsewhere.",
  notifyRefused: "The browser does not allow notifications for this page. Its settings can change that.", enterSends: "Enter sends", enterSendsHelp: "Otherwise Ctrl Enter does, and Enter begins a new line.",
  secretsHelp: "Keys and tokens. They are stored encrypted and never shown again; settings name them as secret:NAME.", noSecrets: "None are stored.", forget: (name: string) => `Remove ${name}`,
  forgetTitle: (name: string) => `Remove ${name}?`, forgetText: "What uses it will not work any more. Nobody can bring it back: you would have to enter it again.", secretGone: (name: string) => `${name} is removed`,
  secretName: "Capital letters, digits and _.", replaces: "There is one of this name: it will be replaced.",
  secretKey: { keyring: "Their key is in the keyring of this machine's desktop.", file: "Their key lies beside them in the data folder, readable by the server's user alone." } as Names,
  portableHelp: "What is set for you, and for an admin what is set for the server; no secrets. The file is the one of “parley settings export”.", exportSettings: "Export settings", importSettings: "Import settings…",
  imported: (n: number) => (n === 1 ? "1 setting is imported" : `${n} settings are imported`),
  serversHelp: "Servers that give agents more tools: a program on this machine, or an address.", noServers: "None yet.", serverWhere: "Command or address",
};
