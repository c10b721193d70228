package openai

import (
	"flag"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/model/modeltest"
	"github.com/parley-dev/parley/model/modeltest/vendor"
)

var update = flag.Bool("update", false, "write the golden files anew")

func open(c Config) *Model {
	if c.Name == "" {
		c.Name = "gpt-test"
	}
	if c.Key == nil {
		c.Key = func() string { return vendor.Key }
	}
	return New(c)
}

func TestConformance(t *testing.T) {
	for _, api := range []API{Chat, Responses} {
		t.Run(string(api), func(t *testing.T) {
			modeltest.Run(t, func(t *testing.T) modeltest.Subject {
				return vendor.Subject(t, func(url string, client *http.Client) model.Model {
					return open(Config{BaseURL: url + "/v1", HTTP: client, API: api, Info: model.Info{Reasoning: true}})
				})
			})
		})
	}
}

func TestRecorded(t *testing.T) {
	prices := model.Info{Name: "gpt-test", InputPrice: 2, OutputPrice: 8, CacheReadPrice: 0.5, CacheWritePrice: 2}
	for _, api := range []API{Chat, Responses} {
		t.Run(string(api), func(t *testing.T) {
			vendor.Recorded(t, filepath.Join("testdata", string(api)), *update, func(url string, client *http.Client) model.Model {
				return open(Config{BaseURL: url + "/v1", HTTP: client, API: api, Info: prices, Vendor: "The vendor"})
			})
		})
	}
}
