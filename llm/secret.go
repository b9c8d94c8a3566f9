package llm

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/wayfinder-engine/wayfinder/internal/redact"
)

// hidden is what stands for a secret wherever it is written.
const hidden = "***"

// A Secret is a key, a token or a private key. However it is printed,
// marshaled or logged, also within another value, it shows as ***; only Reveal
// gives it away. The zero value is no secret, and shows as nothing.
type Secret struct {
	// A pointer, as fmt prints a string in an unexported field of a value
	// that it can't ask for its own form.
	value *string
}

// NewSecret hides a string.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{&s}
}

// Reveal returns the secret itself.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.value == nil }

// Equal reports whether both hide the same.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// minScrubbed keeps Scrub from tearing texts apart for the sake of a key that
// is no key, as the "x" that some local servers want.
const minScrubbed = 6

// Scrub returns text with the secret replaced wherever it occurs, also escaped
// or encoded.
func (s Secret) Scrub(text string) string {
	if len(s.Reveal()) < minScrubbed {
		return text
	}
	found := redact.New([]redact.Value{{Text: s.Reveal()}})
	return found.Replace(text, false, func(redact.Value, string) string { return hidden })
}

// String returns *** for a secret.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return hidden
}

// Format writes *** under every verb.
func (s Secret) Format(f fmt.State, _ rune) {
	io.WriteString(f, s.String()) // a failed write is the printer's affair
}

// LogValue logs ***.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText writes ***, so that JSON and its kind do.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a secret.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}
