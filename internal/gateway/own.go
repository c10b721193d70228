package gateway

import (
	"context"
	"encoding/json"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/protocol"
)

// Own says whether the caller may see and change the settings of a session,
// which go before those of its owner: the owner and admins may. The answer is
// whose session it is.
func (g *Gateway) Own(ctx context.Context, c Caller, id string) (owner string, err error) {
	if err := g.Authorize(ctx, c, auth.Read, id); err != nil {
		return "", err
	}
	if owner, err = g.Engine.Owner(ctx, id); err != nil {
		return "", g.hide(err, id)
	}
	if role := c.RoleIn(owner, id); role < auth.RoleOwner {
		return "", protocol.Errorf(protocol.CodeForbidden, "you are %s of this session; its settings belong to its owner", role)
	}
	return owner, nil
}

func (g *Gateway) mayOwn(ctx context.Context, c Caller, id string, own map[string]json.RawMessage) error {
	owner, err := g.Own(ctx, c, id)
	if err != nil {
		return err
	}
	return g.checkOwn(ctx, owner, own)
}

// checkOwn refuses settings for one session that could not be used there.
func (g *Gateway) checkOwn(ctx context.Context, owner string, own map[string]json.RawMessage) error {
	if len(own) == 0 {
		return nil
	}
	if g.Settings == nil {
		return protocol.Errorf(protocol.CodeInvalidMessage, "this server has no settings to change")
	}
	if err := g.Settings.CheckSession(owner, own); err != nil {
		return err
	}
	var named struct{ Model, Mode string }
	_ = json.Unmarshal(own["model"], &named.Model) // what is missing or null stays empty
	_ = json.Unmarshal(own["mode"], &named.Mode)
	if err := g.checkModel(ctx, named.Model); err != nil {
		return err
	}
	return g.checkMode(owner, named.Mode)
}
