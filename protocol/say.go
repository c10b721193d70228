package protocol

// Say is something told, inside a message.
type Say string

const (
	SayAPIReqStarted           Say = "api_req_started"
	SayAPIReqFinished          Say = "api_req_finished"
	SayAPIReqRetried           Say = "api_req_retried"
	SayAPIReqRetryDelayed      Say = "api_req_retry_delayed"
	SayAPIReqDeleted           Say = "api_req_deleted"
	SayError                   Say = "error"
	SayText                    Say = "text"
	SayImage                   Say = "image"
	SayReasoning               Say = "reasoning"
	SayCompletionResult        Say = "completion_result"
	SayUserFeedback            Say = "user_feedback"
	SayUserFeedbackDiff        Say = "user_feedback_diff"
	SayCommandOutput           Say = "command_output"
	SaySubtaskResult           Say = "subtask_result"
	SayBrowserAction           Say = "browser_action"
	SayBrowserActionResult     Say = "browser_action_result"
	SayBrowserSessionStatus    Say = "browser_session_status"
	SayMCPServerRequestStarted Say = "mcp_server_request_started"
	SayMCPServerResponse       Say = "mcp_server_response"
	SayCondenseContext         Say = "condense_context"
	SayCondenseContextError    Say = "condense_context_error"
	SaySlidingWindowTruncation Say = "sliding_window_truncation"
	SayCheckpointSaved         Say = "checkpoint_saved"
	SayShellIntegrationWarning Say = "shell_integration_warning"
	SayIgnoreError             Say = "rooignore_error"
	SayDiffError               Say = "diff_error"
	SayCodebaseSearchResult    Say = "codebase_search_result"
	SayUserEditTodos           Say = "user_edit_todos"
	SayCellExecuted            Say = "cell_executed"
	SayKernelStatus            Say = "kernel_status"
)

// Says lists every kind of say.
func Says() []Say {
	return []Say{
		SayAPIReqStarted, SayAPIReqFinished, SayAPIReqRetried, SayAPIReqRetryDelayed, SayAPIReqDeleted,
		SayError, SayText, SayImage, SayReasoning,
		SayCompletionResult, SayUserFeedback, SayUserFeedbackDiff, SayCommandOutput, SaySubtaskResult,
		SayBrowserAction, SayBrowserActionResult, SayBrowserSessionStatus,
		SayMCPServerRequestStarted, SayMCPServerResponse,
		SayCondenseContext, SayCondenseContextError, SaySlidingWindowTruncation,
		SayCheckpointSaved, SayShellIntegrationWarning, SayIgnoreError, SayDiffError, SayCodebaseSearchResult,
		SayUserEditTodos, SayCellExecuted, SayKernelStatus,
	}
}
