package schema

import (
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compilePattern compiles a regular expression of a schema.
func compilePattern(s string) (jsonschema.Regexp, error) { return regexp.Compile(s) }
