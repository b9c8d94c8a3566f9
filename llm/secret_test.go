package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretDoesNotShow(t *testing.T) {
	const key = "sk-very-secret"
	type inner struct{ key Secret }
	s := NewSecret(key)
	values := []any{s, &s, []Secret{s}, map[string]Secret{"a": s}, struct{ Key Secret }{s}, inner{s}, &inner{s}, fmt.Errorf("with %v", s)}
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			if got := fmt.Sprintf(verb, v); strings.Contains(got, key) || strings.Contains(got, fmt.Sprintf("%x", key)) {
				t.Errorf("Sprintf(%s, %T) = %s", verb, v, got)
			}
		}
		raw, err := json.Marshal(v)
		if err != nil || bytes.Contains(raw, []byte(key)) {
			t.Errorf("Marshal(%T) = %s, %v", v, raw, err)
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "v", v)
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "v", v)
		if strings.Contains(log.String(), key) {
			t.Errorf("slog of %T = %s", v, log.String())
		}
	}
	if got := fmt.Sprintf("%v %s %#v", s, s, s); got != "*** *** ***" {
		t.Errorf("Sprintf = %s", got)
	}
	if got := fmt.Sprint(Secret{}); got != "" {
		t.Errorf("Sprint(Secret{}) = %q", got)
	}
}

func TestSecretRevealsAndScrubs(t *testing.T) {
	var s struct{ Key Secret }
	if err := json.Unmarshal([]byte(`{"Key":"sk-12345"}`), &s); err != nil {
		t.Fatal(err)
	}
	if s.Key.Reveal() != "sk-12345" || s.Key.IsZero() || !s.Key.Equal(NewSecret("sk-12345")) {
		t.Errorf("Reveal = %q", s.Key.Reveal())
	}
	if got := s.Key.Scrub("wrong key sk-12345!"); got != "wrong key ***!" {
		t.Errorf("Scrub = %q", got)
	}
	if got := NewSecret("x").Scrub("max"); got != "max" {
		t.Errorf("Scrub with a short key = %q", got)
	}
}
