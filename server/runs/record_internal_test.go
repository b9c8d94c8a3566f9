package runs

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	logs "github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/fleet"
)

// A turning sealer turns the text around; another key is another text before it.
type turning string

func (k turning) Seal(plain []byte, about ...string) ([]byte, error) {
	turned := slices.Clone(plain)
	slices.Reverse(turned)
	return append([]byte(string(k)+strings.Join(about, "/")+":"), turned...), nil
}

func (k turning) Open(sealed []byte, about ...string) ([]byte, error) {
	text, ok := strings.CutPrefix(string(sealed), string(k)+strings.Join(about, "/")+":")
	if !ok {
		return nil, errors.New("another key")
	}
	plain := []byte(text)
	slices.Reverse(plain)
	return plain, nil
}

func (k turning) MAC(text []byte, about ...string) ([][]byte, error) {
	sealed, err := k.Seal(text, about...)
	return [][]byte{sealed}, err
}

// TestSealedRecord: what an agent writes is read again by who has the key, also
// where it was long, or written twice; nobody else reads it, and the store has none
// of it in clear.
func TestSealedRecord(t *testing.T) {
	var memory fleet.Memory
	q, err := fleet.NewQueue(t.Context(), &memory, "runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, _, err := q.Enqueue(t.Context(), fleet.Request{Payload: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	c, err := q.Claim(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Log(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s := &record{claim: c, sealer: turning("k")}
	var want []logs.Record
	for n, size := range []int{10, longestPart + 1000, 20} {
		value := []byte("secret")
		for i := 0; len(value) < size; i++ { // no two parts are the same, as of real seals
			value = fmt.Append(value, i)
		}
		r := logs.Record{Revision: n + 1, Data: fmt.Appendf(nil, `{"cookie":%q}`, value)}
		want = append(want, r)
		if err := s.Append(context.Background(), c.Job.ID, r); err != nil {
			t.Fatal(err)
		}
	}
	records, err := fleet.List(t.Context(), &memory, "runs.")
	if err != nil || len(records) < 4 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, r := range records {
		if strings.Contains(string(r.Value), "secret") {
			t.Errorf("%s has the secret in clear", r.Key)
		}
	}
	if err := c.GiveUp(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if c, err = q.Claim(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	lines, err := c.Log(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var twice []fleet.Line
	for _, l := range lines {
		twice = append(twice, l, l)
	}
	for _, read := range [][]fleet.Line{lines, twice} {
		again := &record{claim: c, sealer: turning("k")}
		if _, err := again.read(read); err != nil {
			t.Error(err)
		}
		if !reflect.DeepEqual(want, again.past) {
			t.Errorf("%d records are read, of %d", len(again.past), len(want))
		}
	}
	for _, sealer := range []Sealer{nil, turning("other")} {
		if _, err := (&record{claim: c, sealer: sealer}).read(lines); !errors.Is(err, errSealed) {
			t.Errorf("read by %v = %v, want %v", sealer, err, errSealed)
		}
	}
}
