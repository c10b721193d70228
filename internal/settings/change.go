package settings

import (
	"maps"
	"slices"
)

// Change says which stored settings are not what they were.
type Change struct {
	// Owner is whose; empty for everybody's.
	Owner string
	Keys  []string
}

// Subscribe calls f after each change, one at a time and in order, also for
// changes that another process made, once this one looks. f may use the
// store; it should not wait for anything else.
func (s *Store) Subscribe(f func(Change)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.nextID
	s.nextID++
	s.subs[id] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, id)
	}
}

// changed notes news; tell brings them once mu is free.
func (s *Store) changed(owner string, keys []string) {
	if owner == server {
		clear(s.known)
	}
	if len(keys) > 0 {
		s.news = append(s.news, Change{owner, keys})
	}
}

// tell calls subscribers. Whoever finds another goroutine at it leaves the news
// to that one, which looks again before it goes: so a subscriber may use the
// store, and news keep their order.
func (s *Store) tell() {
	for s.hasNews() && s.telling.TryLock() {
		for {
			s.mu.Lock()
			if len(s.news) == 0 {
				s.mu.Unlock()
				break
			}
			next := s.news[0]
			s.news = s.news[1:]
			subs := make([]func(Change), 0, len(s.subs))
			for _, id := range slices.Sorted(maps.Keys(s.subs)) {
				subs = append(subs, s.subs[id])
			}
			s.mu.Unlock()
			for _, f := range subs {
				f(next)
			}
		}
		s.telling.Unlock()
	}
}

func (s *Store) hasNews() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.news) > 0
}

// diff names the keys whose value a layer changed, added or lost.
func diff(before, after source) (keys []string) {
	for name, v := range after.values {
		if old, ok := before.values[name]; !ok || !sameJSON(old.raw, v.raw) {
			keys = append(keys, name)
		}
	}
	for name := range before.values {
		if _, ok := after.values[name]; !ok {
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	return keys
}
