package protocol

import (
	"errors"
	"fmt"
)

// Code is the number of an error on the wire.
type Code int

const (
	CodeConnectionFailed  Code = 1001
	CodeConnectionTimeout Code = 1002
	CodeInvalidMessage    Code = 1003
	CodeRateLimited       Code = 1004
	CodeMessageTooLarge   Code = 1005

	CodeAuthRequired Code = 2001
	CodeAuthFailed   Code = 2002
	CodeTokenExpired Code = 2003
	CodeForbidden    Code = 2004

	CodeSessionNotFound     Code = 3001
	CodeSessionExpired      Code = 3002
	CodeSessionInvalidState Code = 3003

	CodeExecutionFailed Code = 4001
	CodeTodoFailed      Code = 4002
	CodeToolTimeout     Code = 4003
	CodeOutcomeUnknown  Code = 4004

	CodeRequestTimeout  Code = 5001
	CodeInvalidResponse Code = 5002
	CodeRequestExpired  Code = 5003
)

// ErrorSpec is one row of the error table.
type ErrorSpec struct {
	Code        Code
	Name        string
	Recoverable bool
	HTTP        int    // the status REST answers with
	Action      string // suggested_action unless the error names another
	Doc         string
}

// Errors lists every error a client can see.
func Errors() []ErrorSpec {
	return []ErrorSpec{
		{CodeConnectionFailed, "WS_CONNECTION_FAILED", true, 503, "reconnect", "The server cannot serve this connection now."},
		{CodeConnectionTimeout, "WS_CONNECTION_TIMEOUT", true, 504, "reconnect", "The other side did not answer in time."},
		{CodeInvalidMessage, "WS_INVALID_MESSAGE", false, 400, "fix_message", "The message is not understood; nothing changed."},
		{CodeRateLimited, "WS_RATE_LIMITED", true, 429, "wait", "Too many in too short a time; nothing changed."},
		{CodeMessageTooLarge, "WS_MESSAGE_TOO_LARGE", false, 413, "shorten", "The message is larger than the limit."},
		{CodeAuthRequired, "WS_AUTH_REQUIRED", true, 401, "authenticate", "A token or an API key is needed."},
		{CodeAuthFailed, "WS_AUTH_FAILED", false, 401, "authenticate", "The token or API key is not valid."},
		{CodeTokenExpired, "WS_TOKEN_EXPIRED", true, 401, "refresh_token", "The token was valid once and is not any more."},
		{CodeForbidden, "WS_FORBIDDEN", false, 403, "ask_owner", "The caller may not do this here."},
		{CodeSessionNotFound, "WS_SESSION_NOT_FOUND", false, 404, "create_session", "No such session, or not one the caller may see."},
		{CodeSessionExpired, "WS_SESSION_EXPIRED", false, 410, "create_session", "The session was deleted; its id is not used again."},
		{CodeSessionInvalidState, "WS_SESSION_INVALID_STATE", true, 409, "wait", "The session is not in a state that allows this."},
		{CodeExecutionFailed, "WS_EXECUTION_FAILED", true, 500, "retry", "The server could not carry this out; nothing changed."},
		{CodeTodoFailed, "WS_TODO_FAILED", true, 409, "retry", "A todo failed."},
		{CodeToolTimeout, "WS_TOOL_TIMEOUT", true, 504, "retry", "A tool took longer than allowed."},
		{CodeOutcomeUnknown, "WS_OUTCOME_UNKNOWN", true, 409, "decide", "It is not known whether an action happened; a person must say."},
		{CodeRequestTimeout, "WS_HITL_TIMEOUT", true, 408, "none", "Nobody answered a request in time."},
		{CodeInvalidResponse, "WS_HITL_INVALID_RESPONSE", false, 422, "fix_message", "The answer does not fit the request; nothing changed."},
		{CodeRequestExpired, "WS_HITL_REQUEST_EXPIRED", false, 410, "none", "The request is answered, expired or withdrawn."},
	}
}

// Spec finds the row of a code.
func (c Code) Spec() (ErrorSpec, bool) {
	for _, s := range Errors() {
		if s.Code == c {
			return s, true
		}
	}
	return ErrorSpec{}, false
}

// Error is an error a client sees, and the payload of the signal `error`.
type Error struct {
	Code            Code           `json:"code"`
	Name            string         `json:"name"`
	Message         string         `json:"message"`
	Recoverable     bool           `json:"recoverable"`
	SuggestedAction string         `json:"suggested_action,omitempty"`
	Context         map[string]any `json:"context,omitempty"`
	InReplyTo       string         `json:"in_reply_to,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d): %s", e.Name, e.Code, e.Message) }

// Errorf makes an error with the code's name, and a message for a person.
func Errorf(code Code, format string, args ...any) *Error {
	e := &Error{Code: code, Message: fmt.Sprintf(format, args...)}
	if s, ok := code.Spec(); ok {
		e.Name, e.Recoverable, e.SuggestedAction = s.Name, s.Recoverable, s.Action
	}
	return e
}

// With adds one fact to the error's context.
func (e *Error) With(key string, value any) *Error {
	if e.Context == nil {
		e.Context = map[string]any{}
	}
	e.Context[key] = value
	return e
}

// AsError finds the protocol error inside err. What is none becomes
// WS_EXECUTION_FAILED without its text: inner details are for the log.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Errorf(CodeExecutionFailed, "the server could not do this; its log says why")
}

// CloseCode is a WebSocket close code. 4000–4499 ask the client to reconnect,
// 4500–4999 ask it not to.
type CloseCode int

const (
	CloseProtocolError CloseCode = 1002
	CloseInvalidText   CloseCode = 1007
	CloseTooBig        CloseCode = 1009
	CloseInternal      CloseCode = 1011
	CloseTryLater      CloseCode = 1013
	CloseStopping      CloseCode = 4000
	CloseHeartbeatLost CloseCode = 4002
	CloseTooSlow       CloseCode = 4003
	CloseAuthFailed    CloseCode = 4500
	CloseTakenOver     CloseCode = 4501
	CloseDeleted       CloseCode = 4502
	CloseForbidden     CloseCode = 4503
)

// CloseSpec is one row of the table of close codes.
type CloseSpec struct {
	Code      CloseCode
	Reconnect bool
	Doc       string
}

// CloseCodes lists why the server closes a connection.
func CloseCodes() []CloseSpec {
	return []CloseSpec{
		{CloseProtocolError, false, "a frame broke the rules of WebSocket"},
		{CloseInvalidText, false, "a text frame was not UTF-8"},
		{CloseTooBig, false, "a frame was larger than the limit"},
		{CloseInternal, true, "the server failed"},
		{CloseTryLater, true, "too many connections; come back later"},
		{CloseStopping, true, "the server is stopping"},
		{CloseHeartbeatLost, true, "two heartbeats were not answered"},
		{CloseTooSlow, true, "the client is too slow to catch up"},
		{CloseAuthFailed, false, "authentication failed"},
		{CloseTakenOver, false, "the same client_id connected again"},
		{CloseDeleted, false, "the session was deleted"},
		{CloseForbidden, false, "not allowed"},
	}
}

// Reconnect says whether a client closed with this code should come back.
func (c CloseCode) Reconnect() bool {
	for _, s := range CloseCodes() {
		if s.Code == c {
			return s.Reconnect
		}
	}
	return c < 4500
}
