package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/parley-dev/parley/internal/settings"
)

// configFile is looked for in the folder in which parley is started.
const configFile = "parley.yaml"

// config is the options that flags, the environment and parley.yaml name alike,
// in this order of force.
type config struct {
	data      string
	workspace string
	listen    string
	model     string
	auth      string
	origins   []string
	logLevel  string
	token     string
	server    string
	noLimits  bool
	sandbox   string
	keepAge   time.Duration
	keepSize  size
	keepCount int

	options []string // that a file may name
	given   []string // on the command line
}

func (c *config) register(f *pflag.FlagSet) {
	f.StringVar(&c.data, "data", "", "folder that keeps everything (default: the platform's data folder)")
	f.StringVar(&c.workspace, "workspace", "", "folder in which sessions work (default: this one)")
	f.StringVar(&c.listen, "listen", "127.0.0.1:7717", "address to serve on; port 0 takes a free one")
	f.StringVar(&c.model, "model", "auto", "model of sessions that name none: auto, offline, anthropic/NAME, openai/NAME, ollama/NAME, acp:CMD, script:FILE")
	f.StringVar(&c.auth, "auth", "local", "who may call: local (a token of this machine), none, or a file with accounts")
	f.StringSliceVar(&c.origins, "origins", nil, "web origins that may call beside the server's own")
	f.StringVar(&c.logLevel, "log-level", "info", "what is logged: debug, info, warn, error")
	f.StringVar(&c.token, "token", "", "token or API key for a server with accounts")
	f.StringVar(&c.server, "server", "", "URL of the server to talk to (default: the one that uses the data folder, else one for the time of the command)")
	f.DurationVar(&c.keepAge, "keep-age", 0, "remove sessions that have not changed for so long, such as 2160h")
	f.Var(&c.keepSize, "keep-size", "remove the oldest sessions beyond so many bytes together, such as 10GB")
	f.Lookup("keep-size").DefValue = "" // none, as for the other limits
	f.IntVar(&c.keepCount, "keep-count", 0, "remove the oldest sessions beyond so many")
	f.StringVar(&c.sandbox, "sandbox", "", "what holds the commands of agents: bubblewrap, landlock or none; the best that works if empty")
	f.BoolVar(&c.noLimits, "no-rate-limits", false, "do not limit how often clients call; for load tests")
}

// names of the options that a file or the environment may set.
func configurable(name string) bool {
	switch name {
	case "help", "json", "open":
		return false
	}
	return true
}

// resolve fills in what no flag has set: from PARLEY_* variables, then from
// parley.yaml in this folder.
func (c *config) resolve(f *pflag.FlagSet) error {
	file, err := readConfig(configFile)
	if err != nil {
		return err
	}
	var errs []error
	f.VisitAll(func(flag *pflag.Flag) {
		if !configurable(flag.Name) {
			return
		}
		fromFile, inFile := file[flag.Name]
		delete(file, flag.Name)
		c.options = append(c.options, flag.Name)
		if flag.Changed {
			c.given = append(c.given, flag.Name)
			return
		}
		env := "PARLEY_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		if value, ok := os.LookupEnv(env); ok {
			if err := f.Set(flag.Name, value); err != nil {
				errs = append(errs, fmt.Errorf("environment variable %s: %w", env, err))
			}
		} else if inFile {
			if err := f.Set(flag.Name, fromFile); err != nil {
				errs = append(errs, fmt.Errorf("parley.yaml: %s: %w", flag.Name, err))
			}
		}
	})
	for name := range file {
		if settings.IsKey(name) {
			continue
		}
		errs = append(errs, fmt.Errorf("parley.yaml: there is no option %q; `parley serve --help` lists them", name))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return c.complete()
}

// readConfig gives the options of a file as flags would write them.
func readConfig(path string) (map[string]string, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var values map[string]any
	if err := yaml.Unmarshal(raw, &values); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	options := map[string]string{}
	for name, v := range values {
		switch v := v.(type) {
		case []any:
			items := make([]string, len(v))
			for i, item := range v {
				items[i] = fmt.Sprint(item)
			}
			options[name] = strings.Join(items, ",")
		case map[string]any:
			if settings.IsKey(name) {
				options[name] = "" // the settings read it themselves
				continue
			}
			return nil, fmt.Errorf("%s: %s must be one value or a list", path, name)
		default:
			options[name] = fmt.Sprint(v)
		}
	}
	return options, nil
}

func (c *config) complete() (err error) {
	if c.keepAge < 0 || c.keepCount < 0 {
		return errors.New("--keep-age and --keep-count cannot be negative")
	}
	if c.data == "" {
		if c.data, err = defaultData(); err != nil {
			return err
		}
	}
	if c.data, err = filepath.Abs(c.data); err != nil {
		return err
	}
	if c.workspace == "" {
		c.workspace = "."
	}
	if c.workspace, err = filepath.Abs(c.workspace); err != nil {
		return err
	}
	if info, err := os.Stat(c.workspace); err != nil || !info.IsDir() {
		return fmt.Errorf("the workspace %s is not a folder; name one with --workspace", c.workspace)
	}
	return nil
}

// defaultData is where this platform keeps a program's data.
func defaultData() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no home folder is known (%w); name a data folder with --data", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "parley"), nil
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "parley"), nil
		}
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "parley"), nil
	}
	return filepath.Join(home, ".local", "share", "parley"), nil
}
