package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest tells a message that was sent again from another one under the same
// id: 16 hex digits over its type and its data, spaces between tokens aside.
// Missing, null and empty data are the same.
func Digest(e Envelope) string {
	h := sha256.New()
	h.Write([]byte(CanonicalType(string(e.Type))))
	h.Write([]byte{0})
	var data bytes.Buffer
	if err := json.Compact(&data, e.Data); err != nil {
		data.Reset()
		data.Write(e.Data) // not JSON: whatever it is, it is not the same as another
	}
	if b := data.Bytes(); len(b) > 0 && string(b) != "null" && string(b) != "{}" {
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
