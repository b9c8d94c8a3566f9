package main

import (
	"errors"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// The exit codes, for scripts.
const (
	exitDone        = 0
	exitNotDone     = 1
	exitUsage       = 2
	exitEnvironment = 3
)

// A codedError is an error with the exit code that it ends the program with.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &codedError{exitUsage, fmt.Errorf(format, args...)}
}

func missing(err error) error { return &codedError{exitEnvironment, err} }

// failed gives the error of work that was begun its exit code.
func failed(err error) error {
	if err == nil {
		return nil
	}
	var coded *codedError
	if errors.As(err, &coded) {
		return err
	}
	return &codedError{codeOf(err), err}
}

func codeOf(err error) int {
	var model *llm.Error
	var navigation *driver.NavigationError
	switch {
	case errors.As(err, &model):
		switch model.Kind {
		case llm.KindAuth, llm.KindNotFound, llm.KindQuota, llm.KindUnavailable, llm.KindOverloaded, llm.KindRateLimited:
			return exitEnvironment
		}
		return exitNotDone
	case errors.Is(err, driver.ErrBlocked):
		return exitNotDone
	case errors.As(err, &navigation):
		if navigation.Reason == driver.ReasonAddress {
			return exitUsage
		}
		return exitEnvironment
	case errors.Is(err, driver.ErrCrashed), errors.Is(err, engine.ErrNoModel):
		return exitEnvironment
	case errors.Is(err, driver.ErrSelector):
		return exitUsage // of a flag: models name no selectors
	}
	return exitNotDone
}

// exitCode is that of an error which ended the program. What has no code comes
// from the reading of the command line.
func exitCode(err error) int {
	var coded *codedError
	if errors.As(err, &coded) {
		return coded.code
	}
	return exitUsage
}
