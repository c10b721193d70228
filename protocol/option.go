package protocol

import (
	"bytes"
	"encoding/json"
)

// Option is an answer that can be picked. One without a label of its own is a
// plain string on the wire.
type Option struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

type labelled Option

func (o Option) MarshalJSON() ([]byte, error) {
	if o.Label == "" {
		return appendJSON(nil, o.Value)
	}
	return appendJSON(nil, labelled(o))
}

func (o *Option) UnmarshalJSON(b []byte) error {
	if b = bytes.TrimSpace(b); len(b) > 0 && b[0] == '"' {
		o.Label = ""
		return json.Unmarshal(b, &o.Value)
	}
	return json.Unmarshal(b, (*labelled)(o))
}

// Words gives the options that plain words stand for.
func Words(words ...string) []Option {
	options := make([]Option, len(words))
	for i, w := range words {
		options[i].Value = w
	}
	return options
}
