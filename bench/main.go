// Command bench measures what the engine takes for what programs do all the
// time, beside what the bare protocol takes for the same in the same run, and
// prints one table.
//
//	go run ./bench                # the table
//	go run ./bench -samples       # what benchstat reads
//	go run ./bench -only unchanged
//
// Ratios count: what else the machine does burdens both sides. It also hides fixed
// waits, so that with other work on the machine there is no table.
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
	loaded := flag.Bool("loaded", false, "print the table although the machine has other work")
	memory := flag.String("memory", "", "look three times at the page of this address and print the peak of the memory, in MB; for the row of that name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *memory != "" {
		peak, err := peakOfLooks(ctx, *memory)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%.1f\n", peak)
		return
	}
	need := func(load float64) {
		if err := quietMachine(load); err != nil && !*loaded && !*samples {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	need(load())
	rows, err := measure(ctx, func(name string) bool { return strings.Contains(name, *only) })
	need(load()) // Chrome has ended
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
