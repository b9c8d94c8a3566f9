package middleware

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// failing answers with its errors, one after the other, and then with a text.
type failing struct {
	errs  []error
	begun bool // the stream breaks after its first delta
	calls []time.Duration
	start time.Time
}

func (f *failing) Name() string { return "test/failing" }

func (f *failing) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	f.calls = append(f.calls, time.Since(f.start))
	if len(f.errs) > 0 {
		err := f.errs[0]
		f.errs = f.errs[1:]
		return nil, err
	}
	return &llm.Response{Text: "done"}, nil
}

type failingStream struct{ failing }

func (f *failingStream) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if f.begun && !yield(llm.Delta{Text: "do"}, nil) {
			return
		}
		resp, err := f.Generate(ctx, req)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		yield(llm.Delta{Response: resp}, nil)
	}
}

func TestRetry(t *testing.T) {
	busy := &llm.Error{Provider: "test", Kind: llm.KindOverloaded, Status: 529}
	limited := &llm.Error{Provider: "test", Kind: llm.KindRateLimited, Status: 429, RetryAfter: 20 * time.Second}
	for _, test := range []struct {
		name     string
		errs     []error
		opts     *RetryOptions
		deadline time.Duration
		want     string // the error's end; empty is success
		pauses   [][2]time.Duration
	}{
		{name: "at once", pauses: nil},
		{name: "grows", errs: []error{busy, busy, busy}, pauses: [][2]time.Duration{
			{250 * time.Millisecond, 500 * time.Millisecond}, {500 * time.Millisecond, time.Second}, {time.Second, 2 * time.Second}}},
		{name: "gives up", errs: []error{busy, busy, busy, busy}, want: "after 4 attempts: test: overloaded (529)", pauses: [][2]time.Duration{
			{250 * time.Millisecond, 500 * time.Millisecond}, {500 * time.Millisecond, time.Second}, {time.Second, 2 * time.Second}}},
		{name: "as asked", errs: []error{limited}, pauses: [][2]time.Duration{{20 * time.Second, 22 * time.Second}}},
		{name: "no time left", errs: []error{limited}, deadline: 10 * time.Second, want: "test: rate_limited (429)"},
		{name: "bounded", errs: []error{busy, busy}, opts: &RetryOptions{First: time.Minute, Longest: 2 * time.Minute}, pauses: [][2]time.Duration{
			{30 * time.Second, time.Minute}, {time.Minute, 2 * time.Minute}}},
		{name: "one attempt", errs: []error{busy}, opts: &RetryOptions{Attempts: 1}, want: "test: overloaded (529)"},
		{name: "wrong key", errs: []error{&llm.Error{Provider: "test", Kind: llm.KindAuth}}, want: "test: auth"},
		{name: "used up", errs: []error{&llm.Error{Provider: "test", Kind: llm.KindQuota, Status: 429}}, want: "test: quota (429)"},
		{name: "another error", errs: []error{errors.New("boom")}, want: "boom"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := context.Background()
				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}
				model := &failing{errs: test.errs, start: time.Now()}
				resp, err := Retry(test.opts)(model).Generate(ctx, &llm.Request{})
				if test.want == "" && (err != nil || resp.Text != "done") {
					t.Errorf("Generate = %v, %v", resp, err)
				}
				if test.want != "" && (err == nil || !strings.HasSuffix(err.Error(), test.want)) {
					t.Errorf("Generate = %v, want %s", err, test.want)
				}
				if errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Generate = %v: it waited for a deadline that it could foresee", err)
				}
				if len(model.calls) != len(test.pauses)+1 {
					t.Fatalf("the model was asked at %v, want %d times", model.calls, len(test.pauses)+1)
				}
				for i, bounds := range test.pauses {
					if pause := model.calls[i+1] - model.calls[i]; pause < bounds[0] || pause > bounds[1] {
						t.Errorf("pause %d is %v, want %v to %v", i+1, pause, bounds[0], bounds[1])
					}
				}
			})
		})
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		model := &failing{errs: []error{&llm.Error{Provider: "test", Kind: llm.KindUnavailable, RetryAfter: time.Hour}}}
		done := make(chan error)
		go func() {
			_, err := Retry(nil)(model).Generate(ctx, &llm.Request{})
			done <- err
		}()
		synctest.Wait()
		cancel()
		err := <-done
		var e *llm.Error
		if !errors.Is(err, context.Canceled) || !errors.As(err, &e) || e.Kind != llm.KindUnavailable {
			t.Errorf("Generate = %v, want the cancellation and the error before it", err)
		}
	})
}

func TestRetryStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := &llm.Error{Provider: "test", Kind: llm.KindOverloaded}
		model := &failingStream{failing{errs: []error{busy}}}
		streamer, ok := Retry(nil)(model).(llm.Streamer)
		if !ok {
			t.Fatal("Retry of a Streamer is none")
		}
		var last *llm.Response
		for delta, err := range streamer.Stream(context.Background(), &llm.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			last = delta.Response
		}
		if last == nil || len(model.calls) != 2 {
			t.Errorf("Stream ended with %v after %d calls", last, len(model.calls))
		}

		model = &failingStream{failing{errs: []error{busy}, begun: true}}
		var failed error
		for _, err := range Retry(nil)(model).(llm.Streamer).Stream(context.Background(), &llm.Request{}) {
			failed = err
		}
		if !errors.Is(failed, busy) || len(model.calls) != 1 {
			t.Errorf("a stream that had begun ended with %v after %d calls, want %v after 1", failed, len(model.calls), busy)
		}
		if _, ok := Retry(nil)(&failing{}).(llm.Streamer); ok {
			t.Error("Retry of a Model that is no Streamer is one")
		}
	})
}
