package wire

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parley-dev/parley/model"
)

// What vendors and compatible servers say, word for word as far as it decides.
func TestKinds(t *testing.T) {
	for _, tc := range []struct {
		status int
		body   string
		want   model.ErrorKind
	}{
		// Anthropic
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210311 tokens > 200000 maximum"}}`, model.ContextOverflow},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 190000 + 20000 > 200000"}}`, model.ContextOverflow},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, model.ContextOverflow},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1: bad"}}`, model.Invalid},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, model.Auth},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, model.Refused},
		{401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, model.Auth},
		{403, `{"type":"error","error":{"type":"permission_error","message":"no"}}`, model.Auth},
		{404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}`, model.Invalid},
		{429, `{"type":"error","error":{"type":"rate_limit_error","message":"exceeded: 40000 input tokens per minute, maximum context length"}}`, model.RateLimited},
		{500, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, model.Unavailable},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.Overloaded},
		{0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.Overloaded},
		{0, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, model.Interrupted},
		{0, `{"type":"error","error":{"type":"rate_limit_error","message":"x"}}`, model.RateLimited},
		{0, `{"type":"error","error":{"type":"invalid_request_error","message":"x"}}`, model.Invalid},
		// OpenAI
		{400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, model.ContextOverflow},
		{400, `{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":null}}`, model.ContextOverflow},
		{401, `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}`, model.Auth},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, model.Auth},
		{429, `{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}`, model.RateLimited},
		{503, `{"error":{"message":"busy","type":"server_error"}}`, model.Overloaded},
		{400, `{"error":{"message":"Invalid prompt","type":"invalid_request_error","code":"invalid_prompt"}}`, model.Refused},
		{0, `{"code":"server_error","message":"x"}`, model.Interrupted},
		{0, `{"code":"rate_limit_exceeded","message":"x"}`, model.RateLimited},
		// Others
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}`, model.ContextOverflow},
		{400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`, model.ContextOverflow},
		{400, `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`, model.ContextOverflow},
		{400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, model.ContextOverflow},
		{400, `{"error":"input length exceeds the context length"}`, model.ContextOverflow},
		{400, `{"code":"x","error":"This model's maximum prompt length is 131072 but the request contains 200000 tokens."}`, model.ContextOverflow},
		{422, `{"error":"Input validation error: ` + "`inputs` tokens + `max_new_tokens`" + ` must be <= 4097","error_type":"validation"}`, model.ContextOverflow},
		{413, `{"error":{"message":"Request too large for model on tokens per minute (TPM)","type":"tokens","code":"rate_limit_exceeded"}}`, model.RateLimited},
		{402, `{"error":{"message":"Insufficient credits","code":402}}`, model.Auth},
		{404, `{"error":"model 'x' not found"}`, model.Invalid},
		{429, `[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}]`, model.RateLimited},
		{422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, model.Invalid},
		{502, `<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>`, model.Unavailable},
		{500, ``, model.Unavailable},
		{0, `{"error":{"code":502,"message":"Upstream idle"}}`, model.Unavailable},
	} {
		f := ReadFault([]byte(tc.body))
		if tc.status != 0 {
			f.Status = tc.status
		}
		if got := f.Kind(); got != tc.want {
			t.Errorf("%d %s\nis %q, want %q (%+v)", tc.status, tc.body, got, tc.want, f)
		}
		if tc.body != "" && f.Message == "" {
			t.Errorf("%s: the message is lost", tc.body)
		}
	}
}

func TestEveryKindHasWords(t *testing.T) {
	for _, k := range model.ErrorKinds() {
		if verbs[k] == "" {
			t.Errorf("no words for %s", k)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		name, value, message string
		want                 time.Duration
	}{
		{"Retry-After", "7", "", 7 * time.Second},
		{"Retry-After", "0.5", "", 500 * time.Millisecond},
		{"Retry-After-Ms", "250", "", 250 * time.Millisecond},
		{"Retry-After", now.Add(time.Minute).Format(http.TimeFormat), "", time.Minute},
		{"Retry-After", now.Add(-time.Minute).Format(http.TimeFormat), "", 0},
		{"Retry-After", "-3", "", 0},
		{"Retry-After", "1e300", "", 24 * time.Hour},
		{"Retry-After", "NaN", "", 0},
		{"Retry-After", "soon", "", 0},
		{"X", "", "Please try again in 1.898s. Visit …", 1898 * time.Millisecond},
		{"X", "", "Please try again in 6m0s.", 6 * time.Minute},
		{"X", "", "Please try again in 20ms.", 20 * time.Millisecond},
		{"X", "", "Please try again later", 0},
	} {
		h := http.Header{}
		h.Set(tc.name, tc.value)
		if got := retryAfter(h, tc.message, now); got != tc.want {
			t.Errorf("%s: %s %q: %s, want %s", tc.name, tc.value, tc.message, got, tc.want)
		}
	}
}

func TestMessageIsShort(t *testing.T) {
	c := Client{Vendor: "Someone", KeyName: "SOME_KEY"}
	e := c.Failed(Fault{Status: 401, Message: "bad key sk-secret-1 " + strings.Repeat("말", 1000)}, "sk-secret-1")
	if strings.Contains(e.Error(), "sk-secret-1") {
		t.Errorf("the key is told: %s", e)
	}
	for _, part := range []string{"Someone", "SOME_KEY", "bad key"} {
		if !strings.Contains(e.Error(), part) {
			t.Errorf("%q does not say %q", e, part)
		}
	}
	if len(e.Error()) > messageMost+200 || !strings.Contains(e.Error(), "말…") {
		t.Errorf("%d bytes: %s", len(e.Error()), e)
	}
	if got := c.Failed(Fault{Status: 502}, "").Error(); !strings.Contains(got, "502 Bad Gateway") {
		t.Errorf("without words of the vendor: %q", got)
	}
}
