package middleware

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// Requests at once are bounded, and who comes first goes first.
func TestLimitIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // protects the fields below
		var order []int
		running, most := 0, 0
		limit := &Limiter{Requests: 2}
		var group sync.WaitGroup
		for i := range 7 {
			group.Go(func() {
				model := asked(func(context.Context) error {
					mu.Lock()
					order = append(order, i)
					running++
					most = max(most, running)
					mu.Unlock()
					time.Sleep(time.Second)
					mu.Lock()
					running--
					mu.Unlock()
					return nil
				})
				if _, err := Limit(limit)(model).Generate(t.Context(), &llm.Request{}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait() // so that the order of arrival is known
		}
		group.Wait()
		if most != 2 {
			t.Errorf("%d requests at once, want 2", most)
		}
		for i := 2; i < len(order); i += 2 { // two begin at the same moment
			slices.Sort(order[i:min(i+2, len(order))])
		}
		if want := []int{0, 1, 2, 3, 4, 5, 6}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
	})
}

// Who gives up waiting frees the way for those behind, and who gives up at
// work frees the place.
func TestLimitAndCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &Limiter{Requests: 1}
		ctx, cancel := context.WithCancel(t.Context())
		hang := Limit(limit)(asked(func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}))
		errs := make(chan error, 2)
		for range 2 { // one at work, one waiting
			go func() {
				_, err := hang.Generate(ctx, &llm.Request{})
				errs <- err
			}()
		}
		synctest.Wait()
		done := make(chan error)
		go func() {
			_, err := Limit(limit)(&failing{}).Generate(t.Context(), &llm.Request{})
			done <- err
		}()
		synctest.Wait()
		cancel()
		for range 2 {
			if err := <-errs; !errors.Is(err, context.Canceled) {
				t.Errorf("Generate = %v, want %v", err, context.Canceled)
			}
		}
		if err := <-done; err != nil {
			t.Errorf("the one behind: %v", err)
		}
		if limit.running != 0 || len(limit.queue) != 0 {
			t.Errorf("%d at work and %d waiting are left", limit.running, len(limit.queue))
		}
	})
}

// words is a request of about as many tokens.
func words(tokens int) *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: fmt.Sprintf("%*s", 4*tokens, "x")}}}}}
}

// Tokens come evenly through the minute, and are set right by the answer.
func TestLimitOfTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		limit := &Limiter{TokensPerMinute: 600} // ten a second
		ask := func(tokens int, answer error) time.Duration {
			model := asked(func(context.Context) error { return answer })
			if _, err := Limit(limit)(model).Generate(t.Context(), words(tokens)); !errors.Is(err, answer) {
				t.Errorf("Generate = %v, want %v", err, answer)
			}
			return time.Since(start).Round(time.Second)
		}
		refused := kind(llm.KindInvalid)
		for i, step := range []struct {
			tokens int
			answer error
			at     time.Duration
		}{
			{600, nil, 0},                   // all at once; the answer says 30, so that 570 come back
			{600, nil, 3 * time.Second},     // 30 were missing; again 570 come back
			{500, refused, 3 * time.Second}, // a refusal costs nothing
			{570, nil, 3 * time.Second},
			{9000, nil, 9 * time.Second}, // more than a minute has: when all are there
		} {
			if at := ask(step.tokens, step.answer); at != step.at {
				t.Errorf("step %d ended after %v, want %v", i, at, step.at)
			}
		}
	})
}

// An answer that was longer than estimated is paid for by those who follow.
func TestLimitOfTokensInDebt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		m := Limit(&Limiter{TokensPerMinute: 20})(asked(func(context.Context) error { return nil }))
		for range 2 { // 30 tokens each, estimated as 10: 10 are missing, and 10 more for the second
			if _, err := m.Generate(t.Context(), words(10)); err != nil {
				t.Fatal(err)
			}
		}
		if waited := time.Since(start).Round(time.Second); waited != time.Minute {
			t.Errorf("the second was served after %v, want %v", waited, time.Minute)
		}
	})
}

func TestLimitKnowsTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &Limiter{TokensPerMinute: 60}
		m := Limit(limit)(&failing{})
		if _, err := m.Generate(t.Context(), words(60)); err != nil { // without usage, the estimate stays
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		_, err := m.Generate(ctx, words(30))
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindRateLimited || e.RetryAfter != 30*time.Second || time.Since(start) != 0 {
			t.Errorf("Generate = %v after %v, want an error at once, with 30s to wait", err, time.Since(start))
		}
		if len(limit.queue) != 0 || limit.alarm != nil {
			t.Error("something waits on")
		}
	})
}

func TestLimitOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &Limiter{Requests: 1}
		s := Limit(limit)(&failingStream{failing{begun: true}}).(llm.Streamer)
		for range s.Stream(t.Context(), &llm.Request{}) {
			break
		}
		for _, err := range s.Stream(t.Context(), &llm.Request{}) {
			if err != nil {
				t.Error(err)
			}
		}
		if limit.running != 0 {
			t.Errorf("%d places are still taken", limit.running)
		}
		if _, ok := Limit(limit)(&failing{}).(llm.Streamer); ok {
			t.Error("Limit of a Model that is no Streamer is one")
		}
	})
}
