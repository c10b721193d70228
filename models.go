package parley

import (
	"context"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/offline"
	"github.com/parley-dev/parley/model/script"
	"github.com/parley-dev/parley/tool"
	"github.com/parley-dev/parley/tool/builtin"
)

// DefaultModels are the providers of a server that names none: offline, script,
// and auto, which takes the best that is there.
func DefaultModels() []model.Provider {
	builtin := []model.Provider{offline.Provider(offline.Natural()), script.Provider()}
	return append(builtin, model.Provider{
		Prefix: "auto",
		Open: func(ctx context.Context, _ string) (model.Model, error) {
			return model.Resolve(ctx, builtin, "offline")
		},
	})
}

// DefaultTools are the tools of a server that names none.
func DefaultTools() []tool.Tool { return builtin.All() }
