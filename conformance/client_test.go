package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// frame is a message as the protocol describes it: written from the description
// alone, so that a mistake in the code's own types cannot hide itself.
type frame struct {
	Type      string         `json:"type"`
	SessionID string         `json:"session_id"`
	MessageID string         `json:"message_id"`
	Timestamp string         `json:"timestamp"`
	Data      map[string]any `json:"data"`
	raw       string
}

// outsider is a client that somebody else could have written.
type outsider struct {
	conn *websocket.Conn
}

func dial(ctx context.Context, s *server, session, resume, client string) (*outsider, error) {
	q := url.Values{}
	if resume != "" {
		q.Set("resume_from", resume)
	}
	if client != "" {
		q.Set("client_id", client)
	}
	if s.Token != "" {
		q.Set("token", s.Token)
	}
	conn, _, err := websocket.Dial(ctx, "ws://"+s.Listen+"/ws/"+session+"?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(64 << 20)
	return &outsider{conn}, nil
}

func (o *outsider) read(ctx context.Context) (frame, error) {
	_, b, err := o.conn.Read(ctx)
	if err != nil {
		return frame{}, err
	}
	f := frame{raw: string(b)}
	if err := json.Unmarshal(b, &f); err != nil {
		return frame{}, fmt.Errorf("frame %q: %w", b, err)
	}
	if f.Type == "ping" {
		err = o.send(ctx, map[string]any{"type": "pong", "session_id": f.SessionID, "timestamp": time.Now().UTC().Format(time.RFC3339)})
	}
	return f, err
}

func (o *outsider) send(ctx context.Context, m map[string]any) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return o.conn.Write(ctx, websocket.MessageText, b)
}

func (o *outsider) say(ctx context.Context, session, id, words string) error {
	m := map[string]any{"type": "user_message", "session_id": session, "data": map[string]any{"content": words}}
	if id != "" {
		m["message_id"] = id
	}
	return o.send(ctx, m)
}

// until reads until a message of this type comes, and gives all that came.
func (o *outsider) until(t testing.TB, want string) []frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var all []frame
	for {
		f, err := o.read(ctx)
		if err != nil {
			t.Fatalf("waiting for %s: %v", want, err)
		}
		all = append(all, f)
		if f.Type == want {
			return all
		}
	}
}

func (o *outsider) close() { _ = o.conn.CloseNow() }

// records are the messages that have a number.
func records(frames []frame) []frame {
	var out []frame
	for _, f := range frames {
		if f.MessageID != "" {
			out = append(out, f)
		}
	}
	return out
}

// journal reads a session's records over REST.
func (s *server) journal(t testing.TB, session string) []frame {
	t.Helper()
	var all []frame
	after := ""
	for {
		var page struct {
			Items []json.RawMessage `json:"items"`
		}
		s.get(t, "/api/v1/sessions/"+session+"/events?limit=500&after="+after, &page)
		for _, raw := range page.Items {
			f := frame{raw: string(raw)}
			if err := json.Unmarshal(raw, &f); err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
		}
		if len(page.Items) == 0 {
			return all
		}
		after = all[len(all)-1].MessageID
	}
}

func (s *server) get(t testing.TB, path string, into any) {
	t.Helper()
	req, err := http.NewRequest("GET", s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Token != "" {
		req.Header.Set("Authorization", "Bearer "+s.Token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s %s", path, resp.Status, strings.TrimSpace(string(body)))
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("GET %s: %v in %s", path, err, body)
	}
}
