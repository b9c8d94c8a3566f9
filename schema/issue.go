package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// An Issue is one thing that is wrong with a document.
type Issue struct {
	// Path leads to the value: member names are strings, array positions ints.
	// It is empty for the document itself.
	Path []any `json:"path"`

	// Message says what is wrong, in words that a person and a model can act on.
	Message string `json:"message"`
}

// String returns the issue as "items[0].price: must be …".
func (i Issue) String() string {
	if len(i.Path) == 0 {
		return i.Message
	}
	return FormatPath(i.Path) + ": " + i.Message
}

// FormatPath writes a path as "items[0].price", and names that are no
// identifiers as ["a b"].
func FormatPath(path []any) string {
	var b strings.Builder
	for _, part := range path {
		switch part := part.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", part)
		case float64: // a position that was read from JSON
			fmt.Fprintf(&b, "[%.0f]", part)
		case string:
			switch {
			case !isIdentifier(part):
				b.WriteString("[" + strconv.Quote(part) + "]")
			case b.Len() > 0:
				b.WriteString("." + part)
			default:
				b.WriteString(part)
			}
		}
	}
	return b.String()
}

// isIdentifier reports whether a name can stand in a path without quotes.
func isIdentifier(s string) bool {
	for i, r := range s {
		switch {
		case r == '_' || r == '$' || unicode.IsLetter(r):
		case i > 0 && (r == '-' || unicode.IsDigit(r)):
		default:
			return false
		}
	}
	return s != ""
}

// A ValidationError says everything that is wrong with a document.
type ValidationError struct {
	Issues []Issue // at least one, ordered by path
}

func (e *ValidationError) Error() string { return "schema: " + joinIssues(e.Issues) }

func joinIssues(issues []Issue) string {
	lines := make([]string, len(issues))
	for i, issue := range issues {
		lines[i] = issue.String()
	}
	return strings.Join(lines, "; ")
}

// invalid is the error of one place.
func invalid(path []any, message string) *ValidationError {
	return &ValidationError{Issues: []Issue{{Path: append([]any{}, path...), Message: message}}}
}

// A SchemaError says why a document is no schema.
type SchemaError struct {
	// Issues are the places where it breaks the rules for schemas.
	Issues []Issue
	// Err is set if the error has no single place.
	Err error
}

func (e *SchemaError) Error() string {
	if len(e.Issues) == 0 {
		return "schema: no valid JSON Schema: " + e.Err.Error()
	}
	return "schema: no valid JSON Schema: " + joinIssues(e.Issues)
}

func (e *SchemaError) Unwrap() error { return e.Err }
