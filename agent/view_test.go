package agent

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestAddresses: a long address is shortened, the same one always to the same,
// and known again wherever the model writes it. Values of variables are taken
// out before anything is cut.
func TestAddresses(t *testing.T) {
	const secret = "Rumpelstilz"
	a := &addresses{hide: func(s string) string { return strings.ReplaceAll(s, secret, "%name%") }}
	long := "https://shop.test/search?q=" + strings.Repeat("teapot&", 40)
	var shorts []string
	for i := range 12 {
		shorts = append(shorts, a.shorten(long+string(rune('a'+i))))
	}
	for i, short := range shorts {
		want := long + string(rune('a'+i))
		if len(short) > longestAddress || a.shorten(want) != short {
			t.Errorf("shorten = %q and then %q", short, a.shorten(want))
		}
		if got := a.restore("go to " + short + "."); got != "go to "+want+"." {
			t.Errorf("restore(%q) = %q, want %q", short, got, want)
		}
		raw, _ := json.Marshal(map[string]string{"url": short})
		for _, spelled := range []string{string(raw), strings.ReplaceAll(string(raw), "…", `\u2026`)} {
			var got map[string]string
			if err := json.Unmarshal(a.restoreJSON(json.RawMessage(spelled)), &got); err != nil || got["url"] != want {
				t.Errorf("restoreJSON(%s) = %v, %v", spelled, got, err)
			}
		}
	}
	for _, plain := range []string{"", "https://shop.test/", "about:blank"} {
		if a.shorten(plain) != plain || a.restore(plain) != plain {
			t.Errorf("shorten(%q) = %q, restore %q", plain, a.shorten(plain), a.restore(plain))
		}
	}
	for pad := range 30 { // wherever it is cut
		address := "https://shop.test/?q=" + strings.Repeat("x", 100+pad) + secret + strings.Repeat("y", 100)
		short := a.shorten(address)
		for n := 4; n <= len(secret); n++ {
			if strings.Contains(short, secret[:n]) {
				t.Fatalf("shorten(%q) = %q holds a piece of a value", address, short)
			}
		}
		if a.restore(short) != address {
			t.Errorf("restore(%q) = %q, want the address itself", short, a.restore(short))
		}
		if got := string(a.restoreJSON(json.RawMessage(`"` + short + `"`))); strings.Contains(got, secret) {
			t.Errorf("restoreJSON gives a value away: %s", got)
		}
	}
}

func TestCutText(t *testing.T) {
	long := strings.Repeat("ü", 10_000)
	got := cutText(long, 1000)
	if len(got) > 4100 || !strings.Contains(got, "16000 more bytes were left out") {
		t.Errorf("cutText = %d bytes, ends with %q", len(got), got[max(0, len(got)-60):])
	}
	if got := cutText("short", 1000); got != "short" {
		t.Errorf("cutText(short) = %q", got)
	}
}
