package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// explain says what happened, for people. What the layers in between add to
// these errors would only say it twice.
func explain(err error) string {
	var navigation *driver.NavigationError
	var browser *cdp.NotFoundError
	var refused *policy.RefusedError
	switch {
	case errors.As(err, &refused):
		return explainRefusal(refused, err)
	case errors.As(err, &navigation):
		return navigation.Error()
	case errors.As(err, &browser):
		return browser.Error()
	}
	return err.Error()
}

const adviseTime = "a longer --timeout, as --timeout 2m, gives it more time"

// advise says what to do next; it is empty where the error says so itself.
func advise(err error) string {
	var navigation *driver.NavigationError
	var browser *cdp.NotFoundError
	var model *llm.Error
	var advised *advisedError
	var refused *policy.RefusedError
	switch {
	case errors.As(err, &advised):
		return advised.advice
	case errors.As(err, &browser):
		return "'wayfinder doctor' says more; --driver memory needs no browser, and runs no scripts"
	case errors.As(err, &refused):
		return adviseRefusal(refused)
	case errors.As(err, &navigation):
		return adviseNavigation(navigation.Reason)
	case errors.As(err, &model):
		return adviseModel(model)
	case errors.Is(err, context.DeadlineExceeded):
		return adviseTime
	}
	return ""
}

func adviseNavigation(reason driver.Reason) string {
	switch reason {
	case driver.ReasonDNS:
		return "check the spelling of the address, and the network"
	case driver.ReasonRefused:
		return "check that the server is running, and that the port is right"
	case driver.ReasonTLS:
		return "check the server's certificate; if it speaks plain HTTP, write the address with http://"
	case driver.ReasonTimeout:
		return adviseTime
	}
	return ""
}

func adviseModel(e *llm.Error) string {
	switch e.Kind {
	case llm.KindAuth:
		key := "OPENAI_API_KEY" // of servers under other names, too
		if v, ok := vendorOf(config.Provider(e.Provider)); ok {
			key = v.needs[0].String()
		}
		return "check the key in " + key + ", and that it may use this model"
	case llm.KindNotFound:
		return "check the name in --model, and the address in --base-url"
	case llm.KindUnavailable:
		return "check that the model's server is running, and the address in --base-url; --model offline needs none"
	case llm.KindRateLimited, llm.KindOverloaded:
		return "try again in a while"
	case llm.KindUnsupported, llm.KindRefusal:
		return "--model names another model"
	}
	return ""
}

// An advisedError is an error whose remedy is known where it happens.
type advisedError struct {
	err    error
	advice string
}

func (e *advisedError) Error() string { return e.err.Error() }
func (e *advisedError) Unwrap() error { return e.err }

// The exit codes, for scripts.
const (
	exitDone        = 0
	exitNotDone     = 1
	exitUsage       = 2
	exitEnvironment = 3
	exitInterrupted = 130 // Ctrl-C
	exitTerminated  = 143 // SIGTERM
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

// noArguments is for commands that take none.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !cmd.HasParent():
		err := usage("there is no command %q", args[0])
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			err = usage("there is no command %q; did you mean %s?", args[0], near[0])
		}
		return err
	}
	return usage("%s takes no arguments, and got %q", cmd.Name(), args[0])
}

// oneFile is for commands that take one file, and no more.
func oneFile(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s takes one %s, as: wayfinder %s recording.wayfinder", cmd.Name(), what, cmd.Name())
		}
		return nil
	}
}

// pageAddress is for commands that take an address and at most so many
// instructions; a negative number is no limit.
func pageAddress(instructions int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage("the address of a page is missing: %s %s", cmd.Root().Name(), cmd.Use)
		case instructions < 0 || len(args) <= 1+instructions:
			return nil
		case instructions == 0:
			return usage("%s takes one address, and got %q too", cmd.Name(), args[1])
		}
		return usage("%s takes one instruction; write it in quotes, as %q", cmd.Name(), strings.Join(args[1:], " "))
	}
}
