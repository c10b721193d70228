package anthropic

import (
	"flag"
	"net/http"
	"testing"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest"
	"github.com/parley-dev/parley/model/modeltest/vendor"
)

var update = flag.Bool("update", false, "write the golden files anew")

func opened(t *testing.T, c Config) *Model {
	t.Helper()
	if c.Name == "" {
		c.Name = "claude-test"
	}
	if c.Key == nil {
		c.Key = func() string { return vendor.Key }
	}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestConformance(t *testing.T) {
	for _, thinking := range []string{"", "adaptive", "2000"} {
		t.Run("thinking="+thinking, func(t *testing.T) {
			modeltest.Run(t, func(t *testing.T) modeltest.Subject {
				return vendor.Subject(t, func(url string, client *http.Client) model.Model {
					return opened(t, Config{BaseURL: url, HTTP: client, Thinking: thinking})
				})
			})
		})
	}
}

func TestRecorded(t *testing.T) {
	vendor.Recorded(t, "testdata", *update, func(url string, client *http.Client) model.Model {
		return opened(t, Config{BaseURL: url, HTTP: client, Info: prices()})
	})
}

func prices() model.Info {
	return model.Info{InputPrice: 3, OutputPrice: 15, CacheReadPrice: 0.3, CacheWritePrice: 3.75}
}
