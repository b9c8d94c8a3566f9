package engine_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

type spanKey struct{}

// Everything that happens in a call is told under the context that Began gave
// it, the model's request included, and in the order in which it happened.
func TestHooks(t *testing.T) {
	var told []string
	tell := func(ctx context.Context, format string, args ...any) {
		told = append(told, fmt.Sprintf("%v: ", ctx.Value(spanKey{}))+fmt.Sprintf(format, args...))
	}
	hooks := &engine.Hooks{
		Began: func(ctx context.Context, e engine.Entry) context.Context {
			tell(ctx, "began %s", e.Operation)
			return context.WithValue(ctx, spanKey{}, string(e.Operation))
		},
		Ended: func(ctx context.Context, e engine.Entry, err error) {
			tell(ctx, "ended %s %t %t", e.Operation, e.Success, errors.Is(err, engine.ErrNotFound))
		},
		Looked: func(ctx context.Context, l engine.Look) { tell(ctx, "looked at %s, %t", l.URL, l.Begin.IsZero()) },
		Asked: func(ctx context.Context, a engine.Ask) {
			tell(ctx, "asked %s %s, %t", a.Purpose, a.Model, a.Begin.IsZero())
		},
		Acted: func(ctx context.Context, r engine.ActResult) { tell(ctx, "acted %t", r.Success) },
	}
	script := llmtest.NewScript(t, choose(t, "textbox", "User", "fill", "ann"))
	page := openShop(t, login, &engine.Options{Model: spanning{script, tell}, Hooks: hooks})
	if _, err := page.Act(t.Context(), "type ann as the user", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Do(t.Context(), engine.Action{Selector: "#none"}, nil); err == nil {
		t.Fatal("Do on nothing = nil error")
	}
	want := []string{
		"<nil>: began navigate", "navigate: ended navigate true false",
		"<nil>: began act", "act: looked at https://shop.test/, false", "act: the model is asked",
		"act: asked act script/test, false", "act: acted true", "act: ended act true false",
		"<nil>: began do", "do: acted false", "do: ended do false true",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// A spanning model tells under which context it was asked.
type spanning struct {
	llm.Model
	tell func(context.Context, string, ...any)
}

func (m spanning) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	m.tell(ctx, "the model is asked")
	return m.Model.Generate(ctx, req)
}

// Every hook of both is called, also one that is added later.
func TestJoinHooks(t *testing.T) {
	called := map[string]int{}
	full := func() *engine.Hooks {
		h := &engine.Hooks{}
		v := reflect.ValueOf(h).Elem()
		for i := range v.NumField() {
			name, kind := v.Type().Field(i).Name, v.Type().Field(i).Type
			v.Field(i).Set(reflect.MakeFunc(kind, func([]reflect.Value) []reflect.Value {
				called[name]++
				out := make([]reflect.Value, kind.NumOut())
				for k := range out {
					out[k] = reflect.Zero(kind.Out(k))
				}
				return out
			}))
		}
		return h
	}
	joined := reflect.ValueOf(engine.JoinHooks(full(), full())).Elem()
	for i := range joined.NumField() {
		name, hook := joined.Type().Field(i).Name, joined.Field(i)
		if hook.IsNil() {
			t.Errorf("%s is dropped", name)
			continue
		}
		in := make([]reflect.Value, hook.Type().NumIn())
		for k := range in {
			in[k] = reflect.Zero(hook.Type().In(k))
		}
		hook.Call(in)
		if called[name] != 2 {
			t.Errorf("%s was called %d times, want once of each", name, called[name])
		}
	}
}
