package main

import (
	"strings"
	"testing"
)

// Each refusal names the flag that would allow it.
func TestPolicyFlags(t *testing.T) {
	site := pages(t).URL
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"private", []string{"--deny-host", "ads.test"}, exitNotDone, "--allow-private 127.0.0.1 allows it"},
		{"private allowed", []string{"--deny-host", "ads.test", "--allow-private", "127.0.0.0/8"}, exitDone, ""},
		{"not allowed", []string{"--allow-host", "*.example.com,example.com", "--allow-private", "*"}, exitNotDone, "--allow-host 127.0.0.1 allows it"},
		{"denied", []string{"--deny-host", "127.0.0.1", "--allow-private", "*"}, exitNotDone, "--deny-host 127.0.0.1 denies it"},
		{"open", nil, exitDone, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := wayfinder(t, append([]string{"snapshot", site, "--driver", "memory"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.err, c.says) {
				t.Errorf("code %d, want %d; stderr %q, want %q in it", got.code, c.code, got.err, c.says)
			}
		})
	}
	got := wayfinder(t, "snapshot", "file:///etc/hostname", "--driver", "memory", "--allow-private", "*")
	if got.code != exitNotDone || !strings.Contains(got.err, "--allow-scheme file allows it") {
		t.Errorf("code %d, stderr %q", got.code, got.err)
	}
}
