package openai

import (
	"context"
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// inspect gives every request its token, where there are tokens, and looks at
// every response before the SDK does.
func (m *Model) inspect(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	if m.options.Token == nil {
		return modelhttp.Inspect(req, next, kindOfCode)
	}
	token, err := m.options.Token(req.Context())
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindAuth, Message: "no token: " + err.Error(), Err: err}
	}
	if req.Header.Get("Authorization") == "" { // else a header of the options wins
		req.Header.Set("Authorization", "Bearer "+token.Reveal())
	}
	m.token.Store(&token)
	resp, err := modelhttp.Inspect(req, next, kindOfCode)
	var e *llm.Error
	if errors.As(err, &e) { // by now, another request may have stored another token
		e.Message = token.Scrub(e.Message)
	}
	return resp, err
}

// kindOfCode reads the codes that say more than their status.
func kindOfCode(code string, otherwise llm.ErrorKind) llm.ErrorKind {
	switch code {
	// The first of these are Azure's.
	case "DeploymentNotFound":
		return llm.KindNotFound
	case "OperationNotSupported":
		return llm.KindUnsupported
	case "NoCapacity":
		return llm.KindOverloaded
	case "ResponsibleAIPolicyViolation":
		return llm.KindContentFilter
	case "insufficient_quota", "billing_hard_limit_reached", "billing_not_active":
		return llm.KindQuota
	case "context_length_exceeded", "string_above_max_length", "exceed_context_size_error":
		return llm.KindTooLong
	case "content_filter", "content_policy_violation":
		return llm.KindContentFilter
	case "model_not_found":
		return llm.KindNotFound
	case "invalid_api_key":
		return llm.KindAuth
	case "rate_limit_exceeded":
		return llm.KindRateLimited
	case "server_error", "internal_error":
		return llm.KindUnavailable
	case "overloaded_error", "server_overloaded", "slow_down":
		return llm.KindOverloaded
	default:
		return otherwise
	}
}

// failure puts whatever went wrong as an *llm.Error that holds no key, or as
// the context's own error.
func (m *Model) failure(ctx context.Context, err error) error {
	var streamed *ssestream.StreamError
	if errors.As(err, &streamed) {
		code, message := modelhttp.Trouble(streamed.Event.Data)
		err = &llm.Error{Kind: kindOfCode(code, llm.KindUnavailable), Message: message}
	}
	return modelhttp.Failure(ctx, m.options.Provider, err, m.scrub)
}

// scrub takes what was secret out of a text.
func (m *Model) scrub(text string) string {
	text = m.options.APIKey.Scrub(text)
	if token := m.token.Load(); token != nil {
		text = token.Scrub(text)
	}
	for _, value := range m.options.Headers {
		text = llm.NewSecret(value).Scrub(text)
	}
	return text
}
