package agent

import (
	"encoding/json"
	"testing"
)

func TestWalkChangesEveryText(t *testing.T) {
	var v any
	if err := json.Unmarshal([]byte(`{"a":"x","b":["x",{"c":"x","n":1}],"t":true}`), &v); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(walk(v, func(s string) string { return s + "!" }))
	if err != nil || string(got) != `{"a":"x!","b":["x!",{"c":"x!","n":1}],"t":true}` {
		t.Errorf("%s (%v)", got, err)
	}
}
