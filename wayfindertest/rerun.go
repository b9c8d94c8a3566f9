package wayfindertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/trace"
)

// Rerun does the steps of a bundle again and fails the test where a step fails,
// or where an agent's success is not verified: with what the engine says, as it
// did when it was recorded. It is the test of a failure, until that is mended.
// With a fork, which may be nil, the run continues otherwise from a step. It
// returns the session as the steps left it; the test's end closes it. tools are as
// for [Replay].
func Rerun(t testing.TB, path string, fork *Fork, tools ...agent.Tool) *engine.Session {
	t.Helper()
	b := openSteps(t, path)
	if fork != nil {
		b = b.Fork(t, *fork)
	}
	session := b.Open(t)
	for i, step := range b.Steps {
		got, err := step.Do(t.Context(), session, b.variables(step), tools...)
		if err = unsuccessful(step, got, err); err != nil {
			t.Fatalf("%s: step %d, %s %s: %v", path, i+1, step.Method, step.Instruction, err)
		}
	}
	return session
}

// errUnverified is the failure of an agent's run that ended by itself.
var errUnverified = errors.New("not verified")

// unsuccessful is the failure of a step.
func unsuccessful(step Step, got string, err error) error {
	if err == nil && step.Method == "agent" && !strings.Contains("\n"+got, "\nsuccess true, ") {
		return fmt.Errorf("%w:\n%s", errUnverified, strings.TrimRight(got, "\n"))
	}
	return err
}

// WriteTest writes a Go test of a bundle into a folder, and the bundle beside it
// in testdata. name is the test's, as "Checkout"; if it is empty, the bundle's
// name is taken. The test of a run that failed fails as the run did; that of one
// that went well holds everything to what was recorded. It returns the name of
// the file. A file that is there is not replaced.
func WriteTest(bundle, folder, name string) (string, error) {
	data, err := os.ReadFile(bundle)
	if err != nil {
		return "", err
	}
	if data, err = trace.Bundle(data); err != nil {
		return "", fmt.Errorf("%s: %w", bundle, err)
	}
	tr, err := trace.Read(bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("%s: %w", bundle, err)
	}
	rec, err := recording.Read(bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("%s: %w", bundle, err)
	}
	notes := rec.Notes(noteStep)
	if len(notes) == 0 {
		return "", fmt.Errorf("%s has no steps: it is not of 'wayfinder record', a command's --trace or a service's trace, and no program noted them (NoteStep)", bundle)
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(bundle), filepath.Ext(bundle))
	}
	name = exported(name)
	if name == "" {
		return "", errors.New("a test needs a name with letters")
	}
	base := strings.ToLower(name)
	file := filepath.Join(folder, base+"_test.go")
	kept := filepath.Join(folder, "testdata", base+".wayfinder")
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return "", err
	}
	programs := slices.ContainsFunc(notes, func(raw json.RawMessage) bool {
		var s Step
		return json.Unmarshal(raw, &s) == nil && s.Agent != nil && s.Agent.Programs
	})
	source := testSource(tr, packageOf(folder), name, "testdata/"+base+".wayfinder", programs)
	for _, w := range []struct {
		path string
		data []byte
	}{{file, []byte(source)}, {kept, data}} {
		f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return "", fmt.Errorf("%w; give the test another name", err)
		}
		_, err = f.Write(w.data)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	return file, nil
}

// testSource is the test of a run. With programs its model could write some.
func testSource(tr *trace.Trace, pkg, name, path string, programs bool) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	imported, tools := "", ""
	if programs {
		imported, tools = "\t\"github.com/wayfinder-engine/wayfinder/agent/program\"\n", ", program.Tool(program.Limits{})"
	}
	say("package %s\n\nimport (\n\t\"testing\"\n\n%s\t\"github.com/wayfinder-engine/wayfinder/wayfindertest\"\n)\n", pkg, imported)
	failure := tr.Failure
	if tr.Mode != "" && failure == "" && (tr.Result == nil || !tr.Result.Success) {
		failure = "its success was not verified"
		if tr.Result != nil {
			failure += ": " + tr.Result.Message
		}
	}
	if failure == "" {
		say("// Test%s does again what was recorded, and holds everything to it:\n//", name)
	} else {
		say("// Test%s fails as the recorded run did, until that is mended:\n//\n//\t%s\n//\n// To go on otherwise from a step, give a fork in the place of nil:\n// &wayfindertest.Fork{Step: n, Model: model, Driver: driver}. The steps:\n//", name, oneLine(failure))
	}
	for _, s := range tr.Steps {
		words := strings.TrimSpace(s.Tool + " " + s.Target)
		if s.Target == "" && s.Instruction != "" {
			words = s.Tool + " " + s.Instruction
		}
		say("//\t%s: %s", strings.ReplaceAll(s.ID(), "-", " "), oneLine(words+", "+string(s.Status)))
	}
	say("func Test%s(t *testing.T) {", name)
	if failure == "" {
		say("\twayfindertest.Replay(t, %q%s)", path, tools)
	} else {
		say("\twayfindertest.Rerun(t, %q, nil%s)", path, tools)
	}
	say("}")
	return b.String()
}

// exported is a name as that of a test.
func exported(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		letters := []rune(w)
		letters[0] = unicode.ToUpper(letters[0])
		words[i] = string(letters)
	}
	out := strings.Join(words, "")
	if out != "" && unicode.IsDigit([]rune(out)[0]) {
		out = "Run" + out
	}
	return out
}

// packageOf is the name of the test package in a folder.
func packageOf(folder string) string {
	names, _ := filepath.Glob(filepath.Join(folder, "*.go")) // the pattern is good
	slices.Sort(names)
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly)
		if err != nil {
			continue // somebody is writing it
		}
		if pkg := file.Name.Name; pkg == "main" || strings.HasSuffix(pkg, "_test") {
			return pkg
		}
		return file.Name.Name + "_test"
	}
	path, err := filepath.Abs(folder)
	if err != nil {
		return "run_test"
	}
	pkg := strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, filepath.Base(path))
	if pkg == "" || unicode.IsDigit(rune(pkg[0])) {
		pkg = "run"
	}
	return pkg + "_test"
}
