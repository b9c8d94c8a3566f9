package bedrock

import (
	"regexp"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// kindOfCode reads the names of the vendor's exceptions.
func kindOfCode(code string, otherwise llm.ErrorKind) llm.ErrorKind {
	switch code {
	case "AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException",
		"IncompleteSignatureException", "MissingAuthenticationTokenException":
		return llm.KindAuth
	case "ResourceNotFoundException":
		return llm.KindNotFound
	case "ThrottlingException", "TooManyRequestsException":
		return llm.KindRateLimited
	case "ServiceQuotaExceededException":
		return llm.KindQuota
	case "ModelNotReadyException", "ServiceUnavailableException":
		return llm.KindOverloaded
	case "InternalServerException", "ModelTimeoutException", "ModelErrorException", "ModelStreamErrorException":
		return llm.KindUnavailable
	default:
		return otherwise
	}
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
