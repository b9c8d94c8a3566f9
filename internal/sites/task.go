package sites

// A Task is something to do on a site.
type Task struct {
	Name  string
	New   func() *Site
	Start string // the path where it begins
	// Say is the task in plain words.
	Say string
	// Variables are values that Say names as %name%.
	Variables map[string]string
	// Files are contents by name, to upload.
	Files map[string][]byte

	// Turns are what a model that knows the site does: the calls of each of its
	// answers. Done ends it.
	Turns []Turn
	Done  Claim

	// Want is the site's journal afterwards.
	Want []string

	// Script says that the site needs JavaScript.
	Script bool
	// Plain says that a matcher of words can do it from Say alone.
	Plain bool
}

// A Turn is the calls of one answer.
type Turn []Call

// A Call is a tool by its name in package agent, with its arguments. A text that
// begins with "@" is an element, as the outline has it, within others if need
// be: "@row: Ada / button: Edit". A text that begins with "/" is an address of
// the site where an address belongs.
type Call struct {
	Tool string
	Args map[string]any
}

// A Claim is what the agent reports when it calls done.
type Claim struct {
	Message  string
	Criteria []Criterion
}

// A Criterion is one thing that is so in the end.
type Criterion struct {
	Text     string
	Evidence []map[string]any
}

// task begins a task. Its turns, what it claims and what it leaves follow.
func task(name string, site func() *Site, start, say string) Task {
	return Task{Name: name, New: site, Start: start, Say: say}
}

// turn adds a turn.
func (t Task) turn(calls ...Call) Task {
	t.Turns = append(t.Turns, calls)
	return t
}

// clicks adds a turn for each element that is clicked.
func (t Task) clicks(elements ...string) Task {
	for _, element := range elements {
		t = t.turn(click(element))
	}
	return t
}

// did claims one thing by evidence.
func (t Task) did(text string, evidence ...map[string]any) Task {
	t.Done = Claim{Message: text, Criteria: []Criterion{{text, evidence}}}
	return t
}

// want says what the site's journal has afterwards.
func (t Task) want(journal ...string) Task {
	t.Want = journal
	return t
}

// plain says that a matcher of words can do it.
func (t Task) plain() Task {
	t.Plain = true
	return t
}

// file gives the task a file to upload.
func (t Task) file(name, content string) Task {
	t.Files = map[string][]byte{name: []byte(content)}
	return t
}

// script says that the site needs JavaScript.
func (t Task) script() Task {
	t.Script = true
	return t
}

func call(tool string, pairs ...any) Call {
	c := Call{tool, map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		c.Args[pairs[i].(string)] = pairs[i+1]
	}
	return c
}

func click(element string) Call      { return call("click", "ref", "@"+element) }
func fill(element, text string) Call { return call("fill", "ref", "@"+element, "text", text) }
func choose(element, option string) Call {
	return call("select", "ref", "@"+element, "options", []any{option})
}

// form fills fields, given as element and value in turn.
func form(pairs ...string) Call {
	var fields []any
	for i := 0; i < len(pairs); i += 2 {
		fields = append(fields, map[string]any{"ref": "@" + pairs[i], "value": pairs[i+1]})
	}
	return call("fillForm", "fields", fields)
}

// says is evidence: words that the page says now.
func says(text string) map[string]any { return map[string]any{"kind": "text", "text": text} }

// sent is evidence: a request that was answered well.
func sent(method, address string) map[string]any {
	return map[string]any{"kind": "request", "method": method, "address": address}
}

// at is evidence: the address.
func at(address string) map[string]any { return map[string]any{"kind": "address", "address": address} }

// step is evidence: a step, counted from the first, or from the last as -1.
func step(n int) map[string]any { return map[string]any{"kind": "action", "step": n} }
