package agent

import (
	"context"
	"sync"

	"github.com/parley-dev/parley/model"
)

// Models opens models by name and keeps them.
type Models struct {
	providers []model.Provider
	fallback  string

	mu     sync.Mutex
	opened map[string]model.Model
}

// NewModels offers what the providers open; a session that names no model gets
// the fallback.
func NewModels(providers []model.Provider, fallback string) *Models {
	return &Models{providers: providers, fallback: fallback, opened: map[string]model.Model{}}
}

// Default is the model of sessions that name none.
func (m *Models) Default() string { return m.fallback }

// Open gives the model of this name.
func (m *Models) Open(ctx context.Context, name string) (model.Model, error) {
	if name == "" {
		name = m.fallback
	}
	m.mu.Lock()
	opened, ok := m.opened[name]
	m.mu.Unlock()
	if ok {
		return opened, nil
	}
	// Not under the lock: one provider that hangs would hold up every session.
	opened, err := model.Resolve(ctx, m.providers, name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if first, ok := m.opened[name]; ok {
		return first, nil
	}
	if name != auto { // what is best may change: a key is set, a local server starts
		m.opened[name] = opened
	}
	return opened, nil
}

// auto is the name that stands for whatever is best at the moment.
const auto = "auto"
