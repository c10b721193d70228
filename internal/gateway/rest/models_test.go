package rest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/parley-dev/parley/internal/gateway/rest"
	"github.com/parley-dev/parley/model"
	"github.com/parley-dev/parley/protocol"
)

func TestModels(t *testing.T) {
	list := func(context.Context) ([]model.Choice, []error) {
		return []model.Choice{
			{Info: model.Info{Name: "auto"}, Available: true, StandsFor: "v/big"},
			{Info: model.Info{Name: "v/big", ContextWindow: 1000, MaxOutput: 10, InputPrice: 1, OutputPrice: 2, CacheReadPrice: 0.5, CacheWritePrice: 1.5, Images: true, Reasoning: true}, Reason: "no key"},
		}, []error{errors.New("w does not answer")}
	}
	h := build(t, plan{door: rest.Options{Models: list}})
	a := h.get("/models").is(200)
	want := `{"items":[{"name":"auto","provider":"auto","available":true,"stands_for":"v/big"},` +
		`{"name":"v/big","provider":"v","context_window":1000,"max_output":10,"input_price":1,"output_price":2,"cache_read_price":0.5,"cache_write_price":1.5,"images":true,"reasoning":true,"available":false,"reason":"no key"}],` +
		`"unknown":["w does not answer"]}`
	if got := strings.TrimSpace(string(a.body)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	h.get("/models", "Authorization", "").problem(401, protocol.CodeAuthRequired)
	if doc := string(h.do(http.MethodGet, "/openapi.json", "").is(200).body); !strings.Contains(doc, `"/api/v1/models"`) {
		t.Error("it is not described")
	}
}
