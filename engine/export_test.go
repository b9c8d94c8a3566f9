package engine

// WhyFailed and ErrorParts are what a model reads of an error.
var (
	WhyFailed  = whyFailed
	ErrorParts = errorParts
)

// Methods returns all methods in the order of the documentation.
func Methods() []Method {
	names := make([]Method, len(methods))
	for i := range methods {
		names[i] = methods[i].name
	}
	return names
}
