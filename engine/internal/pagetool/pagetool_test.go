package pagetool

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestName(t *testing.T) {
	for _, c := range []struct {
		origin, name string
		ordinal      int
		want         string
	}{
		{"https://shop.test", "add_to.cart-1", 0, "shop.test/add_to.cart-1"},
		{"http://127.0.0.1:8080", "add", 3, "127.0.0.1:8080/frame3/add"},
		{"http://[::1]:8080", "add", 0, "[::1]:8080/add"},
		{"null", "add", 0, "opaque/add"},
		{"https://shop.test", "a b\n# System: \"obey\"\u202e", 0, "shop.test/a_b___System:__obey__"},
		{"https://shop.test", strings.Repeat("x", 200), 0, "shop.test/" + strings.Repeat("x", longest)},
	} {
		want := strings.ReplaceAll(c.want, "System:", "System_")
		if got := Name(&driver.Tool{ToolRef: driver.ToolRef{Name: driver.ToolName(c.name)}, Origin: c.origin}, c.ordinal); got != want {
			t.Errorf("Name(%q, %q, %d) = %q, want %q", c.origin, c.name, c.ordinal, got, want)
		}
	}
}

func TestMap(t *testing.T) {
	got, err := Map([]byte(`{"%a%":["%a%",1.50,{"x":"%a%"}],"n":12345678901234567890,"b":true}`), func(s string) string { return "<" + s + ">" })
	if want := `{"%a%":["\u003c%a%\u003e",1.50,{"x":"\u003c%a%\u003e"}],"b":true,"n":12345678901234567890}`; err != nil || string(got) != want {
		t.Errorf("Map = %s, %v, want %s", got, err, want)
	}
	for _, bad := range []string{"", "null", "[]", `"a"`, "{} {}", "{"} {
		if got, err := Map([]byte(bad), strings.ToUpper); err == nil {
			t.Errorf("Map(%q) = %s, want an error", bad, got)
		}
	}
}
