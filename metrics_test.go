package parley_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/parley-dev/parley"
)

func TestMetrics(t *testing.T) {
	s, err := parley.New(parley.Options{Data: t.TempDir(), Auth: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	host := httptest.NewServer(s.Handler())
	defer host.Close()
	resp, err := http.Get(host.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"parley_ws_connections 0", "parley_ws_messages_out_total", "go_goroutines"} {
		if !strings.Contains(string(body), name) {
			t.Errorf("no %s among the metrics", name)
		}
	}
}
