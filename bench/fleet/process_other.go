//go:build !unix

package main

import (
	"os"
	"time"
)

// canStop: no process can be stopped here without ending it.
const canStop = false

func suspend(*os.Process) {}
func resume(*os.Process)  {}

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
