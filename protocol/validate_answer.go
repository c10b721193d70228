package protocol

import "errors"

// An answer that cannot fit any request is WS_HITL_INVALID_RESPONSE, the same
// as one that does not fit its own.
func answer(id string, rules ...error) error {
	if err := errors.Join(append([]error{needID("request_id", id)}, rules...)...); err != nil {
		return Errorf(CodeInvalidResponse, "%s", sentence(err)).With("request_id", clip(id, maxMessageID))
	}
	return nil
}

func checkRemember(r Remember) error {
	return maybeOneOf("remember", r, RememberOnce, RememberSession, RememberAlways, RememberNever)
}

func (r *HitlPlanResponse) Validate() error {
	var instruction error
	if r.Action == ActionModify && r.Instruction == "" {
		instruction = errors.New("instruction is missing: say what to modify")
	}
	return answer(r.RequestID, oneOf("action", r.Action, ActionApprove, ActionModify, ActionReject), instruction)
}

func (r *HitlApprovalResponse) Validate() error {
	return answer(r.RequestID,
		oneOf("action", r.Action, ActionApprove, ActionSkip, ActionReject),
		plainID("todo_id", r.TodoID), checkRemember(r.Remember))
}

func (r *HitlInputResponse) Validate() error { return answer(r.RequestID) }

func (r *HitlClarificationResponse) Validate() error { return answer(r.RequestID) }

func (d *DialogFeedback) Validate() error { return answer(d.RequestID, checkRemember(d.Remember)) }

func (u *UserPromptResponse) Validate() error { return answer(u.RequestID) }
