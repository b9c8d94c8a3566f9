package anthropic

import (
	"strings"

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
