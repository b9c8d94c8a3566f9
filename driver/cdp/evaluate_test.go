package cdp

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestEvaluate(t *testing.T) {
	p := open(t, `<!doctype html><title>eval</title><body><p id=x>hi</p><iframe srcdoc="<title>inner</title>"></iframe><script>var mine = 7</script>`)
	body := query(t, p, driver.NodeRef{}, driver.CSS, "p")[0]
	frame := p.Frames()[1].ID
	for _, c := range []struct {
		expression string
		opts       *driver.EvaluateOptions
		want       string
	}{
		{"1 + 1", nil, "2"},
		{"undefined", nil, "null"},
		{"null", nil, "null"},
		{"NaN", nil, "null"},
		{"-0", nil, "0"},
		{"10n", nil, "10"},
		{"({a: [1, 'x', null]})", nil, `{"a":[1,"x",null]}`},
		{"Promise.resolve('later')", nil, `"later"`},
		{"document.title", nil, `"eval"`},
		{"document.title", &driver.EvaluateOptions{Frame: frame}, `"inner"`},
		{"typeof mine", nil, `"undefined"`},
		{"mine", &driver.EvaluateOptions{World: driver.Main}, "7"},
		{"(a, b) => a + b.c", &driver.EvaluateOptions{Args: []any{1, map[string]int{"c": 2}}}, "3"},
		{"() => 5", &driver.EvaluateOptions{Args: []any{}}, "5"},
		{"(e, n) => e.id + n", &driver.EvaluateOptions{Node: body, Args: []any{1}}, `"x1"`},
		{"e => e.textContent", &driver.EvaluateOptions{Node: body, World: driver.Main}, `"hi"`},
		{"d => d.nodeType", &driver.EvaluateOptions{Node: driver.NodeRef{Frame: body.Frame, Doc: body.Doc}}, "9"},
		{"async () => navigator.userActivation.isActive", &driver.EvaluateOptions{Args: []any{}, UserGesture: true}, "true"},
	} {
		got, err := p.Evaluate(t.Context(), c.expression, c.opts)
		if err != nil || string(got) != c.want {
			t.Errorf("Evaluate(%s) = %s, %v, want %s", c.expression, got, err, c.want)
		}
	}
	for expression, want := range map[string]string{
		"throw new Error('oh no')":       "oh no",
		"throw 'text'":                   "text",
		"Promise.reject(new Error('p'))": "p",
		"syntax error":                   "SyntaxError",
	} {
		if _, err := p.Evaluate(t.Context(), expression, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Evaluate(%s): %v, want %q", expression, err, want)
		}
	}
}
