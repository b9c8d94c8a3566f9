package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"sync"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Recorder is a model that writes down what another one is asked and
// answers. It may be used from several goroutines at once.
type Recorder struct {
	model   llm.Model
	secrets []llm.Secret

	mu  sync.Mutex // protects the fields below
	w   io.Writer
	err error
}

// Record returns a model that asks m, and writes each exchange to w as a line
// of JSON when it is complete; what the caller's context cut off is not
// written. The secrets, and what looks like a key, are replaced by ***.
// The form is that of the JSON of package llm, but for pictures, of which the
// SHA-256 is written in the place of the data. The writer is used under a lock.
func Record(m llm.Model, w io.Writer, secrets ...llm.Secret) *Recorder {
	return &Recorder{model: m, w: w, secrets: secrets}
}

// Name is the model's own.
func (r *Recorder) Name() string { return r.model.Name() }

// Unwrap returns the model that is asked.
func (r *Recorder) Unwrap() llm.Model { return r.model }

// Err returns the first error of the writer. The recording is incomplete then;
// the answers are not touched by it.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Generate asks the model.
func (r *Recorder) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp, err := r.model.Generate(ctx, req)
	if ctx.Err() != nil && err != nil {
		return resp, err
	}
	if x, ok := newExchange(r.model.Name(), req, resp, err); ok {
		r.write(x)
	}
	return resp, err
}

func (r *Recorder) write(x exchange) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	err := enc.Encode(x)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = r.w.Write(r.scrub(line.Bytes()))
	}
	r.err = errors.Join(r.err, err)
}

// keyShapes are how the vendors' keys look.
var keyShapes = regexp.MustCompile(`\b(?:sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16}|ya29\.[A-Za-z0-9._-]{20,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+)`)

func (r *Recorder) scrub(line []byte) []byte {
	text := string(line)
	for _, secret := range r.secrets {
		text = secret.Scrub(text)
	}
	return []byte(keyShapes.ReplaceAllString(text, "***"))
}
