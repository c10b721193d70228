package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// post sends a JSON body and decodes the answer.
func (s *server) post(t testing.TB, path string, body, into any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("POST", s.URL+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if s.Token != "" {
		req.Header.Set("Authorization", "Bearer "+s.Token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		var problem any
		_ = json.NewDecoder(resp.Body).Decode(&problem)
		t.Fatalf("POST %s: %s %v", path, resp.Status, problem)
	}
	if into != nil {
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
}

// reviewer answers every request of the conversation as its person would: the
// brand, one change to the plan, then yes.
type reviewer struct {
	o       *outsider
	session string
	changed bool
	// happened says whether the effect of a todo is there, for a person who is
	// asked what became of it.
	happened func(todo string) bool
}

func (r *reviewer) answer(t testing.TB, f frame) {
	t.Helper()
	request, _ := f.Data["request_id"].(string)
	kind, data := "", map[string]any{"request_id": request}
	switch f.Type {
	case "hitl_clarification":
		kind, data["value"] = "hitl_clarification_response", "라네즈"
	case "hitl_plan_review":
		kind, data["action"] = "hitl_plan_response", "approve"
		if !r.changed {
			data["action"], data["instruction"] = "modify", "경쟁사 분석도 추가해주고, 영상 생성은 빼줘"
		}
	case "hitl_approval_request":
		kind, data["action"], data["todo_id"] = "hitl_approval_response", "approve", f.Data["todo_id"]
	case "hitl_input_request": // what became of an interrupted call
		kind, data["value"] = "hitl_input_response", "retry"
		if todo, _ := f.Data["todo_id"].(string); r.happened(todo) {
			data["value"] = "done"
		}
	case "hitl_resolved": // an answer counts once the server says so: it may be lost
		r.changed = r.changed || f.Data["action"] == "modify"
		return
	default:
		return
	}
	if err := r.o.send(context.Background(), map[string]any{"type": kind, "session_id": r.session, "data": data}); err != nil {
		t.Logf("answer to %s: %v", request, err)
	}
}

// The complete conversation of the protocol's description, with a client that
// knows nothing but that.
func TestConversation(t *testing.T) {
	workspace := t.TempDir()
	s := start(t, t.TempDir(), "--auth", "none", "--model", "script:testdata/reviews.yaml")
	defer s.stop()
	s.post(t, "/api/v1/sessions", map[string]any{"session_id": "reviews", "pipeline": "planned", "workspace": workspace}, nil)
	o, err := dial(context.Background(), s, "reviews", "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	o.until(t, "session_state")
	if err := o.say(context.Background(), "reviews", "", "리뷰 분석해줘"); err != nil {
		t.Fatal(err)
	}
	r := &reviewer{o: o, session: "reviews"}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var all []frame
	for {
		f, err := o.read(ctx)
		if err != nil {
			t.Fatalf("%v after %v", err, typesOf(all))
		}
		all = append(all, f)
		r.answer(t, f)
		if f.Type == "complete" || f.Type == "failed" {
			break
		}
	}
	got := typesOf(records(all))
	for _, want := range []string{
		"layer_start", "hitl_clarification", "hitl_resolved", "layer_complete", "plan_generated", "hitl_plan_review",
		"plan_modified", "plan_approved", "todo_started", "todo_completed", "hitl_approval_request", "execution_progress", "complete",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %v", want, got)
		}
	}
	layers := []string{}
	for _, f := range all {
		if f.Type == "layer_start" {
			layers = append(layers, f.Data["layer"].(string))
		}
	}
	if want := []string{"cognitive", "planning", "execution", "response"}; !slices.Equal(layers, want) {
		t.Errorf("layers %v, want %v", layers, want)
	}
	if f := all[len(all)-1]; f.Type != "complete" || f.Data["status"] != "success" {
		t.Errorf("the end is %s", f.raw)
	}
	effects, err := os.ReadFile(filepath.Join(workspace, "effects.txt"))
	if err != nil || strings.Join(strings.Fields(string(effects)), " ") != "collected sentiment report" {
		t.Errorf("effects %q (%v)", effects, err)
	}
	// What a todo gave reaches the one that depends on it, whatever is in it.
	report, err := os.ReadFile(filepath.Join(workspace, "report.txt"))
	if err != nil || !strings.Contains(string(report), "it's 78%") {
		t.Errorf("the report says %q (%v)", report, err)
	}
}

func typesOf(frames []frame) []string {
	out := make([]string, len(frames))
	for i, f := range frames {
		out[i] = f.Type
	}
	return out
}

// effects is what the todos of the conversation leave behind.
var effects = map[string]string{"todo_001": "collected", "todo_002": "sentiment", "todo_004": "report"}

// The same conversation, with the plug pulled when the client has just got its
// n-th record, for every n (a few of them unless PARLEY_SOAK asks for all): it
// ends as it would have, and nothing with an effect ran twice.
func TestConversationKilled(t *testing.T) {
	every := 3
	if os.Getenv("PARLEY_SOAK") != "" {
		every = 1
	}
	for n := 3; n < 60; n += every {
		killedAt(t, n)
		if t.Failed() {
			return
		}
	}
}

func killedAt(t *testing.T, n int) {
	data, workspace := t.TempDir(), t.TempDir()
	args := []string{"--auth", "none", "--no-rate-limits", "--model", "script:testdata/reviews.yaml"}
	s := start(t, data, args...)
	s.post(t, "/api/v1/sessions", map[string]any{"session_id": "reviews", "pipeline": "planned", "workspace": workspace}, nil)
	r := &reviewer{session: "reviews", happened: func(todo string) bool {
		done, _ := os.ReadFile(filepath.Join(workspace, "effects.txt"))
		return strings.Contains(string(done), effects[todo])
	}}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var got []frame
	last, killed, said := "msg_0000000000", false, false
	for len(got) == 0 || got[len(got)-1].Type != "complete" && got[len(got)-1].Type != "failed" {
		o, err := dial(ctx, s, "reviews", last, "person")
		if err != nil {
			t.Fatal(err)
		}
		r.o = o
		if !said {
			if err := o.say(ctx, "reviews", "the-question", "리뷰 분석해줘"); err != nil {
				t.Fatal(err)
			}
			said = true
		}
		for {
			f, err := o.read(ctx)
			if err != nil {
				t.Fatalf("kill at %d: %v after %v", n, err, typesOf(got))
			}
			if f.Type == "session_state" {
				r.catchUp(t, f)
			}
			if f.MessageID == "" {
				continue
			}
			got, last = append(got, f), f.MessageID
			if len(got) == n && !killed {
				killed = true
				s.kill()
				o.close()
				s = start(t, data, args...)
				break
			}
			r.answer(t, f)
			if f.Type == "complete" || f.Type == "failed" {
				break
			}
		}
		o.close()
	}
	if !killed || got[len(got)-1].Type != "complete" {
		t.Errorf("kill at %d: ended with %s after %v", n, got[len(got)-1].raw, typesOf(got))
	}
	left, _ := os.ReadFile(filepath.Join(workspace, "effects.txt"))
	if strings.Join(strings.Fields(string(left)), " ") != "collected sentiment report" {
		t.Errorf("kill at %d: effects %q after\n%s", n, left, told(got))
	}
	for i, f := range s.journal(t, "reviews")[:len(got)] {
		if f.raw != got[i].raw {
			t.Fatalf("kill at %d: record %d is not what the client saw", n, i+1)
		}
	}
	s.stop()
}

// catchUp answers what the state says is open: the client may have been away
// when it was asked, or its answer may be lost.
func (r *reviewer) catchUp(t testing.TB, state frame) {
	open, _ := state.Data["hitl_requests"].([]any)
	for _, o := range open {
		data, _ := o.(map[string]any)
		kind, _ := data["type"].(string)
		r.answer(t, frame{Type: kind, Data: data})
	}
}

// told is what happened, a line for each record.
func told(frames []frame) string {
	var b strings.Builder
	for _, f := range frames {
		fmt.Fprintln(&b, f.raw[:min(len(f.raw), 240)])
	}
	return b.String()
}
