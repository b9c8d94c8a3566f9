package wire

import "encoding/json"

// A Status is what a frame of a stream says about the work.
type Status string

// The statuses in their order. A stream ends with Finished or Errored.
const (
	Starting  Status = "starting"
	Connected Status = "connected"
	Running   Status = "running"
	Finished  Status = "finished"
	Errored   Status = "error"
)

// A Frame is one event of a stream.
type Frame struct {
	Data FrameData `json:"data"`
	Type string    `json:"type"` // system or log
	ID   string    `json:"id"`   // a UUID
}

// FrameData is what a frame tells. Which members there are depends on Status.
type FrameData struct {
	Status   Status          `json:"status"`
	Message  string          `json:"message,omitempty"` // of Running
	Result   json.RawMessage `json:"result,omitempty"`  // of Finished: what data.result is without a stream
	ActionID string          `json:"actionId,omitempty"`

	CacheEntry *CacheEntry `json:"cacheEntry,omitempty"` // of Finished: an agent's run
	Error      string      `json:"error,omitempty"`      // of Errored
	Code       Code        `json:"code,omitempty"`       // of Errored: that of the answer without a stream
}
