package openai

import (
	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// codes are those that say more than their status.
var codes = modelhttp.Codes{
	// The first of these are Azure's.
	"DeploymentNotFound": llm.KindNotFound, "OperationNotSupported": llm.KindUnsupported,
	"NoCapacity": llm.KindOverloaded, "ResponsibleAIPolicyViolation": llm.KindContentFilter,

	"insufficient_quota": llm.KindQuota, "billing_hard_limit_reached": llm.KindQuota, "billing_not_active": llm.KindQuota,
	"context_length_exceeded": llm.KindTooLong, "string_above_max_length": llm.KindTooLong, "exceed_context_size_error": llm.KindTooLong,
	"content_filter": llm.KindContentFilter, "content_policy_violation": llm.KindContentFilter,
	"model_not_found": llm.KindNotFound, "invalid_api_key": llm.KindAuth, "rate_limit_exceeded": llm.KindRateLimited,
	"server_error": llm.KindUnavailable, "internal_error": llm.KindUnavailable,
	"overloaded_error": llm.KindOverloaded, "server_overloaded": llm.KindOverloaded, "slow_down": llm.KindOverloaded,
}
