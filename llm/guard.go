package llm

// Guards are what stands between a model and those who ask it; nil ones are
// left out, but for Retry, where nil are the defaults.
type Guards struct {
	Retry   *RetryOptions
	Breaker *Breaker // of the model's endpoint
	Limit   *Limit   // of the key
}

// WithGuards returns the model behind its guards, in the order in which they
// work together: [WithRetry] around [WithBreaker] around [WithLimit] around the
// model. Each attempt of a retry waits for a turn of its own, so that a pause
// holds no place. The breaker refuses before a turn is waited for, and does not
// take waiting for the endpoint's fault. A retry ends where the breaker is open,
// so that the caller hears at once, or another model is asked.
//
// [Fallback] goes around models with their guards, and [Metered] around that.
func WithGuards(m Model, g Guards) Model {
	if g.Limit != nil {
		m = WithLimit(m, g.Limit)
	}
	if g.Breaker != nil {
		m = WithBreaker(m, g.Breaker)
	}
	return WithRetry(m, g.Retry)
}
