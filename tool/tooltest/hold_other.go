//go:build !unix

package tooltest

import "testing"

func checkNothingLeft(t *testing.T, _ *trial) {
	t.Skip("this system has no FIFOs to tell what still runs")
}
