package conformance

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// talk says words in a session and answers what is asked until the turn ends.
// It gives all that came.
func talk(t *testing.T, s *server, session, words string, answer func(f frame) (kind string, data map[string]any)) []frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	o, err := dial(ctx, s, session, "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	o.until(t, "session_state")
	if err := o.say(ctx, session, "", words); err != nil {
		t.Fatal(err)
	}
	var all []frame
	for {
		f, err := o.read(ctx)
		if err != nil {
			t.Fatalf("%v after\n%s", err, told(all))
		}
		all = append(all, f)
		switch f.Type {
		case "complete", "failed", "error":
			return all
		}
		kind, data := answer(f)
		if kind == "" {
			continue
		}
		data["request_id"] = f.Data["request_id"]
		if err := o.send(ctx, map[string]any{"type": kind, "session_id": session, "data": data}); err != nil {
			t.Fatal(err)
		}
	}
}

// shop makes a session whose workspace holds a table of reviews.
func shop(t *testing.T, s *server, session, pipeline string) (workspace string) {
	t.Helper()
	workspace = t.TempDir()
	table, err := os.ReadFile("testdata/reviews.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(workspace, "reviews.csv"), table, 0o644); err != nil {
		t.Fatal(err)
	}
	s.post(t, "/api/v1/sessions", map[string]any{"session_id": session, "pipeline": pipeline, "workspace": workspace}, nil)
	return workspace
}

func of(frames []frame, kind string) []frame {
	return slices.DeleteFunc(slices.Clone(frames), func(f frame) bool { return f.Type != kind })
}

// spoke is what the answer to a turn was.
func spoke(t *testing.T, all []frame) string {
	t.Helper()
	end := all[len(all)-1]
	if end.Type != "complete" || end.Data["status"] != "success" {
		t.Fatalf("the turn ended with %s after\n%s", end.raw, told(all))
	}
	response, _ := end.Data["response"].(map[string]any)
	text, _ := response["text"].(string)
	return text
}

// The complete conversation of the protocol's description without a key: what is
// meant is asked, a plan is made, changed, approved and carried out, with real
// tools, and the result is told.
func TestOfflinePlanned(t *testing.T) {
	s := start(t, t.TempDir(), "--auth", "none", "--model", "offline")
	defer s.stop()
	workspace := shop(t, s, "reviews", "planned")
	reviews := 0
	all := talk(t, s, "reviews", "리뷰 분석해줘", func(f frame) (string, map[string]any) {
		switch f.Type {
		case "hitl_clarification":
			if f.Data["original_input"] != "리뷰 분석해줘" || f.Data["ambiguity"] == "" || len(f.Data["suggestions"].([]any)) == 0 {
				t.Errorf("the clarification is %s", f.raw)
			}
			return "hitl_clarification_response", map[string]any{"value": "reviews.csv"}
		case "hitl_plan_review":
			if reviews++; reviews == 1 {
				return "hitl_plan_response", map[string]any{"action": "modify",
					"instruction": "경쟁사 분석도 추가해주고, 첫 줄 보기는 빼줘, `echo seen >> effects.txt` 실행도 추가해줘"}
			}
			return "hitl_plan_response", map[string]any{"action": "approve"}
		case "hitl_approval_request":
			if _, err := os.Stat(filepath.Join(workspace, "effects.txt")); err == nil {
				t.Error("the command ran before it was approved")
			}
			return "hitl_approval_response", map[string]any{"action": "approve", "todo_id": f.Data["todo_id"]}
		}
		return "", nil
	})

	text := spoke(t, all)
	if !slices.ContainsFunc(records(all), func(f frame) bool { return strings.Contains(f.raw, "언어 모델 없이") }) {
		t.Errorf("nowhere does it say that it is no language model:\n%s", told(all))
	}
	for _, want := range []string{"작업 5개 중 5개 완료", "열 이름 읽기", "경쟁사 분석"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the answer:\n%s", want, text)
		}
	}
	if strings.Contains(text, "첫 줄 보기") {
		t.Errorf("the answer tells of a todo that was taken out:\n%s", text)
	}
	if effects, err := os.ReadFile(filepath.Join(workspace, "effects.txt")); err != nil || string(effects) != "seen\n" {
		t.Errorf("effects %q (%v)", effects, err)
	}
	checkPlanned(t, all)
}

func checkPlanned(t *testing.T, all []frame) {
	t.Helper()
	var layers, changes []string
	for _, f := range of(all, "layer_start") {
		layers = append(layers, f.Data["layer"].(string))
	}
	if want := []string{"cognitive", "planning", "execution", "response"}; !slices.Equal(layers, want) {
		t.Errorf("layers %v, want %v", layers, want)
	}
	modified := of(all, "plan_modified")
	if len(modified) != 1 {
		t.Fatalf("%d changes of the plan after\n%s", len(modified), told(all))
	}
	for _, c := range modified[0].Data["changes"].([]any) {
		changes = append(changes, c.(map[string]any)["action"].(string))
	}
	if slices.Sort(changes); !slices.Equal(changes, []string{"add", "add", "remove", "update"}) {
		t.Errorf("changes %v", changes)
	}
	if n := len(of(all, "hitl_approval_request")); n != 1 {
		t.Errorf("%d approvals were asked for, want 1", n)
	}
	first := slices.IndexFunc(all, func(f frame) bool { return f.Type == "todo_completed" })
	if n := len(of(all[:max(first, 0)], "todo_started")); n < 3 {
		t.Errorf("%d todos had started when the first was completed, want at least 3 at the same time", n)
	}
	if n := len(of(all, "todo_completed")); n != 5 {
		t.Errorf("%d todos were completed, want 5", n)
	}
}

// In the pipeline `auto` a person's command runs when they approve it, and its
// real output is told; when they do not, nothing runs and that is told.
func TestOfflineCommand(t *testing.T) {
	s := start(t, t.TempDir(), "--auth", "none", "--model", "offline")
	defer s.stop()
	workspace := shop(t, s, "shop", "auto")
	run := func(action, words string) string {
		asked := 0
		all := talk(t, s, "shop", words, func(f frame) (string, map[string]any) {
			if f.Type != "hitl_approval_request" {
				return "", nil
			}
			asked++
			return "hitl_approval_response", map[string]any{"action": action, "reason": "not today"}
		})
		if asked != 1 {
			t.Errorf("%d approvals were asked for %q, want 1", asked, words)
		}
		return spoke(t, all)
	}
	if got := run("approve", "run `wc -l < reviews.csv && touch ran`"); !strings.Contains(got, "exit code 0") || !strings.Contains(got, "5") {
		t.Errorf("told: %s", got)
	}
	if _, err := os.Stat(filepath.Join(workspace, "ran")); err != nil {
		t.Errorf("the command did not run: %v", err)
	}
	if got := run("reject", "run `touch refused`"); !strings.Contains(got, "was not run") || !strings.Contains(got, "not today") {
		t.Errorf("told: %s", got)
	}
	if _, err := os.Stat(filepath.Join(workspace, "refused")); err == nil {
		t.Error("a command ran that was refused")
	}
}

// Questions, readings and plans in the pipeline `auto`.
func TestOfflineAuto(t *testing.T) {
	s := start(t, t.TempDir(), "--auth", "none", "--model", "offline")
	defer s.stop()
	shop(t, s, "shop", "auto")
	nothing := func(frame) (string, map[string]any) { return "", nil }
	if got := spoke(t, talk(t, s, "shop", "what is here?", nothing)); !strings.Contains(got, "| reviews.csv |") {
		t.Errorf("told: %s", got)
	}
	all := talk(t, s, "shop", "summarise it", func(f frame) (string, map[string]any) {
		switch f.Type {
		case "hitl_input_request":
			if !strings.Contains(f.raw, `"value":"reviews.csv"`) {
				t.Errorf("the question does not offer what is known: %s", f.raw)
			}
			return "hitl_input_response", map[string]any{"value": "reviews.csv"}
		case "hitl_plan_review":
			return "hitl_plan_response", map[string]any{"action": "approve"}
		}
		return "", nil
	})
	if got := spoke(t, all); !strings.Contains(got, "4 of 4 todos completed") {
		t.Errorf("told: %s", got)
	}
}
