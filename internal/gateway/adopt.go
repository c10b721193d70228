package gateway

import (
	"context"
	"time"

	"github.com/parley-dev/parley/internal/auth"
	"github.com/parley-dev/parley/internal/engine"
	"github.com/parley-dev/parley/internal/exchange"
	"github.com/parley-dev/parley/protocol"
)

// Adopt takes in a session that was read from a file. It belongs to the caller,
// who needs the same permission as for making one. It keeps its id if that is
// free, and else gets a new one, which the report says; with as it has that id
// or is refused.
func (g *Gateway) Adopt(ctx context.Context, c Caller, as string, in *exchange.Incoming) (id string, err error) {
	if err := g.MayAdopt(c, as); err != nil {
		return "", err
	}
	if err := g.settleIn(c, in); err != nil {
		return "", err
	}
	for _, hash := range in.Blobs {
		content, err := in.Blob(hash)
		if err != nil {
			return "", err
		}
		if _, err := g.Engine.Blobs.Put(ctx, content); err != nil {
			return "", err
		}
	}
	a := engine.Adoption{Records: in.Records, Frames: in.Frames, Blobs: in.Blobs, By: c.actor()}
	if as != "" {
		return as, g.Engine.Adopt(ctx, as, a)
	}
	if in.ID != "" {
		err := g.Engine.Adopt(ctx, in.ID, a)
		if err == nil || !taken(err) {
			return in.ID, err
		}
	}
	id = NewSessionID()
	if err := g.Engine.Adopt(ctx, id, a); err != nil {
		return "", err
	}
	if in.ID != "" {
		in.Report.Add("", "the id %s is taken; the session is now %s", in.ID, id)
	}
	return id, nil
}

// MayAdopt says whether the caller may take in a session under this id, if one
// is named: before a long file is read for nothing.
func (g *Gateway) MayAdopt(c Caller, as string) error {
	if err := c.Check(time.Now()); err != nil {
		return err
	}
	if err := auth.Allow(c.Identity, auth.Create, "", ""); err != nil {
		return err
	}
	if as == "" {
		return nil
	}
	if err := protocol.CheckSessionID(as); err != nil {
		return protocol.Errorf(protocol.CodeInvalidMessage, "%s", err)
	}
	return nil
}

// taken says that an id belongs to a session, or belonged to one.
func taken(err error) bool {
	code := protocol.AsError(err).Code
	return code == protocol.CodeSessionInvalidState || code == protocol.CodeSessionExpired
}

// settleIn makes the session the caller's: whose it is, where it works, and
// which sessions of another server it does not belong to.
func (g *Gateway) settleIn(c Caller, in *exchange.Incoming) error {
	created, err := in.Created()
	if err != nil {
		return err
	}
	with := *created
	with.Owner, with.ParentID, with.RootID = c.User, "", ""
	if err := g.placeWorkspace(c, &with); err != nil {
		in.Report.Add("", "it does not work in %s here: %s", created.Workspace, protocol.AsError(err).Message)
		with.Workspace = g.Workspace
	}
	return in.SetCreated(&with)
}
