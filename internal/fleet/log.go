package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// A LogLine is one entry of a job's log.
type LogLine struct {
	Number  int             `json:"-"` // from 1
	Attempt int             `json:"a"` // whose it is
	Nonce   string          `json:"n"`
	Data    json.RawMessage `json:"d"`
}

// A jobLog is where a queue's store has the log of one job.
type jobLog struct {
	queue *Queue
	id    string // the job's
}

// prefix is what the keys of all lines begin with.
func (l jobLog) prefix() string { return l.queue.key("log", l.id) + "." }

func (l jobLog) key(number int) string { return fmt.Sprintf("%s%08d", l.prefix(), number) }

// read returns the lines as they are now.
func (l jobLog) read(ctx context.Context) ([]LogLine, error) {
	records, err := List(ctx, l.queue.store, l.prefix())
	if err != nil {
		return nil, fmt.Errorf("fleet: job %s: log: %w", l.id, err)
	}
	// A line that was written anew is reported later than those after it.
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.Key, b.Key) })
	lines := make([]LogLine, 0, len(records))
	for _, r := range records {
		line, err := readLine(r)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	for i, line := range lines {
		if line.Number != i+1 {
			return nil, fmt.Errorf("%w: job %s: line %d is not there, and line %d is", ErrDamaged, l.id, i+1, line.Number)
		}
	}
	return lines, nil
}

func readLine(r Record) (LogLine, error) {
	var line LogLine
	if err := json.Unmarshal(r.Value, &line); err != nil {
		return LogLine{}, fmt.Errorf("fleet: record %s: %w", r.Key, err)
	}
	number, err := strconv.Atoi(r.Key[len(r.Key)-8:])
	line.Number = number
	return line, err
}
