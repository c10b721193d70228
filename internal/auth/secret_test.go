package auth

import (
	"fmt"
	"testing"

	"github.com/parley-dev/parley/internal/secret"
)

func TestCredentialsAreNeverPrinted(t *testing.T) {
	const plain = "hunter2-hunter2"
	s := secret.New(plain)
	log := &logBuffer{}
	for _, each := range []any{Credentials{Token: s, APIKey: s}, local{token: s}, verifyKey{key: s}} {
		log.logger().Info("x", "it", each)
		fmt.Fprintf(log, "%v %+v %#v %s %x", each, each, each, each, each)
	}
	noLeak(t, log.String(), plain, fmt.Sprintf("%x", plain))
}
