package engine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// A Variable stands in an instruction as %name%. The model sees the name and
// the description, never the value. It prints without its value.
type Variable struct {
	Value       string
	Description string

	// TOTP makes the value at the moment it is typed, in place of Value.
	TOTP *TOTP

	// Hosts are where the value may be typed, written as those of a [Policy]:
	// "shop.example", or "*.shop.example" for all below it. What counts is the
	// document that the element is in, which may be a frame's. Empty is
	// everywhere.
	Hosts []string
}

// Format writes the description alone, under every verb.
func (v Variable) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "{*** %s}", v.Description) // a failed write is the printer's affair
}

// LogValue logs the description alone.
func (v Variable) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(v)) }

// Format writes *** in place of the key, under every verb.
func (t TOTP) Format(f fmt.State, _ rune) { io.WriteString(f, "{***}") } // a failed write is the printer's affair

// LogValue logs *** in place of the key.
func (t TOTP) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(t)) }

var placeholder = regexp.MustCompile(`%([A-Za-z_][A-Za-z0-9_]*)%`)

// Placeholders returns the names that stand as %name% in a text, in order. The
// engine takes for a placeholder what is one of the call's variables; the rest
// is text.
func Placeholders(text string) []string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// substitute puts the values of variables in the place of %name%. A name that
// is not a variable stays as it is: a percent sign is a percent sign.
func substitute(args []string, vars map[string]Variable) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = placeholder.ReplaceAllStringFunc(arg, func(m string) string {
			if v, ok := vars[m[1:len(m)-1]]; ok {
				return v.Value
			}
			return m
		})
	}
	return out
}

// checkVariables refuses names that could not stand between percent signs,
// hosts that are none, and one-time codes that could not be made.
func checkVariables(vars map[string]Variable) error {
	for name, v := range vars {
		if !slices.Equal(Placeholders("%"+name+"%"), []string{name}) {
			return fmt.Errorf("%w: variable name %q; a name is letters, digits and _, and begins with a letter", ErrInvalid, name)
		}
		if _, err := policy.ParseHosts(v.Hosts); err != nil {
			return fmt.Errorf("%w: variable %s: %w", ErrInvalid, name, err)
		}
		if v.TOTP == nil {
			continue
		}
		if v.Value != "" {
			return fmt.Errorf("%w: variable %s has a value and a TOTP; give one", ErrInvalid, name)
		}
		if err := v.TOTP.check(); err != nil {
			return fmt.Errorf("variable %s: %w", name, err)
		}
	}
	return nil
}

// fillIn gives a deed its arguments, with the values of variables. It refuses a
// value that is bound to other hosts than that of the element's document, and
// makes one-time codes once the element can take them.
func (d *deed) fillIn(ctx context.Context, args []string, vars map[string]Variable) (err error) {
	if d.bound, err = d.page.checkBinding(d.node, args, vars); err != nil {
		return err
	}
	waited := false
	for _, name := range used(args, vars) {
		t := vars[name].TOTP
		if t == nil {
			continue
		}
		if !waited {
			if _, err := d.ready(ctx, needTyping); err != nil {
				return err
			}
			waited, vars = true, maps.Clone(vars)
		}
		code, err := t.next(ctx)
		if err != nil {
			return fmt.Errorf("%%%s%%: %w", name, err)
		}
		d.page.session.secrets.addCode(name, code)
		vars[name] = Variable{Value: code}
	}
	d.args = substitute(args, vars)
	return nil
}

// variableParts tells a model which placeholders it may use.
func variableParts(vars map[string]Variable) []llm.Part {
	if len(vars) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("Placeholders that stand for values you are not shown. Use them in arguments exactly as written:\n")
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		fmt.Fprintf(&b, "%%%s%%", name)
		if d := vars[name].Description; d != "" {
			b.WriteString(": " + d)
		}
		b.WriteByte('\n')
	}
	return []llm.Part{llm.Text{Text: b.String()}}
}
