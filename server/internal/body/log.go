package body

import "github.com/wayfinder-engine/wayfinder/server/wire"

// A LogFrame is a frame of the work under way as one client family reads it,
// which asks with the header x-bb-session-id.
type LogFrame struct {
	Data LogFrameData `json:"data"`
	Type string       `json:"type"` // log
	ID   string       `json:"id"`
}

// LogFrameData is what a LogFrame tells.
type LogFrameData struct {
	Status  wire.Status `json:"status"` // Running
	Message LogLine     `json:"message"`
}

// A LogLine is one line about the work under way.
type LogLine struct {
	Category string `json:"category"` // what is done: act, observe, …
	Message  string `json:"message"`
	Level    int    `json:"level"` // 1, or 2 for what only the most curious want
}
