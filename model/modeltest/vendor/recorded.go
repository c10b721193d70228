package vendor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest"
)

// Recorded plays every answer that stands in the folder as NAME.sse to a model, as
// a vendor would send it but in packets of three bytes, and holds what the model
// makes of it to NAME.golden: its events, and how it failed, if it did. With update
// the golden files are written.
func Recorded(t *testing.T, folder string, update bool, open func(url string, client *http.Client) model.Model) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.sse"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded answers in %s (%v)", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sse"), func(t *testing.T) {
			answer, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := played(t, answer, open)
			golden := strings.TrimSuffix(file, ".sse") + ".golden"
			if update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func played(t *testing.T, answer []byte, open func(string, *http.Client) model.Model) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = (&stream{w: w, ctx: r.Context(), chunk: 3}).send(answer) // who goes early misses the rest
	}))
	client := &http.Client{Transport: &http.Transport{}}
	defer web.Close()
	defer client.CloseIdleConnections()

	var out bytes.Buffer
	var events []model.Event
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	err := open(web.URL, client).Stream(t.Context(), *ask("hi"), func(e model.Event) error {
		events = append(events, e)
		return lines.Encode(e)
	})
	if err == nil {
		for _, fault := range modeltest.Faults(events) {
			t.Error(fault)
		}
		return out.String()
	}
	var e *model.Error
	if !errors.As(err, &e) {
		t.Fatalf("Stream: %v", err)
	}
	fmt.Fprintf(&out, "%s: %s\n", e.Kind, e)
	return out.String()
}
