// Package settings keeps what people choose about their sessions, and the
// secrets that models and tools need.
//
// Settings are a table of keys (Keys) with a type, a default and a scope. Each
// comes from the strongest layer that names it: default, parley.yaml, the
// environment, the command line, the stored settings of the server or of an
// owner, the session. Effective tells the value and its layer.
//
// It promises that a write is checked whole before anything changes and that a
// crash at any moment leaves the old file or the new one; that a value it cannot
// use is reported with its file and line, replaced by the next weaker layer's,
// and never removed from the file by a later write; that a file it cannot read
// is never written over, only put aside by a reset.
//
// Secrets are one file, encrypted with age, whose key lies in the keyring of the
// desktop where one answers, else beside it. A secret.Value does not print. Secrets
// are no settings, which name them by reference only: one in plain words is
// refused, and where one stands already it is used, but in no Item and no export.
//
// It refuses settings of the server to callers who are not admins, and, where
// a setting would run a program or send a secret away, that setting too.
package settings

//go:generate go test . -count=1 -run TestKeyTableIsUpToDate -update
