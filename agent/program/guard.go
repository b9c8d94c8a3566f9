package program

import (
	"fmt"
	"math/big"

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
	file.Stmts = g.block(file.Stmts)
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

// enter counts a level, and says whether there may be one more.
func (g *guard) enter(n syntax.Node) bool {
	if g.depth++; g.depth > mostNested {
		start, _ := n.Span()
		g.refuse(start, "nested deeper than %d", mostNested)
	}
	return g.err == nil
}

func (g *guard) block(stmts []syntax.Stmt) []syntax.Stmt {
	for i := range stmts {
		stmts[i] = g.stmt(stmts[i])
	}
	return stmts
}

func (g *guard) stmt(s syntax.Stmt) syntax.Stmt {
	defer func() { g.depth-- }()
	if !g.enter(s) {
		return s
	}
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return g.assign(s)
	case *syntax.DefStmt:
		g.params(s.Params)
		s.Body = g.block(s.Body)
	case *syntax.ExprStmt:
		s.X = g.expr(s.X)
	case *syntax.IfStmt:
		s.Cond = g.expr(s.Cond)
		s.True, s.False = g.block(s.True), g.block(s.False)
	case *syntax.ForStmt:
		s.Vars = g.target(s.Vars)
		s.X = g.expr(s.X)
		s.Body = g.block(s.Body)
	case *syntax.WhileStmt:
		s.Cond = g.expr(s.Cond)
		s.Body = g.block(s.Body)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = g.expr(s.Result)
		}
	case *syntax.BranchStmt:
	default:
		start, _ := s.Span()
		g.refuse(start, "nothing can be loaded")
	}
	return s
}

// assign guards x = y, and writes x op= y as x = x op y.
func (g *guard) assign(s *syntax.AssignStmt) syntax.Stmt {
	op, augmented := assigning[s.Op]
	if !augmented {
		s.LHS, s.RHS = g.target(s.LHS), g.expr(s.RHS)
		return s
	}
	rhs := g.expr(s.RHS)
	switch x := unparen(s.LHS).(type) {
	case *syntax.Ident:
		read := &syntax.Ident{NamePos: x.NamePos, Name: x.Name}
		return &syntax.AssignStmt{OpPos: s.OpPos, Op: syntax.EQ, LHS: x, RHS: call(addsTo(op), s.OpPos, read, rhs)}
	case *syntax.IndexExpr:
		return &syntax.ExprStmt{X: call(addsToAt(op), s.OpPos, g.expr(x.X), g.expr(x.Y), rhs)}
	}
	g.refuse(s.OpPos, "only a variable or an element of a list or dict can be added to")
	return s
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

// target guards what is assigned to.
func (g *guard) target(x syntax.Expr) syntax.Expr {
	defer func() { g.depth-- }()
	if !g.enter(x) {
		return x
	}
	switch x := x.(type) {
	case *syntax.Ident:
	case *syntax.ParenExpr:
		x.X = g.target(x.X)
	case *syntax.TupleExpr:
		for i := range x.List {
			x.List[i] = g.target(x.List[i])
		}
	case *syntax.ListExpr:
		for i := range x.List {
			x.List[i] = g.target(x.List[i])
		}
	case *syntax.IndexExpr:
		x.X, x.Y = g.expr(x.X), call(guardKey, x.Lbrack, g.expr(x.Y))
	default:
		start, _ := x.Span()
		g.refuse(start, "that cannot be assigned to")
	}
	return x
}

// params guards the defaults of parameters.
func (g *guard) params(list []syntax.Expr) {
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.BinaryExpr: // name=default
			p.Y = g.expr(p.Y)
		case *syntax.UnaryExpr:
			g.refuse(p.OpPos, "*args and **kwargs are not there; pass a list or a dict")
		}
	}
}

func (g *guard) list(list []syntax.Expr) {
	for i := range list {
		list[i] = g.expr(list[i])
	}
}

func (g *guard) expr(x syntax.Expr) syntax.Expr {
	defer func() { g.depth-- }()
	if !g.enter(x) {
		return x
	}
	switch x := x.(type) {
	case *syntax.Literal:
		g.literal(x)
	case *syntax.ParenExpr:
		x.X = g.expr(x.X)
	case *syntax.CondExpr:
		x.Cond, x.True, x.False = g.expr(x.Cond), g.expr(x.True), g.expr(x.False)
	case *syntax.ListExpr:
		g.list(x.List)
	case *syntax.TupleExpr:
		g.list(x.List)
	case *syntax.DictExpr:
		for _, entry := range x.List {
			g.entry(entry.(*syntax.DictEntry))
		}
	case *syntax.Comprehension:
		g.comprehension(x)
	case *syntax.LambdaExpr:
		g.params(x.Params)
		x.Body = g.expr(x.Body)
	case *syntax.UnaryExpr:
		x.X = g.expr(x.X)
	case *syntax.BinaryExpr:
		x.X, x.Y = g.expr(x.X), g.expr(x.Y)
		if x.Op != syntax.AND && x.Op != syntax.OR {
			return call(guardOf(x.Op), x.OpPos, x.X, x.Y)
		}
	case *syntax.DotExpr:
		name := &syntax.Literal{Token: syntax.STRING, TokenPos: x.NamePos, Raw: x.Name.Name, Value: x.Name.Name}
		return call(guardAttr, x.Dot, g.expr(x.X), name)
	case *syntax.IndexExpr:
		x.X, x.Y = g.expr(x.X), call(guardKey, x.Lbrack, g.expr(x.Y))
	case *syntax.SliceExpr:
		x.X = call(guardSlice, x.Lbrack, g.expr(x.X))
		for _, part := range []*syntax.Expr{&x.Lo, &x.Hi, &x.Step} {
			if *part != nil {
				*part = g.expr(*part)
			}
		}
	case *syntax.CallExpr:
		g.call(x)
	}
	return x
}

func (g *guard) literal(x *syntax.Literal) {
	switch v := x.Value.(type) {
	case *big.Int:
		if v.BitLen() > mostBits {
			g.refuse(x.TokenPos, "a number of more than %d bits", mostBits)
		}
	default:
		if x.Token == syntax.BYTES {
			g.refuse(x.TokenPos, "bytes are not there; take a text")
		}
	}
}

func (g *guard) entry(e *syntax.DictEntry) {
	e.Key, e.Value = call(guardKey, e.Colon, g.expr(e.Key)), g.expr(e.Value)
}

func (g *guard) comprehension(x *syntax.Comprehension) {
	for _, clause := range x.Clauses {
		switch c := clause.(type) {
		case *syntax.ForClause:
			c.Vars, c.X = g.target(c.Vars), g.expr(c.X)
		case *syntax.IfClause:
			c.Cond = g.expr(c.Cond)
		}
	}
	if e, ok := x.Body.(*syntax.DictEntry); ok {
		g.entry(e)
		return
	}
	if x.Curly {
		g.refuse(x.Lbrack, "sets are not there; take a dict")
	}
	x.Body = g.expr(x.Body)
}

func (g *guard) call(x *syntax.CallExpr) {
	x.Fn = g.expr(x.Fn)
	for i, arg := range x.Args {
		switch a := arg.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ { // name=value
				a.Y = g.expr(a.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				g.refuse(a.OpPos, "*args and **kwargs are not there; name the arguments")
				continue
			}
		}
		x.Args[i] = g.expr(arg)
	}
}

// call is a call of a guard at a position.
func call(name string, at syntax.Position, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}
