package openai

import (
	"github.com/wayfinder-engine/wayfinder/llm"
)

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
