package bedrock

import (
	"regexp"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// codes are the names of the vendor's exceptions.
var codes = modelhttp.Codes{
	"AccessDeniedException": llm.KindAuth, "UnrecognizedClientException": llm.KindAuth, "InvalidSignatureException": llm.KindAuth,
	"ExpiredTokenException": llm.KindAuth, "IncompleteSignatureException": llm.KindAuth, "MissingAuthenticationTokenException": llm.KindAuth,
	"ResourceNotFoundException": llm.KindNotFound, "ThrottlingException": llm.KindRateLimited, "TooManyRequestsException": llm.KindRateLimited,
	"ServiceQuotaExceededException": llm.KindQuota, "ModelNotReadyException": llm.KindOverloaded, "ServiceUnavailableException": llm.KindOverloaded,
	"InternalServerException": llm.KindUnavailable, "ModelTimeoutException": llm.KindUnavailable,
	"ModelErrorException": llm.KindUnavailable, "ModelStreamErrorException": llm.KindUnavailable,
}

// What the vendor puts under one name, the ValidationException.
var (
	aboutLength = regexp.MustCompile(`(?i)too long|too many (input )?tokens|maximum context|context (length|window)|exceeds? the (maximum|model)`)
	aboutModel  = regexp.MustCompile(`(?i)model identifier is invalid|model id .*invalid`)
	aboutFilter = regexp.MustCompile(`(?i)content filter|blocked by`)
)

func kindOfWords(e *llm.Error) llm.ErrorKind {
	switch {
	case e.Kind != llm.KindInvalid:
		return e.Kind
	case aboutModel.MatchString(e.Message):
		return llm.KindNotFound
	case aboutLength.MatchString(e.Message):
		return llm.KindTooLong
	case aboutFilter.MatchString(e.Message):
		return llm.KindContentFilter
	default:
		return e.Kind
	}
}
