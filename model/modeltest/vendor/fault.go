package vendor

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/parley-dev/parley/model"
)

// fault is a failure in the vendors' words.
type fault struct {
	anthropic, openai answer
	retryAfter        time.Duration
}

type answer struct {
	status  int
	kind    string // type
	code    string // OpenAI only
	message string
}

// faults are the vendors' words for each kind of failure.
var faults = map[model.ErrorKind][2]answer{
	model.RateLimited: {
		{429, "rate_limit_error", "", "This request would exceed your organization's rate limit."},
		{429, "tokens", "rate_limit_exceeded", "Rate limit reached for the model on tokens per min (TPM)."},
	},
	model.Overloaded: {
		{529, "overloaded_error", "", "Overloaded"},
		{503, "service_unavailable_error", "slow_down", "The engine is currently overloaded, please try again later"},
	},
	model.ContextOverflow: {
		{400, "invalid_request_error", "", "prompt is too long: 210000 tokens > 200000 maximum"},
		{400, "invalid_request_error", "context_length_exceeded", "Your input exceeds the context window of this model."},
	},
	model.Auth: {
		{401, "authentication_error", "", "invalid x-api-key"},
		{401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."},
	},
	model.Invalid: {
		{400, "invalid_request_error", "", "the request is not valid"},
		{400, "invalid_request_error", "", "the request is not valid"},
	},
	model.Unavailable: {
		{500, "api_error", "", "Internal server error"},
		{500, "server_error", "server_error", "The server had an error while processing your request."},
	},
	model.Refused: {
		{400, "invalid_request_error", "", "Output blocked by content filtering policy"},
		{400, "invalid_request_error", "content_policy_violation", "Your request was rejected by the safety system."},
	},
}

func faultOf(f Failure) fault {
	both, ok := faults[f.Kind]
	if !ok {
		both = faults[model.Unavailable]
	}
	if f.Message != "" {
		both[0].message, both[1].message = f.Message, f.Message
	}
	return fault{anthropic: both[0], openai: both[1], retryAfter: f.RetryAfter}
}

func (f fault) headers(w http.ResponseWriter) {
	if f.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
}

func refuseAnthropic(w http.ResponseWriter, f fault) {
	f.headers(w)
	writeJSON(w, f.anthropic.status, f.anthropicBody())
}

func (f fault) anthropicBody() object {
	return object{"type": "error", "error": object{"type": f.anthropic.kind, "message": f.anthropic.message}, "request_id": "req_test"}
}

func refuseOpenAI(w http.ResponseWriter, f fault) {
	f.headers(w)
	writeJSON(w, f.openai.status, object{"error": f.openaiBody()})
}

func (f fault) openaiBody() object {
	body := object{"message": f.openai.message, "type": f.openai.kind, "param": nil, "code": nil}
	if f.openai.code != "" {
		body["code"] = f.openai.code
	}
	return body
}

func anthropicKey(h http.Header, key string) bool {
	return h.Get("Anthropic-Version") != "" && (key == "" || h.Get("X-Api-Key") == key)
}

func bearerKey(h http.Header, key string) bool {
	given, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	return key == "" || ok && given == key
}
