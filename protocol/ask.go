package protocol

// Ask is a question to a person, inside a message.
type Ask string

const (
	AskFollowup               Ask = "followup"
	AskCommand                Ask = "command"
	AskCommandOutput          Ask = "command_output"
	AskCompletionResult       Ask = "completion_result"
	AskTool                   Ask = "tool"
	AskAPIReqFailed           Ask = "api_req_failed"
	AskResumeTask             Ask = "resume_task"
	AskResumeCompletedTask    Ask = "resume_completed_task"
	AskMistakeLimitReached    Ask = "mistake_limit_reached"
	AskBrowserActionLaunch    Ask = "browser_action_launch"
	AskUseMCPServer           Ask = "use_mcp_server"
	AskAutoApprovalMaxReached Ask = "auto_approval_max_req_reached"
)

// AskClass says what an open ask means for the session.
type AskClass string

const (
	AskIdle        AskClass = "idle"         // the work rests
	AskResumable   AskClass = "resumable"    // the work can be taken up again
	AskInteractive AskClass = "interactive"  // an answer is awaited
	AskNonBlocking AskClass = "non_blocking" // the work goes on meanwhile
)

// AskSpec is one row of the table of asks.
type AskSpec struct {
	Ask   Ask
	Class AskClass
	Doc   string
}

// Asks lists every ask with its class.
func Asks() []AskSpec {
	return []AskSpec{
		{AskFollowup, AskInteractive, "a further question"},
		{AskCommand, AskInteractive, "may this command run?"},
		{AskCommandOutput, AskNonBlocking, "go on while the command runs?"},
		{AskCompletionResult, AskIdle, "is the work done?"},
		{AskTool, AskInteractive, "may this tool be used?"},
		{AskAPIReqFailed, AskIdle, "the model failed; try again?"},
		{AskResumeTask, AskResumable, "go on with interrupted work?"},
		{AskResumeCompletedTask, AskIdle, "take up finished work again?"},
		{AskMistakeLimitReached, AskIdle, "too many mistakes; go on?"},
		{AskBrowserActionLaunch, AskInteractive, "may the browser be used?"},
		{AskUseMCPServer, AskInteractive, "may this MCP server be used?"},
		{AskAutoApprovalMaxReached, AskIdle, "many automatic approvals; go on?"},
	}
}

// Class says what the ask means for the session; "" if there is no such ask.
func (a Ask) Class() AskClass {
	for _, s := range Asks() {
		if s.Ask == a {
			return s.Class
		}
	}
	return ""
}
