//go:build !linux

package builtin_test

func serveOneCommand() {}
