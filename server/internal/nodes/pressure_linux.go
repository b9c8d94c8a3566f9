package nodes

import (
	"io/fs"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// Shares of the memory in use: below the first a node is as good as any other,
// above the second it takes no more.
const (
	muchMemory = 0.80
	allMemory  = 0.95
)

// Shares of the time in which something waits for a processor: below the first a
// node is as good as any other, above the second it is taken when there is no
// better one. It still takes sessions: they are slower there, and nothing fails.
const (
	muchWaiting = 0.20
	allWaiting  = 0.80
	busiest     = 0.99
)

// pressure is how far this machine's memory and processors are used.
func pressure() float64 { return pressureOf(os.DirFS("/"), runtime.NumCPU()) }

func pressureOf(machine fs.FS, processors int) float64 {
	busy := (waiting(machine, processors) - muchWaiting) / (allWaiting - muchWaiting)
	return max(0, (usedMemory(machine)-muchMemory)/(allMemory-muchMemory), busiest*min(busy, 1))
}

// usedMemory is the share of the memory that is used; 0 where it is not known.
func usedMemory(machine fs.FS) float64 {
	var total, free float64
	for line := range strings.Lines(read(machine, "proc/meminfo")) {
		name, rest, _ := strings.Cut(line, ":")
		value := number(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
		switch name {
		case "MemTotal":
			total = value
		case "MemAvailable":
			free = value
		}
	}
	if total <= 0 {
		return 0
	}
	return 1 - free/total
}

// waiting is the share of the last ten seconds in which something waited for a
// processor: of what belongs to this service, where control groups (version 2)
// have it apart, and so with the bound of its container; else of the machine. A
// kernel that does not measure it has the load of the last minute.
func waiting(machine fs.FS, processors int) float64 {
	group := ""
	for line := range strings.Lines(read(machine, "proc/self/cgroup")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			group = name
		}
	}
	for _, file := range []string{path.Join("sys/fs/cgroup", group, "cpu.pressure"), "proc/pressure/cpu"} {
		for line := range strings.Lines(read(machine, file)) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "some" {
				if average, ok := strings.CutPrefix(fields[1], "avg10="); ok {
					return number(average) / 100
				}
			}
		}
	}
	load, _, _ := strings.Cut(read(machine, "proc/loadavg"), " ")
	if busy := number(load); busy > float64(processors) {
		return 1 - float64(processors)/busy
	}
	return 0
}

// read returns a small file; empty where there is none.
func read(machine fs.FS, name string) string {
	raw, _ := fs.ReadFile(machine, name) // the next source is asked
	return string(raw)
}

// number is 0 where it is none.
func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n >= 0) {
		return 0
	}
	return n
}
