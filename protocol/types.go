package protocol

// Records.
const (
	TypeSessionCreated Type = "session_created"
	TypeSessionUpdated Type = "session_updated"
	TypeForked         Type = "forked"
	TypeRewound        Type = "rewound"

	TypeMessageAccepted Type = "message_accepted"
	TypeMessageQueued   Type = "message_queued"
	TypeQueueChanged    Type = "queue_changed"
	TypeMessage         Type = "message"

	TypeTurnStarted    Type = "turn_started"
	TypeLayerStart     Type = "layer_start"
	TypeLayerComplete  Type = "layer_complete"
	TypeModelStarted   Type = "model_started"
	TypeModelCompleted Type = "model_completed"
	TypeToolStarted    Type = "tool_started"
	TypeToolCompleted  Type = "tool_completed"
	TypeComplete       Type = "complete"
	TypeFailed         Type = "failed"

	TypePlanGenerated     Type = "plan_generated"
	TypePlanModified      Type = "plan_modified"
	TypePlanApproved      Type = "plan_approved"
	TypePlanRejected      Type = "plan_rejected"
	TypeTodoStarted       Type = "todo_started"
	TypeTodoProgress      Type = "todo_progress"
	TypeTodoCompleted     Type = "todo_completed"
	TypeTodoFailed        Type = "todo_failed"
	TypeTodoSkipped       Type = "todo_skipped"
	TypeExecutionProgress Type = "execution_progress"

	TypeHitlPlanReview      Type = "hitl_plan_review"
	TypeHitlApprovalRequest Type = "hitl_approval_request"
	TypeHitlInputRequest    Type = "hitl_input_request"
	TypeHitlClarification   Type = "hitl_clarification"
	TypeHitlResolved        Type = "hitl_resolved"
	TypeHitlPaused          Type = "hitl_paused"
	TypeResumed             Type = "resumed"

	TypeCheckpointSaved    Type = "checkpoint_saved"
	TypeCheckpointRestored Type = "checkpoint_restored"
	TypeCheckpointFailed   Type = "checkpoint_failed"

	TypeWindowAgentStatus Type = "window_agent_status"
	TypeActions           Type = "actions"
	TypeMonitorAdded      Type = "monitor_added"
	TypeMonitorRemoved    Type = "monitor_removed"
	TypeKernelStatus      Type = "kernel_status"
	TypeCellExecuted      Type = "cell_executed"
)

// Signals.
const (
	TypeSessionState       Type = "session_state"
	TypeAck                Type = "ack"
	TypeError              Type = "error"
	TypePing               Type = "ping"
	TypeAuthResult         Type = "auth_result"
	TypeAgentResponse      Type = "agent_response"
	TypeAgentThinking      Type = "agent_thinking"
	TypeToolProgress       Type = "tool_progress"
	TypeConnectionStatus   Type = "connection_status"
	TypeSettingsChanged    Type = "settings_changed"
	TypeAppProtocolRequest Type = "app_protocol_request"
)

// Commands.
const (
	TypeAuth        Type = "auth"
	TypePong        Type = "pong"
	TypeUserMessage Type = "user_message"

	TypeHitlPlanResponse          Type = "hitl_plan_response"
	TypeHitlApprovalResponse      Type = "hitl_approval_response"
	TypeHitlInputResponse         Type = "hitl_input_response"
	TypeHitlClarificationResponse Type = "hitl_clarification_response"
	TypeDialogFeedback            Type = "dialog_feedback"
	TypeUserPromptResponse        Type = "user_prompt_response"

	TypeControlPause   Type = "control_pause"
	TypeControlResume  Type = "control_resume"
	TypeControlCancel  Type = "control_cancel"
	TypeControlRetry   Type = "control_retry"
	TypeControlSkip    Type = "control_skip"
	TypeInterrupt      Type = "interrupt"
	TypeInterruptAgent Type = "interrupt_agent"
	TypeReset          Type = "reset"

	TypeRewind            Type = "rewind"
	TypeRewindUndo        Type = "rewind_undo"
	TypeFork              Type = "fork"
	TypeCondense          Type = "condense"
	TypeEditMessage       Type = "edit_message"
	TypeDeleteMessage     Type = "delete_message"
	TypeCheckpointRestore Type = "checkpoint_restore"

	TypePlanEdit       Type = "plan_edit"
	TypeQueueEdit      Type = "queue_edit"
	TypeUpdateSession  Type = "update_session"
	TypeUpdateSettings Type = "update_settings"
	TypeSetProvider    Type = "set_provider"

	TypeWindowMessage       Type = "window_message"
	TypeComponentAction     Type = "component_action"
	TypeRenderingFeedback   Type = "rendering_feedback"
	TypeToastAction         Type = "toast_action"
	TypeUserInteraction     Type = "user_interaction"
	TypeAppProtocolResponse Type = "app_protocol_response"
	TypeAppProtocolReady    Type = "app_protocol_ready"
	TypeSubscribeMonitor    Type = "subscribe_monitor"
	TypeRemoveMonitor       Type = "remove_monitor"
)
