package model

import (
	"errors"
	"time"
)

// ErrorKind says what a failure means for whoever called.
type ErrorKind string

const (
	RateLimited     ErrorKind = "rate_limited"     // too many calls: wait
	Overloaded      ErrorKind = "overloaded"       // the vendor is busy: wait
	ContextOverflow ErrorKind = "context_overflow" // the history is too long: condense it
	Auth            ErrorKind = "auth"             // the key is missing or wrong: ask a person
	Invalid         ErrorKind = "invalid"          // the request is at fault: do not repeat it
	Unavailable     ErrorKind = "unavailable"      // nobody answers there: try again later
	Interrupted     ErrorKind = "interrupted"      // the answer broke off: ask again
	Refused         ErrorKind = "refused"          // the vendor will not answer this: say it otherwise
)

// ErrorKinds lists them all.
func ErrorKinds() []ErrorKind {
	return []ErrorKind{RateLimited, Overloaded, ContextOverflow, Auth, Invalid, Unavailable, Interrupted, Refused}
}

// Error is how a model fails.
type Error struct {
	Kind ErrorKind
	// Message is for the person who reads it: what happened, what to do.
	Message string
	// RetryAfter is how long the vendor asked to wait; zero if it did not.
	RetryAfter time.Duration
	// Err is the cause, if there is one.
	Err error
}

func (e *Error) Error() string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Err != nil:
		return string(e.Kind) + ": " + e.Err.Error()
	}
	return string(e.Kind)
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable says whether the same request may succeed later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case RateLimited, Overloaded, Unavailable, Interrupted:
		return true
	}
	return false
}

// KindOf gives the kind of a model's failure, or "" for any other error.
func KindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
