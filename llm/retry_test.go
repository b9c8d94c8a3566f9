package llm

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// failing answers with its errors, one after the other, and then with a text.
type failing struct {
	errs  []error
	begun bool // the stream breaks after its first delta
	calls []time.Duration
	start time.Time
}

func (f *failing) Name() string { return "test/failing" }

func (f *failing) Generate(context.Context, *Request) (*Response, error) {
	f.calls = append(f.calls, time.Since(f.start))
	if len(f.errs) > 0 {
		err := f.errs[0]
		f.errs = f.errs[1:]
		return nil, err
	}
	return &Response{Text: "done"}, nil
}

type failingStream struct{ failing }

func (f *failingStream) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		if f.begun && !yield(Delta{Text: "do"}, nil) {
			return
		}
		resp, err := f.Generate(ctx, req)
		if err != nil {
			yield(Delta{}, err)
			return
		}
		yield(Delta{Response: resp}, nil)
	}
}

func TestRetry(t *testing.T) {
	busy := &Error{Provider: "test", Kind: KindOverloaded, Status: 529}
	limited := &Error{Provider: "test", Kind: KindRateLimited, Status: 429, RetryAfter: 20 * time.Second}
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
		{name: "wrong key", errs: []error{&Error{Provider: "test", Kind: KindAuth}}, want: "test: auth"},
		{name: "used up", errs: []error{&Error{Provider: "test", Kind: KindQuota, Status: 429}}, want: "test: quota (429)"},
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
				resp, err := WithRetry(model, test.opts).Generate(ctx, &Request{})
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
		model := &failing{errs: []error{&Error{Provider: "test", Kind: KindUnavailable, RetryAfter: time.Hour}}}
		done := make(chan error)
		go func() {
			_, err := WithRetry(model, nil).Generate(ctx, &Request{})
			done <- err
		}()
		synctest.Wait()
		cancel()
		err := <-done
		var e *Error
		if !errors.Is(err, context.Canceled) || !errors.As(err, &e) || e.Kind != KindUnavailable {
			t.Errorf("Generate = %v, want the cancellation and the error before it", err)
		}
	})
}

func TestRetryStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := &Error{Provider: "test", Kind: KindOverloaded}
		model := &failingStream{failing{errs: []error{busy}}}
		streamer, ok := WithRetry(model, nil).(Streamer)
		if !ok {
			t.Fatal("WithRetry of a Streamer is none")
		}
		var last *Response
		for delta, err := range streamer.Stream(context.Background(), &Request{}) {
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
		for _, err := range WithRetry(model, nil).(Streamer).Stream(context.Background(), &Request{}) {
			failed = err
		}
		if !errors.Is(failed, busy) || len(model.calls) != 1 {
			t.Errorf("a stream that had begun ended with %v after %d calls, want %v after 1", failed, len(model.calls), busy)
		}
		if _, ok := WithRetry(&failing{}, nil).(Streamer); ok {
			t.Error("WithRetry of a Model that is no Streamer is one")
		}
	})
}
