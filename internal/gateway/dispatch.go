package gateway

import (
	"context"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/session"
	"github.com/parley-dev/parley/protocol"
)

// route says what a command asks of its caller.
type route struct {
	action auth.Action
	// answers marks the commands that answer a request: they are counted.
	answers bool
	// may asks more of the caller than the action; nil asks no more.
	may func(g *Gateway, ctx context.Context, c Caller, id string) error
	// do treats what cannot go to the session as it is; nil gives it to the engine.
	do func(g *Gateway, ctx context.Context, id string, payload any, c session.Command) (engine.Result, error)
}

// routes is the one dispatch table. A command of the protocol that is missing
// here belongs to a connection (auth, pong), or is not built.
var routes = map[protocol.Type]route{
	protocol.TypeUserMessage:   {action: auth.Write},
	protocol.TypeQueueEdit:     {action: auth.Write},
	protocol.TypeControlCancel: {action: auth.Write},
	protocol.TypeInterrupt:     {action: auth.Write},
	protocol.TypeUpdateSession: {action: auth.Write},
	protocol.TypeSetProvider:   {action: auth.Write},

	protocol.TypeRewind:        {action: auth.Write, do: (*Gateway).rewind},
	protocol.TypeRewindUndo:    {action: auth.Write, do: (*Gateway).rewindUndo},
	protocol.TypeEditMessage:   {action: auth.Write, do: (*Gateway).editMessage},
	protocol.TypeDeleteMessage: {action: auth.Write, do: (*Gateway).deleteMessage},
	protocol.TypeReset:         {action: auth.Write, do: (*Gateway).reset},
	protocol.TypeCondense:      {action: auth.Write},

	protocol.TypeUpdateSettings:    {action: auth.Read},
	protocol.TypeCheckpointRestore: {action: auth.Write, do: (*Gateway).checkpointRestore},
	protocol.TypeFork:              {action: auth.Read, do: (*Gateway).fork, may: (*Gateway).mayFork},

	protocol.TypeControlPause:  {action: auth.Write},
	protocol.TypeControlResume: {action: auth.Write},
	protocol.TypeControlRetry:  {action: auth.Write},
	protocol.TypeControlSkip:   {action: auth.Write},
	protocol.TypePlanEdit:      {action: auth.Write},

	protocol.TypeHitlPlanResponse:          {action: auth.Answer, answers: true},
	protocol.TypeHitlApprovalResponse:      {action: auth.Answer, answers: true},
	protocol.TypeHitlInputResponse:         {action: auth.Answer, answers: true},
	protocol.TypeHitlClarificationResponse: {action: auth.Answer, answers: true},
	protocol.TypeDialogFeedback:            {action: auth.Answer, answers: true},
	protocol.TypeUserPromptResponse:        {action: auth.Answer, answers: true},
}

// Command gives a caller's command to its session. The envelope's message_id,
// if there is one, makes it act once.
func (g *Gateway) Command(ctx context.Context, c Caller, id string, e protocol.Envelope, payload any) (engine.Result, error) {
	r, ok := routes[e.Type]
	if !ok {
		return engine.Result{}, protocol.Errorf(protocol.CodeInvalidMessage,
			"%q is known but not built in this version", e.Type).With("type", e.Type)
	}
	if e.SessionID != "" && e.SessionID != id {
		return engine.Result{}, protocol.Errorf(protocol.CodeInvalidMessage,
			"the message names session %q, but this is %q", e.SessionID, id)
	}
	if err := g.Authorize(ctx, c, r.action, id); err != nil {
		return engine.Result{}, err
	}
	if err := g.checkModel(ctx, modelOf(payload)); err != nil {
		return engine.Result{}, err
	}
	if u, ok := payload.(*protocol.UpdateSession); ok && u.Mode != nil {
		if err := g.checkMode(c.User, *u.Mode); err != nil {
			return engine.Result{}, err
		}
	}
	if u, ok := payload.(*protocol.UpdateSession); ok && len(u.Settings) > 0 {
		if err := g.mayOwn(ctx, c, id, u.Settings); err != nil {
			return engine.Result{}, err
		}
	}
	if u, ok := payload.(*protocol.UpdateSettings); ok {
		return engine.Result{}, g.updateSettings(c, u)
	}
	if r.answers {
		if err := g.Limiter.Answer(id); err != nil {
			return engine.Result{}, err
		}
	}
	command := session.Command{Type: e.Type, Data: payload, By: c.actor(), Cause: g.Cause(c, e)}
	if r.may != nil {
		if err := r.may(g, ctx, c, id); err != nil {
			return engine.Result{}, err
		}
	}
	if r.do != nil {
		told, result, again, err := g.Engine.Repeated(ctx, id, command.Cause)
		if again || err != nil {
			result.Answer = told
			return result, err
		}
		return r.do(g, ctx, id, payload, command)
	}
	return g.Engine.Do(ctx, id, command)
}

// modelOf is the model that a command names.
func modelOf(payload any) string {
	switch d := payload.(type) {
	case *protocol.UpdateSession:
		if d.Model != nil {
			return *d.Model
		}
	case *protocol.SetProvider:
		if d.Model != "" {
			return d.Model
		}
		return d.Provider
	}
	return ""
}

// Cause is how a message with an id of its own is remembered; nil without one.
func (g *Gateway) Cause(c Caller, e protocol.Envelope) *protocol.Cause {
	if e.MessageID == "" {
		return nil
	}
	return &protocol.Cause{Scope: c.scope(), MessageID: e.MessageID, Digest: protocol.Digest(e)}
}

// updateSettings changes what the caller has set. The session it came through
// is only the way.
func (g *Gateway) updateSettings(c Caller, u *protocol.UpdateSettings) error {
	if err := auth.Allow(c.Identity, auth.Create, "", ""); err != nil {
		return err
	}
	if g.Settings == nil {
		return protocol.Errorf(protocol.CodeInvalidMessage, "this server has no settings to change")
	}
	return g.Settings.Update(c.User, u.Settings, auth.Allow(c.Identity, auth.Admin, "", "") == nil)
}
