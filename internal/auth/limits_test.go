package auth

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/parley-dev/parley/protocol"
)

func TestLimitsAreTheDocumentedTable(t *testing.T) {
	rows := docTable(t, "limit")
	var accounts, local []int
	for _, row := range rows {
		a, errA := strconv.Atoi(row[2])
		l, errL := strconv.Atoi(row[3])
		if errA != nil || errL != nil {
			t.Fatalf("row %v: columns 3 and 4 are numbers", row)
		}
		accounts, local = append(accounts, a), append(local, l)
	}
	list := func(l Limits) []int { return []int{l.Connects, l.Messages, l.Answers, l.Failures} }
	if !reflect.DeepEqual(accounts, list(AccountLimits())) || !reflect.DeepEqual(local, list(LocalLimits())) {
		t.Errorf("docs/auth.md says %v and %v, the code %v and %v", accounts, local, list(AccountLimits()), list(LocalLimits()))
	}
}

func TestLimiter(t *testing.T) {
	c := newClock()
	l := NewLimiter(AccountLimits(), c.Now)
	messages := l.Messages()
	for _, tt := range []struct {
		name string
		per  int
		take func() error
	}{
		{"connect", 10, func() error { return l.Connect("alice") }},
		{"messages", 100, messages.Take},
		{"answers", 30, func() error { return l.Answer("sess_1") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.per {
				if err := tt.take(); err != nil {
					t.Fatalf("number %d of %d was refused: %v", i+1, tt.per, err)
				}
			}
			err := tt.take()
			wantCode(t, err, protocol.CodeRateLimited)
			// Waiting as long as told must be enough, and not much too long.
			wait := retryAfter(t, err)
			every := time.Minute / time.Duration(tt.per)
			if wait > every+time.Millisecond || wait < every-time.Millisecond {
				t.Fatalf("told to wait %s, one is refilled in %s", wait, every)
			}
			c.Add(wait - 2*time.Millisecond)
			wantCode(t, tt.take(), protocol.CodeRateLimited)
			c.Add(2 * time.Millisecond)
			if err := tt.take(); err != nil {
				t.Fatalf("after the wait it was told: %v", err)
			}
			wantCode(t, tt.take(), protocol.CodeRateLimited)
		})
	}
	if err := errors.Join(l.Connect("bob"), l.Answer("sess_2"), l.Messages().Take()); err != nil {
		t.Fatalf("others are not affected: %v", err)
	}
}

func retryAfter(t *testing.T, err error) time.Duration {
	t.Helper()
	var e *protocol.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	ms, ok := e.Context["retry_after_ms"].(int64)
	if !ok || ms <= 0 {
		t.Fatalf("retry_after_ms is %v", e.Context["retry_after_ms"])
	}
	return time.Duration(ms) * time.Millisecond
}

func TestZeroIsNoLimit(t *testing.T) {
	l := NewLimiter(Limits{}, newClock().Now)
	m := l.Messages()
	for range 10_000 {
		if err := errors.Join(l.Connect("a"), l.Answer("s"), m.Take(), Bucket{}.Take()); err != nil {
			t.Fatal(err)
		}
	}
	if l.connects.size() != 0 {
		t.Fatal("without a limit nothing is kept")
	}
}

func TestKeyedMemoryIsBounded(t *testing.T) {
	c := newClock()
	k := newKeyed("x", 1, c.Now)
	for i := range maxKeys + 500 {
		if err := k.take(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if k.size() != maxKeys {
		t.Fatalf("%d keys are kept, want %d", k.size(), maxKeys)
	}
	wantCode(t, k.take(fmt.Sprint(maxKeys+499)), protocol.CodeRateLimited)
	if err := k.take("0"); err != nil {
		t.Fatalf("the one used longest ago was to be forgotten: %v", err)
	}
	// What is in use is not forgotten: "500" would be the next to go.
	wantCode(t, k.take("502"), protocol.CodeRateLimited)
	for i := range 10 {
		_ = k.take(fmt.Sprint("more", i))
	}
	wantCode(t, k.take("502"), protocol.CodeRateLimited)
	c.Add(time.Minute)
	if err := k.take("fresh"); err != nil || k.size() != 1 {
		t.Fatalf("idle keys are forgotten: %d kept, %v", k.size(), err)
	}
}

// Forgetting an idle key must not give it more than it would have had.
func TestForgettingChangesNothing(t *testing.T) {
	c := newClock()
	k := newKeyed("x", 6, c.Now)
	for range 6 {
		_ = k.take("a")
	}
	c.Add(time.Minute - time.Nanosecond)
	_ = k.take("b")
	if k.size() != 2 {
		t.Fatal("a key is kept until it is full again")
	}
	passed := 0
	c.Add(time.Nanosecond)
	for range 10 {
		if k.take("a") == nil {
			passed++
		}
	}
	if passed != 6 {
		t.Fatalf("%d passed after a minute, want 6", passed)
	}
}

// Whatever the rate, waiting as long as told is enough.
func TestToldWaitIsEnough(t *testing.T) {
	for per := 1; per <= 300; per++ {
		c := newClock()
		b := newBucket("x", per, c.Now)
		for range per {
			_ = b.Take()
		}
		for range 3 {
			c.Add(retryAfter(t, b.Take()))
			if err := b.Take(); err != nil {
				t.Fatalf("%d a minute: %v", per, err)
			}
		}
	}
}

func TestLimiterConcurrently(t *testing.T) {
	l := NewLimiter(AccountLimits(), newClock().Now)
	var mu sync.Mutex
	passed := 0
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if l.Connect("alice") == nil {
				mu.Lock()
				passed++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if passed != 10 {
		t.Fatalf("%d passed, want 10", passed)
	}
}
