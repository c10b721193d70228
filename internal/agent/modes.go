package agent

import (
	"fmt"
	"maps"
	"slices"

	"github.com/parley-dev/parley/internal/settings"
	"github.com/parley-dev/parley/protocol"
)

// DefaultMode is the mode of sessions that name none.
const DefaultMode = "code"

// modes are the ways of working that are always there; a mode of one's own with
// the same name takes their place.
var modes = map[string]settings.Mode{
	"code": {
		Prompt: "You write and change software. Look before you change, keep to the style that is there, and check what you did: build it, run its tests.",
	},
	"architect": {
		Prompt:     "You plan. Look around, ask about what only the person can know, and give a design that somebody else could carry out: steps, files, risks. You change nothing yourself.",
		ToolGroups: []string{"read", "browser", "mcp"},
	},
	"ask": {
		Prompt:     "You explain and answer questions, from what is really there: look it up, and say where you found it. You change nothing.",
		ToolGroups: []string{"read", "browser", "mcp"},
	},
	"debug": {
		Prompt: "You find out why something does not work. Reproduce it first, think of several causes, and test which it is before you change anything. Then make the smallest change that mends it, and show that it does.",
	},
}

// ModeNames lists the modes that there are for an owner.
func ModeNames(own map[string]settings.Mode) []string {
	all := maps.Clone(modes)
	maps.Copy(all, own)
	return slices.Sorted(maps.Keys(all))
}

// findMode gives a mode by its name. One that is gone meanwhile is the default:
// a session must not stop because of it.
func findMode(name string, own map[string]settings.Mode) settings.Mode {
	if m, ok := own[name]; ok {
		return m
	}
	if m, ok := modes[name]; ok {
		return m
	}
	return modes[DefaultMode]
}

// CheckMode says what is wrong with the name of a mode.
func CheckMode(name string, own map[string]settings.Mode) error {
	if name == "" || slices.Contains(ModeNames(own), name) {
		return nil
	}
	return fmt.Errorf("there is no mode %q; there are %v", name, ModeNames(own))
}

// hands says why work cannot be handed to a session in a mode; "" is this one's. A
// mode is what the person chose: a model does not get around it that way.
func (p policy) hands(name string) error {
	if name == "" {
		return nil
	}
	if err := CheckMode(name, p.CustomModes); err != nil {
		return err
	}
	for _, class := range []protocol.ToolClass{protocol.ClassRead, protocol.ClassWrite, protocol.ClassExecute, protocol.ClassBrowser, protocol.ClassMCP} {
		if grants(findMode(name, p.CustomModes), class) && !grants(p.mode, class) {
			return fmt.Errorf("the mode %s may do more than %s, the mode of this session; the person can switch the mode", name, p.Mode)
		}
	}
	return nil
}

// grants says whether a mode has the tools of a class.
func grants(m settings.Mode, class protocol.ToolClass) bool {
	return len(m.ToolGroups) == 0 || slices.Contains(m.ToolGroups, string(class))
}
