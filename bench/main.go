// Command bench measures what the engine takes for what programs do all the
// time, beside what the bare protocol takes for the same in the same run, and
// prints one table.
//
//	go run ./bench                # the table
//	go run ./bench -samples       # what benchstat reads
//	go run ./bench -only unchanged
//
// Ratios count: what else the machine does burdens both sides.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	samples := flag.Bool("samples", false, "print every measurement, for benchstat")
	only := flag.String("only", "", "measure only the rows whose name contains this text")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	rows, err := measure(ctx, func(name string) bool { return strings.Contains(name, *only) })
	if *samples {
		writeSamples(os.Stdout, rows)
	} else {
		writeTable(os.Stdout, rows)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
