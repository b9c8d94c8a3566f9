package nodes

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// Shares of the memory in use: below the first a node is as good as any other,
// above the second it takes no more.
const (
	muchMemory = 0.80
	allMemory  = 0.95
)

// pressure is how far this machine's memory is used. Processors that are busy make sessions slower, and nothing fails by that.
func pressure() float64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer file.Close()
	var total, free float64
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), ":")
		value, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64) // 0 where it is no number
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
	return max(0, (1-free/total-muchMemory)/(allMemory-muchMemory))
}
