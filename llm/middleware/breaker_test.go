package middleware

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Breaker{Failures: 3, Pause: time.Minute}
		model := &failing{start: time.Now(), errs: []error{
			kind(llm.KindUnavailable), kind(llm.KindOverloaded), kind(llm.KindInvalid), // the last one is an answer
			kind(llm.KindUnavailable), kind(llm.KindUnavailable), kind(llm.KindOverloaded),
			kind(llm.KindUnavailable)}}
		guarded := Break(b)(model)
		ask := func() error {
			_, err := guarded.Generate(t.Context(), &llm.Request{})
			return err
		}
		for i := range 6 {
			if err := ask(); errors.Is(err, ErrOpen) {
				t.Fatalf("request %d: %v", i, err)
			}
		}
		time.Sleep(20 * time.Second)
		err := ask()
		var e *llm.Error
		if !errors.Is(err, ErrOpen) || !errors.As(err, &e) || e.Kind != llm.KindUnavailable || e.Provider != "test" || e.RetryAfter != 40*time.Second || len(model.calls) != 6 {
			t.Errorf("after 3 failures in a row: %v, RetryAfter %v, %d calls", err, e.RetryAfter, len(model.calls))
		}
		time.Sleep(40 * time.Second)
		if err := ask(); errors.Is(err, ErrOpen) || err == nil || len(model.calls) != 7 {
			t.Errorf("after the pause: %v, %d calls, want one that is let through and fails", err, len(model.calls))
		}
		if err := ask(); !errors.Is(err, ErrOpen) {
			t.Errorf("after the try that failed: %v, want it open again", err)
		}
		time.Sleep(time.Minute)
		for range 2 {
			if err := ask(); err != nil {
				t.Errorf("after a try that succeeded: %v", err)
			}
		}
	})
}

// While one request tries, the others are held back; one whose context ends
// says nothing, and the next one tries.
func TestBreakerLetsOneThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Breaker{Failures: 1, Pause: time.Second}
		if _, err := Break(b)(&failing{errs: []error{kind(llm.KindUnavailable)}}).Generate(t.Context(), &llm.Request{}); err == nil {
			t.Fatal("it did not fail")
		}
		time.Sleep(time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := Break(b)(asked(func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			})).Generate(ctx, &llm.Request{})
			done <- err
		}()
		synctest.Wait()
		second := &failing{}
		if _, err := Break(b)(second).Generate(t.Context(), &llm.Request{}); !errors.Is(err, ErrOpen) || len(second.calls) != 0 {
			t.Errorf("beside the one that tries: %v", err)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if _, err := Break(b)(second).Generate(t.Context(), &llm.Request{}); err != nil {
			t.Errorf("after a try that was called off: %v", err)
		}
	})
}

func TestBreakerOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Breaker{Failures: 2}
		model := &failingStream{failing{errs: []error{kind(llm.KindUnavailable), kind(llm.KindOverloaded)}}}
		ask := func() (failed error) {
			for _, err := range Break(b)(model).(llm.Streamer).Stream(t.Context(), &llm.Request{}) {
				failed = err
			}
			return failed
		}
		for range 2 {
			if err := ask(); err == nil || errors.Is(err, ErrOpen) {
				t.Errorf("Stream = %v", err)
			}
		}
		if err := ask(); !errors.Is(err, ErrOpen) {
			t.Errorf("Stream = %v, want %v", err, ErrOpen)
		}
		time.Sleep(30 * time.Second)
		if err := ask(); err != nil {
			t.Errorf("Stream after the pause = %v", err)
		}
		if _, ok := Break(b)(&failing{}).(llm.Streamer); ok {
			t.Error("Break of a Model that is no Streamer is one")
		}
	})
}

// A retry ends where the breaker is open.
func TestGuardsInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		model := &failing{start: start, errs: []error{kind(llm.KindUnavailable), kind(llm.KindUnavailable)}}
		limit := &Limiter{Requests: 1}
		guarded := Wrap(model, Retry(nil), Break(&Breaker{Failures: 2}), Limit(limit))
		if _, err := guarded.Generate(t.Context(), &llm.Request{}); !errors.Is(err, ErrOpen) || len(model.calls) != 2 || time.Since(start) > 2*time.Second {
			t.Errorf("Generate = %v after %v, asked at %v, want two attempts and then the open breaker at once", err, time.Since(start), model.calls)
		}
		if limit.running != 0 {
			t.Errorf("%d places are still taken", limit.running)
		}
		time.Sleep(30 * time.Second)
		if _, err := guarded.Generate(t.Context(), &llm.Request{}); err != nil {
			t.Errorf("Generate after the pause = %v", err)
		}
	})
}
