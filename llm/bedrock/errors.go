package bedrock

import (
	"context"
	"errors"
	"net/url"
	"regexp"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/eventstream"
	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
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

// failure puts whatever went wrong as an *llm.Error that holds no key, or as
// the context's own error.
func (m *Model) failure(ctx context.Context, err error) error {
	var known *llm.Error
	var exception smithy.APIError
	var broken *smithy.DeserializationError
	var checksum eventstream.ChecksumError
	var length eventstream.LengthError
	var sending *url.Error
	switch {
	case errors.As(err, &known):
		err = known // without the SDK's words around it
	case errors.As(err, &exception): // in the middle of a stream
		otherwise := llm.KindUnavailable
		if exception.ErrorCode() == "ValidationException" {
			otherwise = llm.KindInvalid
		}
		err = &llm.Error{Kind: kindOfCode(exception.ErrorCode(), otherwise), Message: exception.ErrorMessage()}
	case errors.As(err, &sending):
		err = sending
	case errors.As(err, &broken), errors.As(err, &checksum), errors.As(err, &length):
		err = &llm.Error{Kind: llm.KindMalformed, Message: "the answer can't be read: " + err.Error()}
	}
	err = modelhttp.Failure(ctx, string(config.Bedrock), err, m.scrub)
	var e *llm.Error
	if errors.As(err, &e) {
		e.Kind = kindOfWords(e)
	}
	return err
}

// scrub takes what was secret out of a text.
func (m *Model) scrub(text string) string {
	secrets := []llm.Secret{m.options.APIKey, m.options.SecretAccessKey, m.options.SessionToken}
	if access := m.access.Load(); access != nil {
		secrets = append(secrets, llm.NewSecret(access.SecretAccessKey), llm.NewSecret(access.SessionToken))
	}
	for _, value := range m.options.Headers {
		secrets = append(secrets, llm.NewSecret(value))
	}
	for _, secret := range secrets {
		text = secret.Scrub(text)
	}
	return text
}
