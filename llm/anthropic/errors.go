package anthropic

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// codes are the types of the vendor's errors.
var codes = modelhttp.Codes{
	"authentication_error": llm.KindAuth, "permission_error": llm.KindAuth,
	"billing_error": llm.KindQuota, "not_found_error": llm.KindNotFound, "request_too_large": llm.KindTooLong, "rate_limit_error": llm.KindRateLimited,
	"api_error": llm.KindUnavailable, "timeout_error": llm.KindUnavailable, "overloaded_error": llm.KindOverloaded,
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
