package program

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"go.starlark.net/syntax"
)

const (
	// mostSource bounds a program's text, in bytes.
	mostSource = 32 << 10
	// mostNested bounds how far brackets, blocks and expressions are nested.
	mostNested = 400
)

// The names of the guards. No program can write them.
const (
	guardAttr  = "$attr"
	guardKey   = "$key"
	guardSlice = "$slice"
)

func guardOf(op syntax.Token) string  { return "$" + op.String() }
func addsTo(op syntax.Token) string   { return "$" + op.String() + "=" }
func addsToAt(op syntax.Token) string { return "$[]" + op.String() + "=" }

// operators are those whose result, or whose work, has no bound of its own.
var operators = []syntax.Token{
	syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT, syntax.AMP, syntax.PIPE, syntax.CIRCUMFLEX,
	syntax.LTLT, syntax.GTGT, syntax.IN, syntax.NOT_IN, syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE,
}

// assigning says which operator x op= y has.
var assigning = map[syntax.Token]syntax.Token{
	syntax.PLUS_EQ: syntax.PLUS, syntax.MINUS_EQ: syntax.MINUS, syntax.STAR_EQ: syntax.STAR, syntax.SLASH_EQ: syntax.SLASH,
	syntax.SLASHSLASH_EQ: syntax.SLASHSLASH, syntax.PERCENT_EQ: syntax.PERCENT, syntax.AMP_EQ: syntax.AMP, syntax.PIPE_EQ: syntax.PIPE,
	syntax.CIRCUMFLEX_EQ: syntax.CIRCUMFLEX, syntax.LTLT_EQ: syntax.LTLT, syntax.GTGT_EQ: syntax.GTGT,
}

// parse reads a program and puts guards where an operation has no bound of its
// own: the interpreter bounds steps, and one step may double a text, hash a value
// without end, or go through a range of 10**18. Operators, attributes, keys
// and slices become calls of builtins, which the meter charges first.
func parse(source string) (*syntax.File, error) {
	file, err := read(source)
	if err != nil {
		return nil, err
	}
	var g guard
	g.within(file)
	if g.err != nil {
		return nil, g.err
	}
	return file, nil
}

// read reads a program as it is written.
func read(source string) (*syntax.File, error) {
	if len(source) > mostSource {
		return nil, fmt.Errorf("%w: the program has %d bytes; at most %d", ErrInvalid, len(source), mostSource)
	}
	if err := checkBrackets(source); err != nil {
		return nil, err
	}
	options := syntax.FileOptions{While: true, TopLevelControl: true, GlobalReassign: true}
	file, err := options.Parse(fileName, source, 0)
	if err != nil { // its position has the file's name, and the line
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return file, nil
}

// fileName stands in positions.
const fileName = "program"

// checkBrackets bounds what the parser has to descend into. Brackets in texts and
// comments count, too.
func checkBrackets(source string) error {
	depth := 0
	for i := range len(source) {
		switch source[i] {
		case '(', '[', '{':
			if depth++; depth > mostNested {
				return fmt.Errorf("%w: brackets are nested deeper than %d", ErrInvalid, mostNested)
			}
		case ')', ']', '}':
			depth--
		}
	}
	return nil
}

// A guard rewrites a program. The first thing that is not allowed ends it.
type guard struct {
	depth int
	err   error
}

func (g *guard) refuse(at syntax.Position, format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf("%w: line %d: %s", ErrInvalid, at.Line, fmt.Sprintf(format, args...))
	}
}

// within guards all that a node holds: an expression and a statement are guarded wherever
// they stand, also in a form of the syntax that is not known here.
func (g *guard) within(n syntax.Node) {
	defer func() { g.depth-- }()
	if g.depth++; g.depth > mostNested {
		start, _ := n.Span()
		g.refuse(start, "nested deeper than %d", mostNested)
	}
	if g.admit(n); g.err != nil {
		return
	}
	of := reflect.ValueOf(n).Elem()
	for i := range of.NumField() {
		if !of.Type().Field(i).IsExported() {
			continue
		}
		switch held := of.Field(i).Addr().Interface().(type) {
		case *syntax.Expr:
			if *held != nil {
				*held = g.expr(*held)
			}
		case *[]syntax.Expr:
			for i, x := range *held {
				(*held)[i] = g.expr(x)
			}
		case *[]syntax.Stmt:
			for i, s := range *held {
				(*held)[i] = g.stmt(s)
			}
		case *[]syntax.Node: // the clauses of a comprehension
			for _, clause := range *held {
				g.within(clause)
			}
		}
	}
}

// admit refuses what no program may have.
func (g *guard) admit(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.LoadStmt:
		g.refuse(n.Load, "nothing can be loaded")
	case *syntax.AssignStmt:
		if n.Op == syntax.EQ {
			g.assignable(n.LHS)
		}
	case *syntax.ForStmt:
		g.assignable(n.Vars)
	case *syntax.ForClause:
		g.assignable(n.Vars)
	case *syntax.Literal:
		if v, ok := n.Value.(*big.Int); ok && v.BitLen() > mostBits {
			g.refuse(n.TokenPos, "a number of more than %d bits", mostBits)
		}
		if n.Token == syntax.BYTES {
			g.refuse(n.TokenPos, "bytes are not there; take a text")
		}
	case *syntax.Comprehension:
		if _, dict := n.Body.(*syntax.DictEntry); n.Curly && !dict {
			g.refuse(n.Lbrack, "sets are not there; take a dict")
		}
	case *syntax.CallExpr:
		for _, arg := range n.Args {
			if a, ok := arg.(*syntax.UnaryExpr); ok && (a.Op == syntax.STAR || a.Op == syntax.STARSTAR) {
				g.refuse(a.OpPos, "*args and **kwargs are not there; name the arguments")
			}
		}
	case *syntax.UnaryExpr:
		if n.Op == syntax.STAR || n.Op == syntax.STARSTAR { // of a call it was refused before
			g.refuse(n.OpPos, "*args and **kwargs are not there; pass a list or a dict")
		}
	}
}

// assignable refuses to assign to anything but variables and elements.
func (g *guard) assignable(x syntax.Expr) {
	var list []syntax.Expr
	switch x := unparen(x).(type) {
	case *syntax.Ident, *syntax.IndexExpr:
	case *syntax.TupleExpr:
		list = x.List
	case *syntax.ListExpr:
		list = x.List
	default:
		start, _ := x.Span()
		g.refuse(start, "that cannot be assigned to")
	}
	for _, item := range list {
		g.assignable(item)
	}
}

func unparen(x syntax.Expr) syntax.Expr {
	for {
		p, ok := x.(*syntax.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

// stmt guards a statement, and writes x op= y as x = x op y.
func (g *guard) stmt(s syntax.Stmt) syntax.Stmt {
	g.within(s)
	of, ok := s.(*syntax.AssignStmt)
	if !ok || assigning[of.Op] == 0 || g.err != nil {
		return s
	}
	op := assigning[of.Op]
	switch x := unparen(of.LHS).(type) {
	case *syntax.Ident:
		read := &syntax.Ident{NamePos: x.NamePos, Name: x.Name}
		return &syntax.AssignStmt{OpPos: of.OpPos, Op: syntax.EQ, LHS: x, RHS: call(addsTo(op), of.OpPos, read, of.RHS)}
	case *syntax.IndexExpr:
		key := x.Y.(*syntax.CallExpr).Args[0] // addToAt admits it
		return &syntax.ExprStmt{X: call(addsToAt(op), of.OpPos, x.X, key, of.RHS)}
	}
	g.refuse(of.OpPos, "only a variable or an element of a list or dict can be added to")
	return s
}

// expr guards an expression, and puts the call of a guard in its place where it has no
// bound of its own.
func (g *guard) expr(x syntax.Expr) syntax.Expr {
	g.within(x)
	switch x := x.(type) {
	case *syntax.DictEntry:
		x.Key = call(guardKey, x.Colon, x.Key)
	case *syntax.BinaryExpr:
		if slices.Contains(operators, x.Op) { // others are and, or, and the = of a named argument
			return call(guardOf(x.Op), x.OpPos, x.X, x.Y)
		}
	case *syntax.DotExpr:
		name := &syntax.Literal{Token: syntax.STRING, TokenPos: x.NamePos, Raw: x.Name.Name, Value: x.Name.Name}
		return call(guardAttr, x.Dot, x.X, name)
	case *syntax.IndexExpr:
		x.Y = call(guardKey, x.Lbrack, x.Y)
	case *syntax.SliceExpr:
		x.X = call(guardSlice, x.Lbrack, x.X)
	}
	return x
}

// call is a call of a guard at a position.
func call(name string, at syntax.Position, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}
