package vendor_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest/vendor"
)

// doors are the paths of each format with a request that is in order there.
var doors = map[string]string{
	"/v1/messages":         `{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"hi"}]}`,
	"/v1/chat/completions": `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`,
	"/v1/responses":        `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":"hi"}]}`,
}

func post(t *testing.T, server *vendor.Server, path, body, key string) (int, http.Header, string) {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	req.Header.Set("Anthropic-Version", "2023-06-01")
	req.Header.Set("X-Api-Key", key)
	req.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	server.ServeHTTP(w, req)
	resp := w.Result()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(raw)
}

func TestServerRefusesInTheVendorsShape(t *testing.T) {
	for path, body := range doors {
		server := &vendor.Server{Key: "right", Turns: []vendor.Turn{{Text: []string{"hello"}}}}
		for _, tc := range []struct {
			body, key string
			status    int
		}{
			{body, "right", 200},
			{body, "wrong", 401},
			{strings.Replace(body, `"model":"m"`, `"model":"m","surprise":1`, 1), "right", 400},
			{strings.Replace(body, `"m"`, `""`, 1), "right", 400},
			{`{`, "right", 400},
		} {
			status, _, said := post(t, server, path, tc.body, tc.key)
			if status != tc.status {
				t.Errorf("%s %s: %d, want %d: %s", path, tc.body, status, tc.status, said)
			}
			var shape struct {
				Error struct{ Type, Message string }
			}
			if status != 200 && (json.Unmarshal([]byte(said), &shape) != nil || shape.Error.Type == "" || shape.Error.Message == "") {
				t.Errorf("%s: an error without type and message: %s", path, said)
			}
		}
		if n := len(server.Seen()); n != 1 {
			t.Errorf("%s: %d requests were accepted, want 1", path, n)
		}
	}
}

func TestServerFailsSoManyTimes(t *testing.T) {
	for path, body := range doors {
		server := &vendor.Server{Turns: []vendor.Turn{{
			Text: []string{"hello"}, Fail: &vendor.Failure{Kind: model.RateLimited, Times: 2, RetryAfter: 1500 * time.Millisecond},
		}}}
		var got []string
		for range 3 {
			status, header, _ := post(t, server, path, body, "")
			got = append(got, fmt.Sprintf("%d %s", status, header.Get("Retry-After")))
		}
		if diff := cmp.Diff([]string{"429 2", "429 2", "200 "}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestServerSaysWhereTheScriptEnds(t *testing.T) {
	for path, body := range doors {
		if status, _, said := post(t, &vendor.Server{}, path, body, ""); status != 400 || !strings.Contains(said, "none for answer 1") {
			t.Errorf("%s: %d %s", path, status, said)
		}
	}
}
