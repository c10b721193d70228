package settings

import (
	"errors"
	"time"

	"github.com/zalando/go-keyring"
)

// Keyring keeps short texts under names, for this user of this machine.
type Keyring interface {
	Get(entry string) (string, error)
	Set(entry, text string) error
	Delete(entry string) error
}

// keyringPatience is how long a keyring may take. Without a desktop the call can
// hang for minutes, and nothing can stop it.
const keyringPatience = 2 * time.Second

var errNoAnswer = errors.New("the keyring does not answer")

// NewKeyring gives the keyring of the desktop: Keychain, Credential Manager, or
// the Secret Service. Calls do not wait longer than two seconds; while one
// hangs, the next ones fail.
func NewKeyring() Keyring {
	return &patient{desktop{}, keyringPatience, make(chan struct{}, 1)}
}

// service is the name under which the desktop shows our entries.
const service = "parley"

type desktop struct{}

func (desktop) Get(entry string) (string, error) { return keyring.Get(service, entry) }
func (desktop) Set(entry, text string) error     { return keyring.Set(service, entry, text) }
func (desktop) Delete(entry string) error        { return keyring.Delete(service, entry) }

// patient gives up on a keyring that hangs, and lets only one call hang.
type patient struct {
	inner Keyring
	wait  time.Duration
	busy  chan struct{}
}

func (p *patient) Get(entry string) (text string, err error) {
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	err = p.do(func() error {
		text, err := p.inner.Get(entry)
		got <- answer{text, err}
		return err
	})
	if err != nil {
		return "", err
	}
	return (<-got).text, nil
}

func (p *patient) Set(entry, text string) error {
	return p.do(func() error { return p.inner.Set(entry, text) })
}

func (p *patient) Delete(entry string) error {
	return p.do(func() error { return p.inner.Delete(entry) })
}

// do runs a call in a goroutine of its own, which ends when the keyring answers,
// however late.
func (p *patient) do(call func() error) error {
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	select {
	case p.busy <- struct{}{}:
	case <-timer.C:
		return errNoAnswer
	}
	done := make(chan error, 1)
	go func() {
		err := call()
		<-p.busy
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return errNoAnswer
	}
}
