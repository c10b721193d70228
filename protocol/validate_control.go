package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

func (c *ControlRetry) Validate() error { return needID("todo_id", c.TodoID) }

func (c *ControlSkip) Validate() error { return needID("todo_id", c.TodoID) }

func (c *ControlResume) Validate() error { return checkChanges("modifications", c.Modifications) }

func (e *PlanEdit) Validate() error {
	if len(e.Changes) == 0 {
		return errors.New("changes is empty")
	}
	return errors.Join(plainID("plan_id", e.PlanID), checkChanges("changes", e.Changes))
}

func checkChanges(field string, changes []PlanChange) error {
	for i, c := range changes {
		if err := c.check(); err != nil {
			return fmt.Errorf("%s[%d]: %w", field, i, err)
		}
	}
	return nil
}

func (c PlanChange) check() error {
	if c.Action == ChangeAdd {
		if c.Task == nil || *c.Task == "" {
			return errors.New("task is missing: a new todo needs one")
		}
		return plainID("todo_id", c.TodoID)
	}
	return errors.Join(
		oneOf("action", c.Action, ChangeAdd, ChangeRemove, ChangeUpdate),
		needID("todo_id", c.TodoID),
	)
}

func (i *InterruptAgent) Validate() error {
	if i.AgentID == "" && i.Role == "" {
		return errors.New("name the agent by agent_id or role")
	}
	return errors.Join(plainID("agent_id", i.AgentID), plainID("role", i.Role))
}

func (u *UpdateSession) Validate() error {
	var err error
	if u.Pipeline != nil {
		err = oneOf("pipeline", *u.Pipeline, PipelineAuto, PipelineDirect, PipelinePlanned)
	}
	if u.AutoApprove != nil {
		for _, c := range *u.AutoApprove {
			err = errors.Join(err, oneOf("auto_approve", ToolClass(c), ToolClasses()...))
		}
	}
	return errors.Join(err, settingNames(u.Settings))
}

func settingNames(settings map[string]json.RawMessage) error {
	for name := range settings {
		if err := needID("the name of a setting", name); err != nil {
			return err
		}
	}
	return nil
}

func (u *UpdateSettings) Validate() error {
	if len(u.Settings) == 0 {
		return errors.New("settings is empty")
	}
	return settingNames(u.Settings)
}

func (s *SetProvider) Validate() error {
	if s.Provider == "" && s.Model == "" {
		return errors.New("name a provider or a model")
	}
	return errors.Join(plainID("provider", s.Provider), plainID("model", s.Model))
}

func (m *WindowMessage) Validate() error {
	return errors.Join(needID("window_id", m.WindowID), needWords(m.Content, m.Images))
}

func (c *ComponentAction) Validate() error {
	if c.Action == "" {
		return errors.New("action is missing")
	}
	return errors.Join(needID("window_id", c.WindowID), plainID("action_id", c.ActionID), plainID("form_id", c.FormID))
}

func (r *RenderingFeedback) Validate() error {
	return errors.Join(needID("window_id", r.WindowID), plainID("request_id", r.RequestID))
}

func (t *ToastAction) Validate() error {
	return errors.Join(needID("toast_id", t.ToastID), plainID("event_id", t.EventID))
}

func (u *UserInteraction) Validate() error {
	if len(u.Interactions) == 0 {
		return errors.New("interactions is empty")
	}
	if i := slices.IndexFunc(u.Interactions, func(i Interaction) bool { return i.Type == "" }); i >= 0 {
		return fmt.Errorf("interactions[%d].type is missing", i)
	}
	return nil
}

func (a *AppProtocolResponse) Validate() error {
	return errors.Join(needID("request_id", a.RequestID), plainID("window_id", a.WindowID))
}

func (a *AppProtocolReady) Validate() error { return needID("window_id", a.WindowID) }

func (s *SubscribeMonitor) Validate() error { return needID("monitor_id", s.MonitorID) }

func (r *RemoveMonitor) Validate() error { return needID("monitor_id", r.MonitorID) }
