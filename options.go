package parley

import (
	"log/slog"
	"time"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/tool"
)

// Options says what a server is made of. The zero value of a field means its
// default.
type Options struct {
	// Data is the folder that holds everything the server keeps. Required.
	Data string
	// Workspace is the folder in which sessions work that name none.
	Workspace string
	// Listen is the address Run serves on; 127.0.0.1:7717 by default. Port 0
	// takes a free one.
	Listen string
	// Model is the model of sessions that name none; "auto" by default.
	Model string
	// Models are the providers that Model and sessions can name; those of
	// DefaultModels() if nil, with keys from the server's secrets too.
	Models []model.Provider
	// Tools are what agents can do; those of DefaultTools() if nil, in a sandbox
	// that hides the server's data.
	Tools []tool.Tool
	// Sandbox is what holds the commands of agents: bubblewrap, landlock or none;
	// the best that works if empty.
	Sandbox string
	// Auth is "local" (a token of this machine), "none", or the path of a file
	// with accounts. "local" by default.
	Auth string
	// Config is a parley.yaml whose settings hold for everybody; none if empty.
	Config string
	// ConfigOptions are names in Config that are no settings but somebody
	// else's options.
	ConfigOptions []string
	// Flags are settings given on the command line; they go before Config and
	// the environment.
	Flags map[string]string
	// Origins are web origins that may call beside the server's own.
	Origins []string
	// Logger gets the server's log; the default discards it.
	Logger *slog.Logger
	// IdleAfter is how long a session that nobody needs stays in memory.
	IdleAfter time.Duration
	// Heartbeat is how often a WebSocket client is asked whether it is there.
	Heartbeat time.Duration
	// Retention limits what is kept. The janitor removes whole sessions beyond
	// it once an hour.
	Retention Retention
	// NoRateLimits turns off the limits on how often a client may call. For
	// load tests.
	NoRateLimits bool
}

func (o Options) orDefaults() Options {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:7717"
	}
	if o.Model == "" {
		o.Model = "auto"
	}
	if o.Auth == "" {
		o.Auth = "local"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}
