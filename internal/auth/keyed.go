package auth

import (
	"container/list"
	"sync"
	"time"
)

// maxKeys bounds the memory of one keyed limit to a few megabytes.
const maxKeys = 10_000

// keyed is a bucket for each key. A bucket that was not used for a minute is
// full again, so forgetting it changes nothing; past maxKeys the one used
// longest ago is forgotten early.
type keyed struct {
	what      string
	perMinute int
	now       func() time.Time

	mu     sync.Mutex
	byKey  map[string]*list.Element
	recent *list.List // of *slot, used last first
}

type slot struct {
	key    string
	bucket Bucket
	used   time.Time
}

func newKeyed(what string, perMinute int, now func() time.Time) *keyed {
	return &keyed{what: what, perMinute: perMinute, now: now, byKey: map[string]*list.Element{}, recent: list.New()}
}

// take counts one for the key, or refuses it. The empty key is not limited.
func (k *keyed) take(key string) error { return k.bucket(key, true).Take() }

// peek refuses a key that has nothing left, without counting.
func (k *keyed) peek(key string) error { return k.bucket(key, false).peek() }

// bucket finds the key's bucket; without create, a key not seen lately has none.
func (k *keyed) bucket(key string, create bool) Bucket {
	if key == "" || k.perMinute <= 0 {
		return Bucket{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	k.forget(now)
	if e, ok := k.byKey[key]; ok {
		s := e.Value.(*slot)
		s.used = now
		k.recent.MoveToFront(e)
		return s.bucket
	}
	if !create {
		return Bucket{}
	}
	s := &slot{key: key, bucket: newBucket(k.what, k.perMinute, k.now), used: now}
	k.byKey[key] = k.recent.PushFront(s)
	if k.recent.Len() > maxKeys {
		k.drop(k.recent.Back())
	}
	return s.bucket
}

func (k *keyed) forget(now time.Time) {
	for e := k.recent.Back(); e != nil && now.Sub(e.Value.(*slot).used) >= time.Minute; e = k.recent.Back() {
		k.drop(e)
	}
}

func (k *keyed) drop(e *list.Element) {
	k.recent.Remove(e)
	delete(k.byKey, e.Value.(*slot).key)
}

func (k *keyed) size() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.recent.Len()
}
