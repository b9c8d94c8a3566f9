// Package middleware has what stands between a model and those who ask it. A
// [Middleware] makes a model of a model, and [Wrap] puts several around one:
//
//	model := middleware.Wrap(large,
//		middleware.Meter(),
//		middleware.Fallback(small),
//		middleware.Retry(nil),
//		middleware.Break(breaker),
//		middleware.Limit(limiter),
//	)
//
// [Retry] repeats what may succeed later, within the caller's deadline. A
// [Breaker] keeps requests from an endpoint that is down, and a [Limiter] bounds
// what goes out with one key. [Fallback] asks another model where the first
// can't answer, and [Meter] holds a model to the [Budget] of each call's
// context, in tokens or, by a list of [Prices], in dollars:
//
//	ctx = middleware.WithBudget(ctx, &middleware.Budget{MaxTokens: 200_000})
//
// # The order
//
// The order above is the one in which they work together. Each attempt of a
// retry waits for a turn of its own, so that a pause holds no place. The breaker
// refuses before a turn is waited for, and does not take waiting for the
// endpoint's fault. A retry ends where the breaker is open, so that the caller
// hears at once, or another model is asked. The models that a Fallback continues
// to come with middleware of their own.
package middleware
