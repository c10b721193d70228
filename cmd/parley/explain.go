package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/parley-dev/parley/protocol"
)

// explain words an error for a person: what happened, what to do next, and last
// the name under which it can be looked up.
func explain(err error) string {
	var e *protocol.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	what := e.Message
	if next := nextStep(e.Code); next != "" {
		what += "; " + next
	}
	return fmt.Sprintf("%s (%s)", strings.Replace(err.Error(), e.Error(), what, 1), e.Name)
}

// nextStep says what helps where the server cannot know: it does not see which
// commands the person has.
func nextStep(code protocol.Code) string {
	return map[protocol.Code]string{
		protocol.CodeSessionNotFound: "`parley sessions` lists them",
		protocol.CodeSessionExpired:  "`parley sessions` lists those there are",
		protocol.CodeAuthFailed:      "give another token or API key with --token, or in PARLEY_TOKEN",
		protocol.CodeTokenExpired:    "give another with --token, or in PARLEY_TOKEN",
	}[code]
}

// failure is an error as --json prints it: what the server said of it, as far as
// it was the server.
type failure struct {
	Error any `json:"error"`
}

func asFailure(err error) failure {
	var e *protocol.Error
	if errors.As(err, &e) {
		return failure{e}
	}
	return failure{map[string]string{"message": err.Error()}}
}
