package wire

import (
	"regexp"
	"slices"
	"strings"

	"github.com/parley-dev/parley/model"
)

// overflow is how vendors and compatible servers say that a prompt is too long.
// Each line is a text seen in the wild.
var overflow = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`prompt is too long`,                                   // Anthropic
	`exceed context limit`,                                 // Anthropic: input and max_tokens together
	`maximum context length`,                               // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral
	`exceeds the context window`,                           // OpenAI Responses
	`exceeds? the available context size`,                  // llama.cpp
	`(prompt|input).{0,40}longer than the maximum model`,   // vLLM
	`longer than the model's context length`,               // SGLang
	`input length exceeds the context length`,              // Ollama
	`exceeded max context length`,                          // Ollama
	`greater than the context length`,                      // LM Studio
	`loaded with context length of only`,                   // LM Studio
	`exceeds the maximum number of tokens`,                 // Gemini
	`maximum prompt length is`,                             // xAI
	`reduce the length of the (messages|input|prompt)`,     // Groq, OpenAI
	`token count of \d+ exceeds the limit`,                 // Copilot
	`exceeded model token limit`,                           // Kimi
	`context window exceeds limit`,                         // MiniMax
	`input is too long for requested model`,                // Bedrock
	`too many tokens: total`,                               // Cohere
	`tokens.{0,60}must be <=`,                              // text-generation-inference
	`prompt.{0,20} too (long|large)`,                       // others
	`context (length|window|size).{0,20}(exceed|overflow)`, // others
}, "|"))

var (
	overflowWords = []string{"context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded", "request_too_large"}
	limitWords    = []string{"rate_limit_error", "rate_limit_exceeded", "rate_limited", "too_many_requests", "resource_exhausted"}
	quotaWords    = []string{"insufficient_quota", "billing_error", "billing_hard_limit_reached", "billing_not_active"}
	authWords     = []string{"authentication_error", "permission_error", "invalid_api_key", "unauthenticated", "permission_denied"}
	busyWords     = []string{"overloaded_error", "overloaded", "slow_down", "engine_overloaded", "service_unavailable"}
	policyWords   = []string{
		"content_filter", "content_policy_violation", "image_content_policy_violation", "invalid_prompt", "bio_policy",
		"cyber_policy", "misalignment_policy_violation", "responsibleaipolicyviolation",
	}
	invalidWords = []string{"invalid_request_error", "not_found_error", "model_not_found", "invalid_argument"}
)

var noCredit = regexp.MustCompile(`(?i)credit balance is too low|exceeded your current quota|insufficient (balance|credits|funds)`)

var policy = regexp.MustCompile(`(?i)content (filtering|management) policy|violat\w* .{0,40}usage polic`)

// Kind says what the failure means. What the vendor says counts for more than the
// status it says it with.
func (f Fault) Kind() model.ErrorKind {
	limited := f.Status == 429 || f.is(limitWords)
	switch {
	case f.is(quotaWords), f.Status == 402, noCredit.MatchString(f.Message):
		return model.Auth // waiting does not help; a person does
	case f.is(overflowWords), !limited && overflow.MatchString(f.Message):
		return model.ContextOverflow
	case f.is(policyWords), policy.MatchString(f.Message):
		return model.Refused
	case limited:
		return model.RateLimited
	case f.is(busyWords), f.Status == 503, f.Status == 529:
		return model.Overloaded
	case f.Status == 401, f.Status == 403, f.is(authWords):
		return model.Auth
	case f.Status == 413:
		return model.ContextOverflow
	case f.Status == 408, f.Status >= 500:
		return model.Unavailable
	case f.Status >= 300, f.is(invalidWords):
		return model.Invalid
	}
	return model.Interrupted // the vendor failed inside its answer
}

func (f Fault) is(words []string) bool {
	return slices.ContainsFunc(f.Words, func(w string) bool { return slices.Contains(words, w) })
}
