package protocol

//go:generate go run ./internal/gen -root ..

import "strings"

// Spec is one row of the table of types.
type Spec struct {
	Type   Type
	Family Family
	Group  string
	Doc    string
	// Later marks a type whose place is fixed and that is not built yet.
	Later bool
	// New gives a pointer to an empty payload.
	New func() any
}

func row[T any](t Type, f Family, group, doc string) Spec {
	return Spec{Type: t, Family: f, Group: group, Doc: doc, New: func() any { return new(T) }}
}

func (s Spec) later() Spec {
	s.Later = true
	return s
}

// Table lists every type: records, then signals, then commands.
func Table() []Spec {
	var all []Spec
	all = append(all, records()...)
	all = append(all, signals()...)
	return append(all, commands()...)
}

// specs never changes: it is the table by type.
var specs = func() map[Type]Spec {
	m := make(map[Type]Spec)
	for _, s := range Table() {
		m[s.Type] = s
	}
	return m
}()

// Lookup finds the row of a type.
func Lookup(t Type) (Spec, bool) {
	s, ok := specs[t]
	return s, ok
}

// CanonicalType gives the type as the table writes it: names are matched
// without regard to case. It does not say whether there is such a type.
func CanonicalType(name string) Type { return Type(strings.ToLower(name)) }

func records() []Spec {
	return []Spec{
		row[SessionCreated](TypeSessionCreated, Fact, "session", "A session began; always its first record."),
		row[SessionUpdated](TypeSessionUpdated, Fact, "session", "Title, model, pipeline, mode, approvals or settings of the session were changed."),
		row[Forked](TypeForked, Fact, "session", "This session is a copy of another one up to here."),
		row[Rewound](TypeRewound, Fact, "session", "The head moved; hidden records stay and can come back."),

		row[MessageAccepted](TypeMessageAccepted, Fact, "conversation", "A user's message went to an agent."),
		row[MessageQueued](TypeMessageQueued, Fact, "conversation", "A user's message waits for its turn."),
		row[QueueChanged](TypeQueueChanged, Fact, "conversation", "The waiting messages changed."),
		row[MessageRecord](TypeMessage, Fact, "conversation", "Something was said or asked."),

		row[TurnStarted](TypeTurnStarted, Fact, "turn", "An agent began to work on an input."),
		row[LayerStart](TypeLayerStart, Fact, "turn", "A stage of the turn began."),
		row[LayerComplete](TypeLayerComplete, Fact, "turn", "A stage of the turn ended."),
		row[ModelStarted](TypeModelStarted, Fact, "turn", "A model is about to be called."),
		row[ModelCompleted](TypeModelCompleted, Fact, "turn", "A model call ended."),
		row[ToolStarted](TypeToolStarted, Fact, "turn", "A tool is about to be called."),
		row[ToolCompleted](TypeToolCompleted, Fact, "turn", "A tool call ended."),
		row[Complete](TypeComplete, Fact, "turn", "The turn did what was asked."),
		row[Failed](TypeFailed, Fact, "turn", "The turn failed or was cancelled."),

		row[PlanGenerated](TypePlanGenerated, Fact, "plan", "A plan was made."),
		row[PlanModified](TypePlanModified, Fact, "plan", "The plan has a new version."),
		row[PlanApproved](TypePlanApproved, Fact, "plan", "The plan may run."),
		row[PlanRejected](TypePlanRejected, Fact, "plan", "The plan will not run."),
		row[TodoStarted](TypeTodoStarted, Fact, "plan", "A todo began."),
		row[TodoProgress](TypeTodoProgress, Fact, "plan", "A todo came further; at most one a second."),
		row[TodoCompleted](TypeTodoCompleted, Fact, "plan", "A todo did its task."),
		row[TodoFailed](TypeTodoFailed, Fact, "plan", "An attempt at a todo failed."),
		row[TodoSkipped](TypeTodoSkipped, Fact, "plan", "A todo was left out."),
		row[ExecutionProgress](TypeExecutionProgress, Fact, "plan", "The plan came further; at most one a second."),

		row[HitlPlanReview](TypeHitlPlanReview, Fact, "people", "A person is asked whether the plan may run."),
		row[HitlApprovalRequest](TypeHitlApprovalRequest, Fact, "people", "A person is asked whether a todo or a tool call may run."),
		row[HitlInputRequest](TypeHitlInputRequest, Fact, "people", "A person is asked for a value."),
		row[HitlClarification](TypeHitlClarification, Fact, "people", "A person is asked what was meant."),
		row[HitlResolved](TypeHitlResolved, Fact, "people", "A request was answered, expired or was withdrawn."),
		row[HitlPaused](TypeHitlPaused, Fact, "people", "The work was paused."),
		row[Resumed](TypeResumed, Fact, "people", "The work goes on."),

		row[CheckpointSaved](TypeCheckpointSaved, Fact, "files", "The workspace was kept as it is."),
		row[CheckpointRestored](TypeCheckpointRestored, Fact, "files", "The files of the workspace went back, as a rewind asked."),
		row[CheckpointFailed](TypeCheckpointFailed, Fact, "files", "The workspace could not be kept, or not be taken back."),

		row[WindowAgentStatus](TypeWindowAgentStatus, Fact, "desktop", "The agent behind a window changed.").later(),
		row[Actions](TypeActions, Fact, "desktop", "An agent changed the desktop.").later(),
		row[MonitorAdded](TypeMonitorAdded, Fact, "desktop", "A monitor was opened.").later(),
		row[MonitorRemoved](TypeMonitorRemoved, Fact, "desktop", "A monitor was closed.").later(),
		row[KernelStatus](TypeKernelStatus, Fact, "kernel", "A Jupyter kernel changed its state.").later(),
		row[CellExecuted](TypeCellExecuted, Fact, "kernel", "A Jupyter cell has run.").later(),
	}
}

func signals() []Spec {
	return []Spec{
		row[SessionState](TypeSessionState, Signal, "connection", "The whole state, on connecting and after a rewind."),
		row[Ack](TypeAck, Signal, "connection", "The answer to a command that carried a message_id."),
		row[Error](TypeError, Signal, "connection", "Something went wrong; the connection stays."),
		row[Empty](TypePing, Signal, "connection", "The heartbeat; answer with pong."),
		row[AuthResult](TypeAuthResult, Signal, "connection", "The answer to auth."),
		row[Delta](TypeAgentResponse, Signal, "stream", "The next piece of an answer being written."),
		row[Delta](TypeAgentThinking, Signal, "stream", "The next piece of a thought being written."),
		row[ToolProgress](TypeToolProgress, Signal, "stream", "What a running tool does."),
		row[SettingsChanged](TypeSettingsChanged, Signal, "session", "Settings that hold for the session's owner have changed: read them again."),
		row[ConnectionStatus](TypeConnectionStatus, Signal, "desktop", "Whether the model provider answers.").later(),
		row[AppProtocolRequest](TypeAppProtocolRequest, Signal, "desktop", "An agent asks the app in a window.").later(),
	}
}

func commands() []Spec {
	return []Spec{
		row[Auth](TypeAuth, Command, "connection", "Say who is calling, if the handshake did not."),
		row[Empty](TypePong, Command, "connection", "Answer a ping."),

		row[UserMessage](TypeUserMessage, Command, "conversation", "Say something to the agent."),
		row[EditMessage](TypeEditMessage, Command, "conversation", "Rewind to before a message and say it anew."),
		row[DeleteMessage](TypeDeleteMessage, Command, "conversation", "Rewind to before a message."),
		row[QueueEdit](TypeQueueEdit, Command, "conversation", "Reorder or remove waiting messages."),

		row[HitlPlanResponse](TypeHitlPlanResponse, Command, "people", "Approve, modify or reject a plan."),
		row[HitlApprovalResponse](TypeHitlApprovalResponse, Command, "people", "Approve, skip or reject a todo or a tool call."),
		row[HitlInputResponse](TypeHitlInputResponse, Command, "people", "Give the value that was asked for."),
		row[HitlClarificationResponse](TypeHitlClarificationResponse, Command, "people", "Say what was meant."),
		row[DialogFeedback](TypeDialogFeedback, Command, "people", "Answer an approval request with yes or no."),
		row[UserPromptResponse](TypeUserPromptResponse, Command, "people", "Answer an input request from a prompt window."),

		row[ControlPause](TypeControlPause, Command, "control", "Pause the work."),
		row[ControlResume](TypeControlResume, Command, "control", "Go on, with changes to the plan if wanted."),
		row[ControlCancel](TypeControlCancel, Command, "control", "Cancel what runs."),
		row[ControlRetry](TypeControlRetry, Command, "control", "Try a failed todo again."),
		row[ControlSkip](TypeControlSkip, Command, "control", "Leave a todo out."),
		row[PlanEdit](TypePlanEdit, Command, "control", "Change the plan."),
		row[ControlCancel](TypeInterrupt, Command, "control", "Cancel what runs; the same as control_cancel."),
		row[InterruptAgent](TypeInterruptAgent, Command, "control", "Stop one agent."),

		row[Rewind](TypeRewind, Command, "history", "Go back to an earlier point."),
		row[RewindUndo](TypeRewindUndo, Command, "history", "Take a rewind back."),
		row[Fork](TypeFork, Command, "history", "Make a new session from this one."),
		row[Condense](TypeCondense, Command, "history", "Summarise the past for the model."),
		row[CheckpointRestore](TypeCheckpointRestore, Command, "history", "Take the workspace back to a checkpoint."),
		row[Reset](TypeReset, Command, "history", "Cancel what runs and rewind to the start."),

		row[UpdateSession](TypeUpdateSession, Command, "settings", "Change title, model, pipeline, mode, approvals or settings of the session."),
		row[UpdateSettings](TypeUpdateSettings, Command, "settings", "Change the caller's settings."),
		row[SetProvider](TypeSetProvider, Command, "settings", "Change the model."),

		row[WindowMessage](TypeWindowMessage, Command, "desktop", "Say something to the agent of a window.").later(),
		row[ComponentAction](TypeComponentAction, Command, "desktop", "Click in a window.").later(),
		row[RenderingFeedback](TypeRenderingFeedback, Command, "desktop", "Say whether a window could be drawn.").later(),
		row[ToastAction](TypeToastAction, Command, "desktop", "Close a toast.").later(),
		row[UserInteraction](TypeUserInteraction, Command, "desktop", "Tell what a person did on the desktop.").later(),
		row[AppProtocolResponse](TypeAppProtocolResponse, Command, "desktop", "Answer an app_protocol_request.").later(),
		row[AppProtocolReady](TypeAppProtocolReady, Command, "desktop", "The app in a window takes requests.").later(),
		row[SubscribeMonitor](TypeSubscribeMonitor, Command, "desktop", "Ask for one monitor's records only.").later(),
		row[RemoveMonitor](TypeRemoveMonitor, Command, "desktop", "Close a monitor.").later(),
	}
}
