package program

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/syntax"
)

// A Constant is a name that a program sets to a text, a number, True or False
// before it does anything else: what a later run may want to be another.
type Constant struct {
	Name  string
	Value string // as the program has it

	kind       string
	start, end int // of Value, in the program's bytes
}

// Constants returns those of a program, in order. A program that cannot be read
// has none.
func Constants(source string) []Constant {
	file, err := read(source)
	if err != nil {
		return nil
	}
	var out []Constant
	for _, stmt := range file.Stmts {
		assign, ok := stmt.(*syntax.AssignStmt)
		if !ok || assign.Op != syntax.EQ {
			break
		}
		name, ok := assign.LHS.(*syntax.Ident)
		kind := literal(assign.RHS)
		if !ok || kind == "" {
			break
		}
		first, last := assign.RHS.Span()
		c := Constant{Name: name.Name, kind: kind, start: offset(source, first), end: offset(source, last)}
		if c.start < 0 || c.end > len(source) || c.start >= c.end {
			break
		}
		c.Value = source[c.start:c.end]
		out = append(out, c)
	}
	return out
}

// literal is the kind of an expression that is no more than a value; empty is none.
func literal(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Literal:
		switch e.Token {
		case syntax.STRING:
			return "text"
		case syntax.INT, syntax.FLOAT:
			return "number"
		}
	case *syntax.UnaryExpr:
		if e.Op == syntax.MINUS && literal(e.X) == "number" {
			return "number"
		}
	case *syntax.Ident:
		if e.Name == "True" || e.Name == "False" {
			return "True or False"
		}
	}
	return ""
}

// offset is where a position is in a text. Columns count characters.
func offset(source string, pos syntax.Position) int {
	at := 0
	for line := int32(1); line < pos.Line; line++ {
		i := strings.IndexByte(source[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	column := int32(1)
	for i := range source[at:] {
		if column == pos.Col {
			return at + i
		}
		column++
	}
	return len(source)
}

// WithConstants returns a program with other values for some of its constants. A
// value is a string, a float64, a json.Number or a bool, and of the kind of the
// one that it replaces; another one, or a name that is no constant, is an error that
// wraps [ErrInvalid].
func WithConstants(source string, values map[string]any) (string, error) {
	have := Constants(source)
	names := make([]string, len(have))
	for i, c := range have {
		names[i] = c.Name
	}
	for name := range values {
		if !slices.Contains(names, name) {
			return "", fmt.Errorf("%w: the program has no constant %q; it has %q", ErrInvalid, name, names)
		}
	}
	for i := len(have) - 1; i >= 0; i-- { // from the end, so that offsets stay
		c := have[i]
		value, ok := values[c.Name]
		if !ok {
			continue
		}
		var kind, text string
		switch v := value.(type) {
		case string:
			kind, text = "text", syntax.Quote(v, false)
		case bool:
			kind, text = "True or False", map[bool]string{true: "True", false: "False"}[v]
		case float64, json.Number:
			kind = "number"
			raw, err := json.Marshal(v)
			if err != nil {
				return "", fmt.Errorf("%w: the constant %s: %w", ErrInvalid, c.Name, err)
			}
			text = string(raw)
		}
		if kind != c.kind {
			return "", fmt.Errorf("%w: the constant %s is a %s, as %s", ErrInvalid, c.Name, c.kind, c.Value)
		}
		source = source[:c.start] + text + source[c.end:]
	}
	return source, nil
}

// Cut returns the program that has the constant, without its value. Of several,
// cut the last one first.
func (c Constant) Cut(source string) string { return source[:c.start] + source[c.end:] }
