package main

import (
	"io"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// streams are where a command reads and writes. Results go to out, everything
// else to err.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// settings are the flags that all commands share.
type settings struct {
	streams
	json    bool
	driver  string
	cdp     string
	model   string
	baseURL string
	timeout time.Duration
	headed  bool
	policy  engine.Policy
	cache   engine.Cache // of act; nil without
	waits   []engine.Condition
}
