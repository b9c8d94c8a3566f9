package anthropic

import (
	"context"
	"errors"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// kindOfCode reads the types of the vendor's errors.
func kindOfCode(code string, otherwise llm.ErrorKind) llm.ErrorKind {
	switch code {
	case "authentication_error", "permission_error":
		return llm.KindAuth
	case "billing_error":
		return llm.KindQuota
	case "not_found_error":
		return llm.KindNotFound
	case "request_too_large":
		return llm.KindTooLong
	case "rate_limit_error":
		return llm.KindRateLimited
	case "api_error", "timeout_error":
		return llm.KindUnavailable
	case "overloaded_error":
		return llm.KindOverloaded
	default:
		return otherwise
	}
}

// kindOfWords tells apart what the vendor puts under one type.
func kindOfWords(e *llm.Error) llm.ErrorKind {
	switch {
	case e.Kind != llm.KindInvalid:
		return e.Kind
	case strings.Contains(e.Message, "prompt is too long"):
		return llm.KindTooLong
	case strings.Contains(e.Message, "content filtering policy"):
		return llm.KindContentFilter
	case strings.Contains(e.Message, "credit balance is too low"):
		return llm.KindQuota
	default:
		return e.Kind
	}
}

// failure puts whatever went wrong as an *llm.Error that holds no key, or as
// the context's own error.
func (m *Model) failure(ctx context.Context, err error) error {
	var streamed *sdk.Error
	if errors.As(err, &streamed) {
		code, message := modelhttp.Trouble([]byte(streamed.RawJSON()))
		if message == "" {
			message = "the server broke the stream off"
		}
		err = &llm.Error{Kind: kindOfCode(code, llm.KindUnavailable), Message: message}
	}
	err = modelhttp.Failure(ctx, m.options.Provider, err, m.scrub)
	var e *llm.Error
	if errors.As(err, &e) {
		e.Kind = kindOfWords(e)
	}
	return err
}

// scrub takes what was secret out of a text.
func (m *Model) scrub(text string) string {
	text = m.options.APIKey.Scrub(text)
	for _, value := range m.options.Headers {
		text = llm.NewSecret(value).Scrub(text)
	}
	return text
}
