package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/parley-dev/parley/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// notes takes events down.
type notes struct {
	events []string
	last   string // which of them ends the answer
	ended  bool
}

func (n *notes) Take(e Event) (bool, error) {
	n.events = append(n.events, e.Name+"|"+string(e.Data))
	return string(e.Data) == n.last, nil
}

func (n *notes) End() error { n.ended = true; return nil }

func TestReader(t *testing.T) {
	for text, want := range map[string][]string{
		"data: a\n\ndata: b\n\n":                         {"|a", "|b"},
		"event: x\r\ndata: a\r\n\r\n":                    {"x|a"},
		": comment\n\n: another\ndata: a\n\n":            {"|a"},
		"data: one\ndata: two\n\n":                       {"|one\ntwo"},
		"data:no space\nid: 7\nretry: 3\n\n":             {"|no space"},
		"event: lonely\n\ndata: a\n\n":                   {"|a"},
		"data: a\n\ndata: end without a blank line\n":    {"|a", "|end without a blank line"},
		"data: a\n\ndata: cut in the mid":                {"|a"},
		"data: \n\n":                                     {"|"},
		"":                                               nil,
		"data: 안녕 👩‍👩‍👧\n\n":                             {"|안녕 👩‍👩‍👧"},
		"data: " + strings.Repeat("x", 100_000) + "\n\n": {"|" + strings.Repeat("x", 100_000)},
	} {
		if diff := cmp.Diff(want, readAll(t, strings.NewReader(text))); diff != "" {
			t.Errorf("%.60q (-want +got):\n%.500s", text, diff)
		}
	}
}

func readAll(t interface{ Fatal(...any) }, in io.Reader) []string {
	r := reader{in: in}
	var got []string
	for {
		e, err := r.next()
		if err == io.EOF {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Name+"|"+string(e.Data))
	}
}

// However the bytes are cut into packets, the events are the same.
func TestReaderDoesNotSeePackets(t *testing.T) {
	const text = "event: 안녕\ndata: {\"a\":\"👩‍👩‍👧\"}\n\n: ping\n\ndata: b\r\ndata: c\r\n\r\ndata: [DONE]\n\n"
	want := readAll(t, strings.NewReader(text))
	rapid.Check(t, func(t *rapid.T) {
		cuts := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 40).Draw(t, "cuts")
		if diff := cmp.Diff(want, readAll(t, &packets{text: text, cuts: cuts})); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

type packets struct {
	text string
	cuts []int
	i    int
}

func (p *packets) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(len(p.text), p.cuts[p.i%len(p.cuts)])])
	p.text, p.i = p.text[n:], p.i+1
	return n, nil
}

func TestEventTooLong(t *testing.T) {
	r := reader{in: io.MultiReader(strings.NewReader("data: "), endless{})}
	if _, err := r.next(); !errors.Is(err, errLong) {
		t.Errorf("got %v, want %v", err, errLong)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func serve(t *testing.T, h http.HandlerFunc) (*Client, Call) {
	t.Helper()
	web := httptest.NewServer(h)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	return &Client{Vendor: "Someone", KeyName: "SOME_KEY", HTTP: client}, Call{URL: web.URL, Key: "secret-key", Body: 1}
}

func TestFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		kind    model.ErrorKind
		says    string
	}{
		"refused": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3")
			http.Error(w, `{"error":{"message":"not with secret-key"}}`, 429)
		}, model.RateLimited, "not with [hidden]"},
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html></html>")
		}, model.Invalid, "base URL"},
		"an error with status 200": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"error":{"message":"upstream","type":"overloaded_error"}}`)
		}, model.Overloaded, "upstream"},
		"cut at once": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, model.Unavailable, "cannot be reached"},
		"cut in the answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: a\n\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, model.Interrupted, "broke while it was answering"},
	} {
		t.Run(name, func(t *testing.T) {
			c, call := serve(t, tc.handler)
			err := c.Stream(t.Context(), call, &notes{})
			if model.KindOf(err) != tc.kind || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "Someone") {
				t.Errorf("got %q: %v; want %q saying %q", model.KindOf(err), err, tc.kind, tc.says)
			}
			if strings.Contains(fmt.Sprintf("%v %+v", err, err), call.Key) {
				t.Errorf("the key is told: %v", err)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	web := httptest.NewServer(nil)
	address := strings.Replace(web.URL, "http://", "http://user:password@", 1)
	web.Close()
	c := &Client{Vendor: "Someone", HTTP: &http.Client{Transport: &http.Transport{}}}
	err := c.Stream(t.Context(), Call{URL: address}, &notes{})
	if model.KindOf(err) != model.Unavailable || strings.Contains(err.Error(), "password") {
		t.Errorf("%v", err)
	}
	if err := c.Stream(t.Context(), Call{URL: "::"}, &notes{}); model.KindOf(err) != model.Invalid {
		t.Errorf("an address that is none: %v", err)
	}
}

func TestStreamEnds(t *testing.T) {
	c, call := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "data: a\n\ndata: b\n\ndata: c\n\n") })
	n := notes{last: "b"}
	if err := c.Stream(t.Context(), call, &n); err != nil || n.ended || len(n.events) != 2 {
		t.Errorf("up to the last event: %v, %+v", err, n)
	}
	n = notes{last: "none"}
	if err := c.Stream(t.Context(), call, &n); err != nil || !n.ended || len(n.events) != 3 {
		t.Errorf("to the end: %v, %+v", err, n)
	}
}

// pipe is a vendor in memory, so that time can be the test's own.
type pipe struct {
	first time.Duration
	gaps  []time.Duration
}

func (p pipe) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := pause(r.Context(), p.first); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: &slowBody{ctx: r.Context(), gaps: p.gaps}}, nil
}

type slowBody struct {
	ctx  context.Context
	gaps []time.Duration
}

func (b *slowBody) Read(p []byte) (int, error) {
	if len(b.gaps) == 0 {
		return 0, io.EOF
	}
	if err := pause(b.ctx, b.gaps[0]); err != nil {
		return 0, err
	}
	b.gaps = b.gaps[1:]
	return copy(p, "data: a\n\n"), nil
}

func (*slowBody) Close() error { return nil }

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func TestSilence(t *testing.T) {
	for name, tc := range map[string]struct {
		pipe   pipe
		events int
		fails  bool
	}{
		"a slow first byte":   {pipe{9 * time.Minute, []time.Duration{time.Second}}, 1, false},
		"no first byte":       {pipe{11 * time.Minute, nil}, 0, true},
		"slow all the way":    {pipe{0, []time.Duration{4 * time.Minute, 4 * time.Minute, 4 * time.Minute, 4 * time.Minute}}, 4, false},
		"silent in the midst": {pipe{0, []time.Duration{time.Second, 6 * time.Minute}}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := Client{Vendor: "Someone", HTTP: &http.Client{Transport: tc.pipe}}
				var n notes
				err := c.Stream(t.Context(), Call{URL: "http://vendor.example"}, &n)
				if len(n.events) != tc.events {
					t.Errorf("%d events, want %d", len(n.events), tc.events)
				}
				if !tc.fails && err != nil {
					t.Errorf("it was given up: %v", err)
				}
				if tc.fails && (model.KindOf(err) != model.Interrupted || !strings.Contains(err.Error(), "silent")) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}
