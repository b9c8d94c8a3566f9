package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// mostLoad is how many processes may want a processor besides ours for figures to count:
// fixed waits hide behind a machine's delays, and the bare protocol is slow there, too.
const mostLoad = 1.5

// load returns how many processes besides this one want a processor, the mean of three
// seconds; 0 where the system does not tell. The system's own average still speaks of
// what ran minutes ago.
func load() float64 {
	const times, pause = 100, 30 * time.Millisecond
	sum := 0
	for range times {
		status, err := os.ReadFile("/proc/stat") // Linux
		if err != nil {
			return 0
		}
		sum += running(string(status)) - 1
		time.Sleep(pause)
	}
	return float64(max(sum, 0)) / times
}

// running reads how many processes run, or are ready to.
func running(status string) int {
	_, after, _ := strings.Cut(status, "\nprocs_running ")
	n := 0
	_, _ = fmt.Sscan(after, &n) // 0 where the system does not tell
	return n
}

// quietMachine returns an error where the machine has too much else to do.
func quietMachine(load float64) error {
	if load <= mostLoad {
		return nil
	}
	return fmt.Errorf("the machine has other work (a load of %.1f, at most %.1f): no figures; -samples and -loaded print them all the same", load, mostLoad)
}
