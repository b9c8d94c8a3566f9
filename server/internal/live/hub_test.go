package live

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// texts are events as text.
func texts(events []json.RawMessage) (list []string) {
	for _, e := range events {
		list = append(list, string(e))
	}
	return list
}

// TestHub: a part is read while somebody looks at it and only then; who is slow
// gets the latest of it once, and what was sent in order.
func TestHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads, state atomic.Int64
		h := New(
			Part{Name: "state", Every: 100 * time.Millisecond, Read: func(context.Context) json.RawMessage {
				reads.Add(1)
				return json.RawMessage(fmt.Sprint(state.Load()))
			}},
			Part{Name: "other", Every: time.Second, Read: func(context.Context) json.RawMessage {
				t.Error("nobody looks at it")
				return nil
			}},
		)
		time.Sleep(time.Minute)
		if reads.Load() != 0 || h.Looking() {
			t.Fatalf("read %d times, and nobody looked", reads.Load())
		}
		v := h.Join("state")
		<-v.More()
		if got := texts(v.Take()); len(got) != 1 || got[0] != "0" {
			t.Errorf("first = %v", got)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := v.Take(); got != nil {
			t.Errorf("nothing has changed: %v", texts(got))
		}
		for i := range 5 {
			state.Store(int64(i + 1))
			time.Sleep(time.Second)
		}
		h.Send(json.RawMessage(`"a"`))
		h.Send(json.RawMessage(`"b"`))
		<-v.More()
		if got := fmt.Sprint(texts(v.Take())); got != `["a" "b" 5]` {
			t.Errorf("a slow viewer got %s", got)
		}
		second := h.Join("state")
		<-second.More()
		if got := texts(second.Take()); len(got) != 1 || got[0] != "5" {
			t.Errorf("the second viewer got %v", got)
		}
		for range mostQueued + 10 {
			h.Send(json.RawMessage(`1`))
		}
		if got := len(second.Take()); got != mostQueued {
			t.Errorf("%d events wait", got)
		}
		v.Leave()
		v.Leave()
		second.Leave()
		<-second.Gone()
		synctest.Wait()
		reads.Store(0)
		time.Sleep(time.Minute)
		if reads.Load() != 0 {
			t.Errorf("read %d times after all have left", reads.Load())
		}
		third := h.Join("state")
		<-third.More()
		h.Close()
		if fourth := h.Join("state"); len(fourth.Take()) != 0 {
			t.Error("there is something after the end")
		}
	})
}

// TestPoke: who acts sees what came of it before the usual time.
func TestPoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var read []time.Duration
		begin := time.Now()
		h := New(Part{Name: "state", Every: 100 * time.Millisecond, Read: func(context.Context) json.RawMessage {
			read = append(read, time.Since(begin))
			return nil
		}})
		v := h.Join("state")
		time.Sleep(120 * time.Millisecond)
		h.Poke()
		synctest.Wait()
		h.Poke()
		time.Sleep(70 * time.Millisecond)
		v.Leave()
		h.Close()
		if got := fmt.Sprint(read); got != "[0s 120ms]" {
			t.Errorf("read at %s", got)
		}
	})
}
