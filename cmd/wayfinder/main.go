// Command wayfinder reads web pages and acts on them from the shell.
//
//	wayfinder demo                                       see it work, without any key
//	wayfinder doctor                                     see what is missing on this machine
//	wayfinder models                                     see which models can be used, with --check by asking them
//	wayfinder snapshot URL                               the outline that a model would get
//	wayfinder observe URL [INSTRUCTION]                  what can be done there
//	wayfinder act URL INSTRUCTION...                     do it
//	wayfinder extract URL [INSTRUCTION]                  read data
//	wayfinder record URL                                 write a run down as a test
//	wayfinder serve                                      sessions over HTTP
//
// It exits with 0 if what was asked for was done, 1 if not, 2 if the command
// line is wrong, and 3 if something is missing: a browser, a page, a model.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A second signal ends the program at once: the browser ends with it.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
